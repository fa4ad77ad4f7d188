# tflm: MicroAllocator: everything a .tflite model needs at run time, put into one arena
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import struct

from ..arena import ALIGNMENT, address_of, fill
from ..errors import ModelError, check
from ..format import CONTROL_KERNEL
from .context import IN_ROM, IN_TAIL, NO_OPERAND, PLANNED_SCRATCH
from .custom_op import KERNEL as CUSTOM_KERNEL
from .lifetimes import buffers_of
from .planner import plan_greedy, plan_linear

# What bytes of an arena are for, the head and pieces of the tail; tell/allocations.py names them.
ACTIVATIONS, PERSISTENT, VARIABLES, RECORDS, TABLES = range(5)


# One record in the tail: what runs, and where its words are.
class ArenaRecord:
    def __init__(self, step_list, node, kernel, function, position, size, operands, slice_units):
        self.step_list = step_list
        self.node_index = node.index
        self.builtin_code = node.builtin_code
        self.kernel = kernel
        self.function = function  # None where the Program knows: control flow, custom operators
        self.position = position
        self.size = size
        self.operands = operands
        self.slice_units = slice_units


# The storage (storage.pyi) of a MicroContext on a board: records, constants and state go to the
# tail of the arena, activations and scratch to the planned head (TFLM's micro_allocator.cc).
# Without an arena nothing is written: that measures how large it must be.
class MicroAllocator:
    """Allocates a .tflite model from an Arena. Raises ArenaError when it is too small.

    resolver: an OpResolver that loads each kernel as soon as a record names it; None loads none.
    """

    def __init__(self, arena, resolver=None):
        check("arena", arena, hasattr(arena, "sections"), "an Arena")
        self.resolver = resolver
        self.memory = arena.buffer  # None: measure only
        self.arena = arena
        self.sections = arena.sections

    # Begin a model: forget the requests of the one before.
    def start_model_allocation(self, model):
        self.model = model
        self.records = []
        self.variables = {}  # tensor number: offset
        self.states = []  # (offset, bytes, byte to reset to) of what operators keep besides those
        self.counts = [[0, 0] for _ in range(5)]  # [how many, bytes] for each of those
        self.step_list = 0  # which list of steps records go to: a sub-graph's, or copies
        self.step_lists = len(model.subgraphs)
        self._scratch = []  # (bytes, node number)
        self._scratch_users = []  # (scratch number, Record, operand number)
        self._constants = {}  # (CRC-32, bytes, alignment): offset
        self._rom_shift = address_of(model.buffer) & 3

    # A piece of the tail, and a note what for: its offset.
    def _allocate(self, what, size, alignment=ALIGNMENT):
        before = self.sections.tail
        at = self.sections.allocate_persistent_buffer(size, alignment)
        use = self.counts[what]
        use[0] += 1
        use[1] += before - at
        return at

    # MicroContext: a record of words and a table. Its kernel is loaded now: that takes the more
    # memory the larger it is, and at the end, with all of Prepare loaded, there is less.
    def record(self, node, kernel, words, operands, slice_units, table):
        function = None
        if self.resolver is not None and not kernel.startswith((CUSTOM_KERNEL, CONTROL_KERNEL)):
            function = self.resolver.kernel(kernel)
        size = 4 * len(words) + len(table)
        at = self._allocate(RECORDS, size, 4)
        record = ArenaRecord(
            self.step_list, node, kernel, function, at, size, operands, slice_units
        )
        for i in range(1, operands + 1):
            if words[i] & 3 == PLANNED_SCRATCH:
                self._scratch_users.append((words[i] >> 2, record, i))
        self.records.append(record)
        if self.memory is not None:
            struct.pack_into("<%dI" % len(words), self.memory, at, *words)
            self.memory[at + 4 * len(words) : at + size] = table

    # MicroContext: bytes that Prepare has made; equal ones (tables, mostly) are kept once.
    def constant(self, data, alignment):
        size = len(data)
        key = binascii.crc32(data), size, alignment
        at = self._constants.get(key)
        if at is not None and (self.memory is None or self.memory[at : at + size] == data):
            return at << 2 | IN_TAIL
        at = self._allocate(TABLES, size, alignment)
        self._constants[key] = at
        if self.memory is not None:
            self.memory[at : at + size] = data
        return at << 2 | IN_TAIL

    # MicroContext: a constant of the model, in place; copied only where words would be unaligned.
    def constant_tensor(self, tensor):
        if tensor.nbytes() == 0:
            return NO_OPERAND
        if tensor.offset < 0:  # computed from shapes, not in the file
            return self.constant(tensor.data, 8)
        if tensor.nbytes() > tensor.elements() and (tensor.offset + self._rom_shift) & 3:
            return self.constant(tensor.data, 8)
        return tensor.offset << 2 | IN_ROM

    # MicroContext: a scratch request: its number.
    def scratch(self, size, node):
        self._scratch.append((size, node.index))
        return len(self._scratch) - 1

    # Scratch buffers of a record that no other record has: (operand number, bytes).
    def own_scratch(self, record):
        users = self._scratch_users
        return tuple(
            [
                (operand, self._scratch[number][0])
                for number, user, operand in users
                if user is record and len([1 for other, _, _ in users if other == number]) == 1
            ]
        )

    # MicroContext: bytes that last; zeros at first, as in a flat model.
    def persistent(self, size, what=PERSISTENT):
        at = self._allocate(what, size)
        if self.memory is not None:
            fill(self.memory, at, size)
        return at

    # MicroContext: the memory behind a scratch or persistent operand.
    def memory_of(self, operand):
        if self.memory is None:
            return memoryview(bytearray(operand.size))  # measuring: nothing is kept
        offset = operand.word >> 2
        if operand.word & 3 == PLANNED_SCRATCH:
            offset = self.sections.buffer_head + self._placed_scratch[offset].offset
        return self.memory[offset : offset + operand.size]

    # Place every activation and scratch buffer, then write the offsets into the records.
    # `keep_tensors` gives each tensor a place of its own, to look at it after invoke; `guards`
    # puts a zone behind each buffer.
    def finish_model_allocation(self, keep_tensors=False, guards=False):
        self.sections.reset_temp_allocations()
        tensors, scratch, variables = buffers_of(self.model, self._scratch)
        plan = plan_linear if keep_tensors else plan_greedy
        buffers = [tensors[i] for i in sorted(tensors)] + scratch
        if guards:
            from .guards import widen

            widen(buffers)
        head = plan(buffers)
        self.arena.reserve_head(head)
        self.counts[ACTIVATIONS] = len(buffers), head
        for index in sorted(variables):  # they keep their bytes between invokes: in the tail
            self.variables[index] = self.persistent(variables[index], VARIABLES)
        self.tensors = tensors
        self._placed_scratch = scratch
        for record in self.records:
            self._patch(record)

    # The buffers of the head, each with its offset there.
    def placed_buffers(self):
        return list(self.tensors.values()) + self._placed_scratch

    # The arena offset of a tensor.
    def tensor_offset(self, index):
        if index in self.variables:
            return self.variables[index]
        if index not in self.tensors:
            raise ModelError("tensor %d has no place in the arena; the model is damaged" % index)
        return self.sections.buffer_head + self.tensors[index].offset

    def _patch(self, record):
        if self.memory is None:
            return
        for i in range(1, record.operands + 1):
            at = record.position + 4 * i
            word = struct.unpack_from("<I", self.memory, at)[0]
            kind = word & 3
            if kind == IN_ROM:
                continue
            if kind == IN_TAIL:
                offset = word >> 2
            elif kind == PLANNED_SCRATCH:
                offset = self.sections.buffer_head + self._placed_scratch[word >> 2].offset
            else:
                offset = self.tensor_offset(word >> 2)
            struct.pack_into("<I", self.memory, at, offset << 2)
