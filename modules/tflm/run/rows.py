# tflm: an input that comes by rows while the model runs: who gives them, and where they go
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

from .. import dtypes
from ..errors import InputError, ModelError
from ..micropython_port import struct

_BUFFERS = (bytes, bytearray, memoryview)


# What input() gives for an input of which only some rows are in the arena at a time.
class RowInput:
    """An input that comes by rows: name, dtype, shape. Give the rows to invoke()."""

    raw = b""

    def __init__(self, kind, name, dtype, shape, scale_bits, zero_point):
        self._parts = kind, name, dtype, shape[2:], scale_bits, zero_point
        self._row = None
        row = kind(*self._parts[1:], memoryview(b""))
        self.name, self.shape, self.dtype = name, shape, row.dtype
        self.scale, self.zero_point = row.scale, row.zero_point
        self.is_as_kept = row.kept is row  # rows have the bytes that the arena has

    # Bytes of a row in the arena.
    def row_bytes(self):
        elements = 1
        for size in self.shape:
            elements *= size
        return dtypes.nbytes(self._parts[2], elements) // self.shape[1]

    # The Tensor that a source fills. It is made once: that takes a Cortex-M0+ as long as to run a
    # small layer.
    def row(self):
        if self._row is None:
            view = memoryview(bytearray(self.row_bytes()))
            self._row = self._parts[0](*self._parts[1:], view)
        return self._row

    def __getattr__(self, name):
        raise InputError(
            "the input '%s' comes by rows; pass what gives them: invoke(source) of a "
            "tflm.Interpreter" % self.name
        )


# The step that takes the next rows. Its record: units (rows), where they go, bytes of a row, as
# many as row() has.
def bind(program, number, record):
    if len(record) < 12:
        raise ModelError("the rows of the input are damaged; flatten the model again")
    program.by_rows = begin
    program.calls.setdefault(number, [])  # so that each invoke() asks for the source
    program.source = source = []
    return _filler(source)


# Eval of that step. `source` is what puts the next row into a Tensor, what this is given for it,
# the bytes of that row, or of all of them, and the place of the next row in these: its first byte,
# bytes to the one behind it, and the byte at which there is none any more until one is put there.
# The locals that live in registers, `arena` and `rom`, become the target and the row.
def _filler(source):
    @micropython.viper
    def fill(record: ptr32, arena: ptr32, rom: ptr32, start: int, stop: int):
        put, given, rows, place = source
        at = ptr32(place)
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


# Let a program take its rows from `source`; where the whole input is in the arena it is filled
# at once.
def begin(program, source):
    if source is None:
        raise InputError("the model has an input that comes by rows; call invoke(source)")
    if len(program.inputs) != 1:
        raise InputError(
            "a source fills one input, the model has %d; fill each" % len(program.inputs)
        )
    tensor = program.inputs[0]
    if isinstance(tensor, RowInput):
        program.source[:] = _putter(source, tensor)
        return
    kept, shape = tensor.kept, tensor.shape
    if len(shape) < 3:
        shape = (1, 1) + tuple(shape)  # one row
    scale_bits = struct.unpack("<I", struct.pack("<f", kept.scale))[0]
    whole = RowInput(type(tensor), tensor.name, kept._code, shape, scale_bits, kept.zero_point)
    rows = shape[1]
    record = struct.pack("<III", rows, 0, len(kept.raw) // rows)
    _filler(_putter(source, whole))(record, kept.raw, kept.raw, 0, rows)


# What _filler() has of a source, and of the input whose rows it gives.
def _putter(source, rows):
    if isinstance(source, _BUFFERS):
        size = rows.row_bytes()
        if rows.is_as_kept and len(source) == rows.shape[1] * size:
            return _end, source, source, array("i", (0, size, len(source)))
        source = _parts(source, len(rows.row().raw), rows.shape[1])
    given = tensor = rows.row()
    if hasattr(source, "readinto"):
        put = _reader(source)
    elif callable(source):
        put, given = source, tensor.data
    else:
        put = _taker(source)
    return put, given, tensor.kept.raw, array("i", (0, 0, 0))


# A record that asks for more rows than the input has is damaged.
def _end(_):
    raise ModelError("the rows of the input are damaged; flatten the model again")


# Rows of a buffer one by one, for those that become others in the arena.
def _parts(whole, size, rows):
    if len(whole) != size * rows:
        raise InputError(
            "the input has %d bytes, got %d; give all rows" % (size * rows, len(whole))
        )
    whole = memoryview(whole)
    return (whole[at : at + size] for at in range(0, len(whole), size))


# From a file or socket: the bytes of each row.
def _reader(source):
    def put(tensor):
        whole = tensor.raw if tensor.kept is tensor else bytearray(len(tensor.raw))
        view = memoryview(whole)
        while len(view):
            count = source.readinto(view)
            if not count:
                raise InputError("the source ended %d bytes too early; give all rows" % len(view))
            view = view[count:]
        if tensor.kept is not tensor:
            tensor.raw[:] = whole

    return put


# From what gives row by row, as bytes or as real numbers.
def _taker(source):
    try:
        rows = iter(source)
    except TypeError:
        rows = None
    if rows is None:
        raise InputError(
            "a %s gives no rows; pass a file, a function or rows" % type(source).__name__
        )

    def put(tensor):
        try:
            row = next(rows)
        except StopIteration:
            row = None
        if row is None:
            raise InputError(
                "the source ended %d bytes too early; give all rows" % len(tensor.raw)
            )
        if not isinstance(row, (bytes, bytearray, memoryview)):
            tensor.quantize(row)
        elif len(row) == len(tensor.raw):
            tensor.raw[:] = row
        else:
            raise InputError(
                "a row has %d bytes, got %d; numbers are passed as a list"
                % (len(tensor.raw), len(row))
            )

    return put
