# tflm: MicroAllocator: place what a .tflite needs at run time in one arena.
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import struct

from ..arena import ALIGNMENT, KEEP_ALL, address_of, fill
from ..errors import ModelError, check
from ..format import CONTROL_KERNEL
from .context import IN_ROM, IN_TAIL, NO_OPERAND, PLANNED_SCRATCH
from .custom_op import KERNEL as CUSTOM_KERNEL
from .lifetimes import buffers_of
from .planner import plan_greedy, plan_linear

# The uses of arena bytes: the head, then four uses of the tail (introspection/allocations.py).
ACTIVATIONS, PERSISTENT, VARIABLES, RECORDS, TABLES = range(5)


# One record in the tail.
class ArenaRecord:
    def __init__(self, step_list, node, kernel, function, position, size, operands, slice_units):
        self.step_list = step_list
        self.node_index = node.index
        self.builtin_code = node.builtin_code
        self.kernel = kernel
        self.function = function  # None for control flow and custom operators: the Program has it
        self.position = position
        self.size = size
        self.operands = operands
        self.slice_units = slice_units


# The storage (storage.pyi) of a MicroContext on a board, as TFLM's micro_allocator.cc: records,
# constants and state go to the tail of the arena; activations and scratch buffers to the planned
# head. Without memory this measures the arena, and move_to() writes what Prepare stored.
class MicroAllocator:
    """Place a .tflite model in an Arena. Raises ArenaError if the arena is too small.

    arena: an Arena. resolver: an OpResolver, which loads each kernel when a record names it; None
    loads none.
    """

    def __init__(self, arena, resolver=None):
        check("arena", arena, hasattr(arena, "sections"), "an Arena")
        self.resolver = resolver
        self.memory = arena.buffer  # None: measure
        self.arena = arena
        self.sections = arena.sections

    # Start a model; drop the requests of the model before.
    def start_model_allocation(self, model):
        self.model = model
        self.records = []
        self.variables = {}  # tensor number: offset
        self.states = []  # (offset, bytes, value that reset() gives them) of operators' state
        self.counts = [[0, 0] for _ in range(5)]  # [count, bytes] of each use of arena bytes
        self.step_list = 0  # the list of steps that records go to: a sub-graph's, or copies
        self.step_lists = len(model.subgraphs)
        self._scratch = []  # (bytes, node number)
        self._scratch_users = []  # (scratch number, Record, operand number)
        self._constants = {}  # (CRC-32, bytes, alignment): offset
        self._stored = {}  # without memory: {offset: bytes}, until move_to()
        self.is_movable = self.memory is None  # nobody has a view of the memory
        self._rom_shift = address_of(model.buffer) & 3

    # Return the offset of bytes in the tail; count them for a use.
    def _allocate(self, what, size, alignment=ALIGNMENT):
        before = self.sections.tail
        at = self.sections.allocate_persistent_buffer(size, alignment)
        counts = self.counts[what]
        counts[0] += 1
        counts[1] += before - at
        return at

    # MicroContext: store a record of words and a table. Its kernel is loaded now: loading needs
    # memory according to the kernel's size, and after all of Prepare is loaded there is less.
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
        self._store(at, struct.pack("<%dI" % len(words), *words))
        self._store(at + 4 * len(words), table)

    # Store bytes in the tail.
    def _store(self, at, data):
        if self.memory is None:
            if len(data):  # no bytes have no place of their own
                self._stored[at] = bytes(data)
        else:
            self.memory[at : at + len(data)] = data

    # MicroContext: store bytes that Prepare computed. Equal bytes, mostly tables, are stored once.
    def constant(self, data, alignment):
        size = len(data)
        key = binascii.crc32(data), size, alignment
        at = self._constants.get(key)
        if at is not None:
            if self.memory is None:
                stored = self._stored.get(at, b"")
            else:
                stored = self.memory[at : at + size]
            if stored == data:
                return at << 2 | IN_TAIL
        at = self._allocate(TABLES, size, alignment)
        self._constants[key] = at
        self._store(at, data)
        return at << 2 | IN_TAIL

    # MicroContext: use a constant of the model in place; copy it only if its words are unaligned.
    def constant_tensor(self, tensor):
        if tensor.nbytes() == 0:
            return NO_OPERAND
        if tensor.offset < 0:  # computed from shapes, not in the file
            return self.constant(tensor.data, 8)
        if tensor.nbytes() > tensor.elements() and (tensor.offset + self._rom_shift) & 3:
            return self.constant(tensor.data, 8)
        return tensor.offset << 2 | IN_ROM

    # MicroContext: note the request of a scratch buffer; return its number.
    def scratch(self, size, node):
        self._scratch.append((size, node.index))
        return len(self._scratch) - 1

    # Return (operand number, bytes) of the scratch buffers that no other record uses.
    def own_scratch(self, record):
        users = self._scratch_users
        return tuple(
            [
                (operand, self._scratch[number][0])
                for number, user, operand in users
                if user is record and len([1 for other, _, _ in users if other == number]) == 1
            ]
        )

    # MicroContext: return the offset of persistent bytes, at first zeros as in a flat model.
    def persistent(self, size, what=PERSISTENT):
        at = self._allocate(what, size)
        if self.memory is not None:
            fill(self.memory, at, size)
        return at

    # MicroContext: return the memory of a scratch or persistent operand.
    def memory_of(self, operand):
        if self.memory is None:
            self.is_movable = False  # what is written here is lost
            return memoryview(bytearray(operand.size))
        offset = operand.word >> 2
        if operand.word & 3 == PLANNED_SCRATCH:
            offset = self.sections.buffer_head + self._placed_scratch[offset].offset
        return self.memory[offset : offset + operand.size]

    # Place all activations and scratch buffers, then write their offsets into the records.
    # `keep`: the tensors that keep their bytes until the next invoke. `guards`: a guard zone
    # follows each buffer.
    def finish_model_allocation(self, keep=0, guards=False):
        self.sections.reset_temp_allocations()
        tensors, scratch, variables = buffers_of(self.model, self._scratch, keep)
        plan = plan_linear if keep & KEEP_ALL else plan_greedy
        buffers = [tensors[i] for i in sorted(tensors)] + scratch
        if guards:
            from .guards import widen

            widen(buffers)
        head = plan(buffers)
        self.arena.reserve_head(head)
        self.counts[ACTIVATIONS] = len(buffers), head
        for index in sorted(variables):  # in the tail: they keep their bytes between invokes
            self.variables[index] = self.persistent(variables[index], VARIABLES)
        self.tensors = tensors
        self._placed_scratch = scratch
        if self.memory is not None:
            for record in self.records:
                self._patch(record, 0)

    # Move a model that was prepared without memory to an empty arena of the size that it needs.
    def move_to(self, arena):
        head, tail = self.sections.head_used_bytes(), self.sections.tail_used_bytes()
        old = self.sections.tail
        self.memory, self.arena, self.sections = arena.buffer, arena, arena.sections
        arena.reserve_head(head)
        shift = self.sections.allocate_persistent_buffer(tail, 4) - old
        fill(self.memory, old + shift, tail)
        for at, data in self._stored.items():
            self._store(at + shift, data)
        self._stored = None
        self.variables = {index: at + shift for index, at in self.variables.items()}
        self.states = [(at + shift, size, value) for at, size, value in self.states]
        for record in self.records:
            record.position += shift
            self._patch(record, shift)

    # Return the buffers of the head, with their offsets.
    def placed_buffers(self):
        return list(self.tensors.values()) + self._placed_scratch

    # Return the arena offset of a tensor.
    def tensor_offset(self, index):
        if index in self.variables:
            return self.variables[index]
        if index not in self.tensors:
            raise ModelError("tensor %d is not in the arena; the model is damaged" % index)
        return self.sections.buffer_head + self.tensors[index].offset

    # Write the offsets of a record's operands; `shift` is added to its offsets of the tail.
    def _patch(self, record, shift):
        for i in range(1, record.operands + 1):
            at = record.position + 4 * i
            word = struct.unpack_from("<I", self.memory, at)[0]
            kind = word & 3
            if kind == IN_ROM:
                continue
            if kind == IN_TAIL:
                offset = (word >> 2) + shift
            elif kind == PLANNED_SCRATCH:
                offset = self.sections.buffer_head + self._placed_scratch[word >> 2].offset
            else:
                offset = self.tensor_offset(word >> 2)
            struct.pack_into("<I", self.memory, at, offset << 2)
