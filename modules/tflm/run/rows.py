# tflm: An input that comes by rows while the model runs, and the sources of rows.
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

from .. import dtypes
from ..errors import InputError, damaged
from ..micropython_port import struct

_BUFFERS = (bytes, bytearray, memoryview)


def _wrong_rows():
    return damaged("its input rows are wrong")


class RowInput:
    """An input of which only some rows are in the arena at a time.

    name, dtype, shape, scale, zero_point: as of a Tensor. Pass the rows to invoke(source). Other
    attributes raise InputError.
    """

    raw = b""

    def __init__(self, kind, name, dtype, shape, scale_bits, zero_point):
        if len(shape) < 2:
            raise _wrong_rows()
        self._row_arguments = name, dtype, shape[2:], scale_bits, zero_point
        self._kind = kind
        self._row = None
        row = kind(*self._row_arguments, memoryview(b""))
        self.name, self.shape, self.dtype = name, shape, row.dtype
        self.scale, self.zero_point = row.scale, row.zero_point
        self.is_as_kept = row.kept is row  # a row has the same bytes in the source and the arena

    # Return the bytes of a row in the arena.
    def row_bytes(self):
        elements = 1
        for size in self.shape:
            elements *= size
        return dtypes.nbytes(self._row_arguments[1], elements) // self.shape[1]

    # Return the Tensor of one row, which a source fills. It is made once: making it takes a
    # Cortex-M0+ as long as a small layer.
    def row(self):
        if self._row is None:
            view = memoryview(bytearray(self.row_bytes()))
            self._row = self._kind(*self._row_arguments, view)
        return self._row

    def __getattr__(self, name):
        raise InputError(
            "the input '%s' comes by rows; use invoke(source) of tflm.Interpreter" % self.name
        )


# Return the function of the step that fetches rows. Its record: units (rows), operand of their
# target, bytes of a row.
def bind(program, number, record):
    if len(record) < 12 or program.begin_source:
        raise _wrong_rows()
    program.begin_source = begin
    program.calls.setdefault(number, [])  # so that each invoke() calls begin()
    program.source = source = []
    return _filler(source)


# Return the Eval of that step. `source` holds:
#   put: the function that fetches the next row, and `given`, its argument
#   rows: the bytes of one row, or of all rows
#   position: where in `rows` the next row starts, the bytes to the row after it, and the start at
#       which put(given) has to fetch a row first
# Viper keeps the parameters in registers, so `rom` and `arena` become the row and its target.
def _filler(source):
    @micropython.viper
    def fill(record: ptr32, arena: ptr32, rom: ptr32, start: int, stop: int):
        put, given, rows, position = source
        at = ptr32(position)
        first = int(ptr8(rows))
        size = record[2]
        target = int(arena) + (record[1] >> 2) + start * size
        while start < stop:
            if at[0] == at[2]:
                put(given)
            rom = ptr32(first + at[0])
            at[0] = at[0] + at[1]
            arena = ptr32(target)
            left = size
            if not (size | target | int(rom)) & 3:
                while left >= 16:
                    arena[0] = rom[0]
                    arena[1] = rom[1]
                    arena[2] = rom[2]
                    arena[3] = rom[3]
                    arena = ptr32(int(arena) + 16)
                    rom = ptr32(int(rom) + 16)
                    left -= 16
            while left:
                ptr8(arena)[0] = ptr8(rom)[0]
                arena = ptr32(int(arena) + 1)
                rom = ptr32(int(rom) + 1)
                left -= 1
            target += size
            start += 1

    return fill


# Start a run whose input comes from `source`. An input that is whole in the arena is filled now.
def begin(program, source):
    if source is None:
        raise InputError("the input comes by rows; use invoke(source)")
    if len(program.inputs) != 1:
        raise InputError("a source fills one input, not %d; set each input" % len(program.inputs))
    tensor = program.inputs[0]
    if isinstance(tensor, RowInput):
        program.source[:] = _source_state(source, tensor)
        return
    kept, shape = tensor.kept, tensor.shape
    if len(shape) < 3:
        shape = (1, 1) + tuple(shape)  # one row
    scale_bits = struct.unpack("<I", struct.pack("<f", kept.scale))[0]
    whole = RowInput(type(tensor), tensor.name, kept._code, shape, scale_bits, kept.zero_point)
    rows = shape[1]
    if not len(kept.raw):
        raise InputError("the input has no elements; use invoke() without a source")
    record = struct.pack("<III", rows, 0, len(kept.raw) // rows)
    _filler(_source_state(source, whole))(record, kept.raw, kept.raw, 0, rows)


# Return what _filler() needs of a source for the rows of an input.
def _source_state(source, rows):
    if isinstance(source, _BUFFERS):
        size = rows.row_bytes()
        if rows.is_as_kept and len(source) == rows.shape[1] * size:
            return _raise_at_end, source, source, array("i", (0, size, len(source)))
        source = _split_rows(source, len(rows.row().raw), rows.shape[1])
    given = tensor = rows.row()
    if hasattr(source, "readinto"):
        put = _put_from_file(source)
    elif callable(source):
        put, given = source, tensor.data
    else:
        put = _put_from_iterable(source)
    return put, given, tensor.kept.raw, array("i", (0, 0, 0))


# A record that fetches more rows than the input has is damaged.
def _raise_at_end(_):
    raise _wrong_rows()


# Return an iterator over the rows of a buffer, for rows whose bytes change on the way.
def _split_rows(whole, size, rows):
    if len(whole) != size * rows:
        raise InputError(
            "the input has %d bytes, got %d; pass all rows" % (size * rows, len(whole))
        )
    whole = memoryview(whole)
    return (whole[at : at + size] for at in range(0, len(whole), size))


# Return a function that reads the next row from a file or socket into a Tensor.
def _put_from_file(source):
    def put(tensor):
        whole = tensor.raw if tensor.kept is tensor else bytearray(len(tensor.raw))
        view = memoryview(whole)
        while len(view):
            count = source.readinto(view)
            if not count:
                raise InputError("the source ended %d bytes too early; pass all rows" % len(view))
            view = view[count:]
        if tensor.kept is not tensor:
            tensor.raw[:] = whole

    return put


# Return a function that copies the next row of an iterable, bytes or real numbers, to a Tensor.
def _put_from_iterable(source):
    try:
        rows = iter(source)
    except TypeError:
        rows = None
    if rows is None:
        raise InputError(
            "a %s has no rows; pass a file, a function or rows" % type(source).__name__
        )

    def put(tensor):
        try:
            row = next(rows)
        except StopIteration:
            row = None
        if row is None:
            raise InputError(
                "the source ended %d bytes too early; pass all rows" % len(tensor.raw)
            )
        if not isinstance(row, (bytes, bytearray, memoryview)):
            tensor.quantize(row)
        elif len(row) == len(tensor.raw):
            tensor.raw[:] = row
        else:
            raise InputError(
                "a row has %d bytes, got %d; pass numbers as a list" % (len(tensor.raw), len(row))
            )

    return put
