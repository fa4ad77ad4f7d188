# tflm: FlatModel: a .tflm in ROM, a file or RAM, verified once and then used in place
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import struct

from . import dtypes
from . import format as layout
from .arena import address_of
from .errors import ModelError, UnsupportedError
from .program import Op, Program
from .tensor import Tensor


# True when the buffer starts like a flat model.
def is_flat(buffer):
    return bytes(buffer[:4]) == layout.MAGIC


def _damaged(what):
    return ModelError("the .tflm is damaged: %s; flatten or copy the model again" % what)


class FlatModel:
    """A flat model over a buffer; nothing is copied. Raises ModelError when it is damaged."""

    def __init__(self, buffer):
        self.buffer = memoryview(buffer)
        size = len(self.buffer)
        if size < layout.HEADER_BYTES:
            raise _damaged("%d bytes are less than its header" % size)
        if address_of(self.buffer) & 3:
            raise ModelError(
                "the .tflm lies at an address that is no multiple of 4; "
                "align it to 16 bytes or copy it to a bytearray"
            )
        header = struct.unpack_from(layout.HEADER, self.buffer, 0)
        if header[0] != layout.MAGIC:
            raise ModelError("this is no .tflm file; make one with: tflm flatten MODEL")
        if header[1] != layout.VERSION:
            raise UnsupportedError(
                "the .tflm has format %d, this tflm reads format %d; flatten the model again"
                % (header[1], layout.VERSION)
            )
        if header[2] != layout.HEADER_BYTES or header[3] > size:
            raise _damaged("it should have %d bytes and has %d" % (header[3], size))
        self.buffer = self.buffer[: header[3]]
        if binascii.crc32(self.buffer[layout.CRC_START :]) & 0xFFFFFFFF != header[4]:
            raise _damaged("its CRC is wrong")
        self.arena_bytes, self.head_bytes = header[5], header[6]
        if self.head_bytes > self.arena_bytes or self.arena_bytes > 1 << 29:
            raise _damaged("its arena sizes contradict each other")
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
        self._sections = []
        for i in range(layout.SECTIONS):
            start, count = struct.unpack_from(
                layout.SECTION, self.buffer, layout.SECTIONS_OFFSET + 8 * i
            )
            if start % 16 or start + count * entry_bytes[i] > len(self.buffer):
                raise _damaged("section %d lies outside the file" % i)
            self._sections.append((start, count))
        if self._sections[layout.SUBGRAPHS][1] < 1:
            raise _damaged("it has no sub-graph")

    # Entry `i` of a section of tables.
    def _entry(self, section, kind, size, i):
        start, count = self._sections[section]
        if i >= count:
            raise _damaged("entry %d of section %d is not there" % (i, section))
        return struct.unpack_from(kind, self.buffer, start + i * size)

    # The string at an offset of the names.
    def _name(self, offset):
        start, size = self._sections[layout.NAMES]
        if offset >= size or offset + 1 + self.buffer[start + offset] > size:
            raise _damaged("a name lies outside")
        at = start + offset
        try:
            return bytes(self.buffer[at + 1 : at + 1 + self.buffer[at]]).decode()
        except UnicodeError:
            raise _damaged("a name is not UTF-8") from None

    # Metadata as a dict of name to bytes.
    def metadata(self):
        found = {}
        for i in range(self._sections[layout.METADATA][1]):
            name, start, size = self._entry(
                layout.METADATA, layout.METADATA_ENTRY, layout.METADATA_BYTES, i
            )
            if start + size > len(self.buffer):
                raise _damaged("metadata lies outside")
            found[self._name(name)] = self.buffer[start : start + size]
        return found

    # Put the model into an arena and look its kernels up.
    def make_program(self, arena, resolver):
        head = arena.reserve_head(self.head_bytes)
        persistent = self.arena_bytes - self.head_bytes
        # The image counts persistent bytes behind the head; they lie in the tail.
        shift = 0
        if persistent:
            at = arena.sections.allocate_persistent_buffer(persistent)
            shift = at - head - self.head_bytes
        base = arena.buffer[head:]
        program = Program(base, self.buffer)
        first, ops, _, inputs, outputs = self._entry(
            layout.SUBGRAPHS, layout.SUBGRAPH, layout.SUBGRAPH_BYTES, 0
        )
        for i in range(first, first + ops):
            self._add_step(program, arena, resolver, i, shift, head)
        for i in range(self._sections[layout.TENSORS][1]):
            self._add_tensor(program, i, inputs, outputs, shift)
        program.used_bytes = arena.used_bytes()
        return program

    def _add_step(self, program, arena, resolver, i, shift, head):
        kernel, code, node, operands, slice_units, start, size = self._entry(
            layout.OPS, layout.OP, layout.OP_BYTES, i
        )
        records, records_size = self._sections[layout.RECORDS]
        if (
            start % 4
            or start < records
            or start + size > records + records_size
            or size < 4 + 4 * operands
            or slice_units < 1
        ):
            raise _damaged("the record of op %d lies outside" % i)
        name = self._name(self._entry(layout.KERNELS, layout.KERNEL, layout.KERNEL_BYTES, kernel)[0])
        record = self.buffer[start : start + size]
        units = struct.unpack_from("<I", record, 0)[0]
        words = struct.unpack_from("<%dI" % operands, record, 4)
        for word in words:
            limit = len(self.buffer) if word & 1 else self.arena_bytes
            if word >> 2 >= limit:
                raise _damaged("an operand of op %d lies outside" % i)
        if shift and any([word & 3 == 3 - 1 for word in words]):
            at = arena.sections.allocate_persistent_buffer(size, 4)
            arena.buffer[at : at + size] = record
            for k in range(operands):
                if words[k] & 3 == 2:
                    struct.pack_into("<I", arena.buffer, at + 4 + 4 * k, words[k] + 4 * shift)
            record = arena.buffer[at : at + size]
        program.add(Op(node, code, name), resolver.kernel(name), record, units, slice_units)

    def _add_tensor(self, program, i, inputs, outputs, shift):
        word, size, name, dtype, rank, flags, zero_point, scale_bits = (
            entry := self._entry(layout.TENSORS, layout.TENSOR, layout.TENSOR_BYTES, i)
        )[:8]
        offset = word >> 2
        memory = self.buffer if word & 1 else program.arena
        if word & 3 == 2:
            offset += shift
        shape = tuple(entry[8 : 8 + rank])
        count = 1
        for dimension in shape:
            count *= dimension
        if rank > layout.MAX_RANK or offset + size > len(memory) or dtypes.nbytes(dtype, count) != size:
            raise _damaged("tensor %d lies outside" % i)
        raw = memory[offset : offset + size]
        if flags & layout.TENSOR_VARIABLE:
            program.variables.append((raw, zero_point & 0xFF if dtype == dtypes.INT8 else 0))
            return
        tensor = Tensor(self._name(name), dtype, shape, scale_bits, zero_point, raw)
        if i < inputs:
            program.inputs.append(tensor)
        elif i < inputs + outputs:
            program.outputs.append(tensor)
        else:
            program.tensors[flags >> 1] = tensor
