# tflm: FlatModel: verify a .tflm once, then read its tables in place.
# MIT license; Copyright (c) 2026 the tflm authors

from . import dtypes, flat_program
from . import format as layout
from .arena import MAX_BYTES, address_of
from .errors import InputError, ModelError, UnsupportedError, checked_name, damaged
from .micropython_port import crc32, struct


# Return True if the buffer starts like a flat model.
def is_flat(buffer):
    return bytes(buffer[:4]) == layout.MAGIC


class FlatModel:
    """A .tflm in a buffer; nothing is copied. Raises ModelError if it is damaged."""

    is_planned = True  # the memory plan is in the file
    single_core_ops = ()  # ops whose scratch buffers are not described: only one core may run them

    # `trusted`: nobody changed the records since `tflm flatten` wrote them.
    def __init__(self, buffer, trusted=False):
        self.is_checked = trusted
        self.buffer = memoryview(buffer)
        size = len(self.buffer)
        if size < layout.HEADER_BYTES:
            raise damaged("its %d bytes are no header" % size)
        if address_of(self.buffer) & 3:
            raise ModelError(
                "the .tflm is not at a multiple of 4; align it to 16, or copy it to a bytearray"
            )
        header = struct.unpack_from(layout.HEADER, self.buffer, 0)
        if header[0] != layout.MAGIC:
            raise ModelError("this is no .tflm; use tflm flatten MODEL")
        if header[1] != layout.VERSION:
            raise UnsupportedError(
                "the .tflm has format %d, not %d; flatten it again" % (header[1], layout.VERSION)
            )
        if header[2] != layout.HEADER_BYTES or not layout.HEADER_BYTES <= header[3] <= size:
            raise damaged("it has %d bytes, not %d" % (size, header[3]))
        self.buffer = self.buffer[: header[3]]
        if crc32(self.buffer[layout.CRC_START :]) & 0xFFFFFFFF != header[4]:
            raise damaged("its CRC is wrong")
        self.arena_bytes, self.head_bytes = header[5], header[6]
        self._kept = header[7]
        if (
            self.head_bytes > self.arena_bytes
            or self.arena_bytes > MAX_BYTES
            or (self.head_bytes | self.arena_bytes) % layout.ALIGNMENT
        ):
            raise damaged("wrong arena sizes")
        self._read_sections()

    def _read_sections(self):
        entry_bytes = (
            layout.KERNEL_BYTES,
            layout.SUBGRAPH_BYTES,
            layout.OP_BYTES,
            layout.TENSOR_BYTES,
            1,
            layout.METADATA_BYTES,
            1,
            1,
        )
        self._sections = struct.unpack_from(
            "<%dI" % (2 * layout.SECTIONS), self.buffer, layout.SECTIONS_OFFSET
        )
        for i in range(layout.SECTIONS):
            start, count = self._section(i)
            if start % 16 or start + count * entry_bytes[i] > len(self.buffer):
                raise damaged("section %d is outside the file" % i)
        if self.subgraphs_length() < 1:
            raise damaged("it has no sub-graph")
        ops = 0
        for i in range(self.subgraphs_length()):
            first, count, *_ = self.subgraph(i)
            if first != ops:
                raise damaged("list %d of steps is wrong" % i)
            ops += count
        *_, inputs, outputs = self.subgraph()
        if inputs + outputs > self.tensors_length():
            raise damaged("it has too few tensors")

    # Return the bytes of (head, tail) that the model needs in an arena, which may be shared. `ops`
    # gets an Op for each step, for delegates. TfliteModel has measure() and make_program(), too.
    def measure(self, options, ops=None):
        if ops is not None:
            from .introspection.op import describe_ops

            ops.extend(describe_ops(self))
        if not options.is_shared:
            return self.head_bytes, self.arena_bytes - self.head_bytes
        return flat_program.measure(self)

    # Return the Program in an arena.
    def make_program(self, arena, options):
        if options.guards or options.keep & ~self._kept:
            raise InputError(
                "keep_inputs, keep_tensors and guards need a .tflite; or flatten with "
                "--keep-inputs or --keep-tensors"
            )
        return flat_program.make_program(self, arena, options)

    def __repr__(self):
        return "<FlatModel of %d bytes, arena %d>" % (len(self.buffer), self.arena_bytes)

    # Return (offset, number of entries) of a section.
    def _section(self, i):
        return self._sections[2 * i], self._sections[2 * i + 1]

    # Return the fields of entry `i` of a table.
    def entry(self, section, kind, size, i):
        start, count = self._section(section)
        if i >= count:
            raise damaged("no entry %d in section %d" % (i, section))
        return struct.unpack_from(kind, self.buffer, start + i * size)

    # Return the string at an offset of the section of names.
    def name(self, offset):
        start, size = self._section(layout.NAMES)
        if offset >= size or offset + 1 + self.buffer[start + offset] > size:
            raise damaged("a name is outside")
        at = start + offset
        return checked_name(bytes(self.buffer[at + 1 : at + 1 + self.buffer[at]]))

    def metadata(self):
        """Return the metadata of the model: {name: memoryview of its bytes}."""
        found = self._metadata()
        found.pop(layout.SIGNATURES, None)
        found.pop(layout.SCRATCH, None)
        return found

    def labels(self):
        """Return the lines of the label file in the metadata; [] if there is none."""
        from .introspection.labels import labels_of

        return labels_of(self.metadata())

    # Return the table of signatures, for signature.parse(); None if there is none.
    def signature_data(self):
        return self._metadata().get(layout.SIGNATURES)

    # Return the scratch buffers that only one op uses: {op: ((operand, bytes), ...)}.
    def scratch(self):
        data = self._metadata().get(layout.SCRATCH, b"")
        found = {}
        step = struct.calcsize(layout.SCRATCH_ENTRY)
        for at in range(0, len(data) // step * step, step):
            op, operand, size = struct.unpack_from(layout.SCRATCH_ENTRY, data, at)
            if not 1 <= operand <= self.op(op)[4] or size > self.head_bytes:
                raise damaged("op %d has wrong scratch buffers" % op)
            found[op] = found.get(op, ()) + ((operand, size),)
        return found

    # Return all metadata, also what is only for tflm.
    def _metadata(self):
        found = {}
        for i in range(self._section(layout.METADATA)[1]):
            name, start, size = self.entry(
                layout.METADATA, layout.METADATA_ENTRY, layout.METADATA_BYTES, i
            )
            if start + size > len(self.buffer):
                raise damaged("metadata is outside")
            found[self.name(name)] = self.buffer[start : start + size]
        return found

    # Return (first op, ops, first io, inputs, outputs) of list of steps `i`; list 0 is the model.
    def subgraph(self, i=0):
        return self.entry(layout.SUBGRAPHS, layout.SUBGRAPH, layout.SUBGRAPH_BYTES, i)

    # Return the number of lists of steps.
    def subgraphs_length(self):
        return self._section(layout.SUBGRAPHS)[1]

    # Return the name of kernel `i`.
    def kernel(self, i):
        return self.name(self.entry(layout.KERNELS, layout.KERNEL, layout.KERNEL_BYTES, i)[0])

    # Return the names of all kernels.
    def kernels(self):
        return [self.kernel(i) for i in range(self._section(layout.KERNELS)[1])]

    # Return (kernel name, builtin code, node, record, operands, units of a slice) of op `i`. Pass
    # `kernels`, the names of all kernels, to read many ops.
    def op(self, i, kernels=()):
        kernel, code, node, operands, slice_units, start, size = self.entry(
            layout.OPS, layout.OP, layout.OP_BYTES, i
        )
        records, records_size = self._section(layout.RECORDS)
        operands &= ~layout.ORDERED
        if (
            start % 4
            or start < records
            or start + size > records + records_size
            or size < 4 + 4 * operands
            or slice_units < 1
        ):
            raise damaged("the record of op %d is outside" % i)
        name = kernels[kernel] if kernel < len(kernels) else self.kernel(kernel)
        record = self.buffer[start : start + size]
        head, end = self.head_bytes, len(self.buffer)
        for word in struct.unpack_from("<%dI" % operands, record, 4):
            if word & 2 or word >> 2 > (end if word & 1 else head):
                self.check_range(word, 0, "an operand of op %d" % i)
        return name, code, node, record, operands, slice_units

    # Return True if the units of op `i` must run in ascending order, on one core.
    def is_ordered(self, i):
        return self.entry(layout.OPS, layout.OP, layout.OP_BYTES, i)[3] & layout.ORDERED != 0

    # Return the number of tensors in the table.
    def tensors_length(self):
        return self._section(layout.TENSORS)[1]

    # Return tensor `i`: (operand word, bytes, name, dtype, shape, flags, zero point, scale bits).
    def tensor(self, i):
        word, size, name, dtype, rank, flags, zero_point, scale_bits, *shape = self.entry(
            layout.TENSORS, layout.TENSOR, layout.TENSOR_BYTES, i
        )
        if rank > layout.MAX_RANK:
            raise damaged("tensor %d has %d dimensions" % (i, rank))
        shape = tuple(shape[:rank])
        count = 1
        for dimension in shape:
            count *= dimension
        # Tensor 0 has 0 bytes if it is an input that comes by rows. Programs write words.
        if (size or i) and dtypes.nbytes(dtype, count) != size or word & 12:
            raise damaged("tensor %d has wrong bytes" % i)
        if flags & layout.TENSOR_VARIABLE and word & 3 != layout.IN_TAIL:
            raise damaged("variable %d is not in the tail" % i)
        self.check_range(word, size, "tensor %d" % i)
        return word, size, self.name(name), dtype, shape, flags, zero_point, scale_bits

    # Raise ModelError unless the `size` bytes of an operand word are inside the memory that the
    # word counts from: the model, the head, or the tail after the head.
    def check_range(self, word, size, what):
        low, high = 0, self.head_bytes
        if word & 1:
            high = len(self.buffer)
        elif word & 3 == layout.IN_TAIL:
            low, high = self.head_bytes, self.arena_bytes
        if not low <= word >> 2 <= high - size:
            raise damaged("%s is outside" % what)
