# tflm_tools: RomStorage: keeps what Prepare computes on the host, for the image of a flat model
# MIT license; Copyright (c) 2026 the tflm authors

from bisect import bisect_right

from tflm.arena import KEEP_ALL, KEEP_INPUTS, SingleArenaBufferAllocator, align_up
from tflm.errors import ModelError
from tflm.tflite.context import IN_ROM, IN_TAIL, NO_OPERAND, PLANNED_SCRATCH
from tflm.tflite.lifetimes import buffers_of
from tflm.tflite.planner import plan_greedy, plan_linear

from ..arena.overlapping_plan import plan_overlapping, roll_banded_records
from ..arena.views import merge_views, place_views
from ..bands.rom_record import RomRecord
from ..model.graph import Graph, kept_input_count

_LARGE_CONSTANT = 2048  # bytes


class RomStorage:
    """The storage of a MicroContext on the host; its protocol is tflm/tflite/storage.pyi.

    target_packing: what targets.packing_of() returns; the plan gives its kernels what they need.
    records: RomRecords in the order of execution. constants: bytes; equal ones are stored once,
    and offset 0 is not used, because it would mean "no operand".
    constant_requests: the operand word of each constant, in the order of requests.
    scratch_requests: [(bytes, node)]. states: [(offset among the persistent bytes, bytes, byte to
    reset them to)].
    After finish_model_allocation(): tensors and scratch_buffers (planned Buffers), views,
    variables ({tensor number: offset}), head_bytes, arena_bytes; and if tensors may overlap,
    banded ([(BandedRecords, number of the scratch buffer for its record)]) and buffer_order (keys
    of the buffers in the order of placement).
    """

    def __init__(self, target_packing=None):
        self.sections = SingleArenaBufferAllocator()  # for temporary buffers only
        self.records = []
        self.constants = bytearray(16)
        self._offset_of = {}  # constant: offset
        self._constant_at = {}  # offset: constant
        self.constant_requests = []
        self.scratch_requests = []
        self.banded = ()
        self.buffer_order = ()
        self.states = []
        self.persistent_bytes = 0
        self.target_packing = target_packing

    def start_model_allocation(self, model):
        self.model = model
        self.step_list = 0  # the list that records are added to: of a sub-graph, or of a chain
        self.step_lists = len(model.subgraphs)

    def record(self, node, kernel, words, operands, slice_units, table):
        self.records.append(
            RomRecord(self.step_list, node, kernel, words, operands, slice_units, bytes(table))
        )

    def constant(self, data, alignment):
        data = bytes(data)
        if data not in self._offset_of:
            # Align all constants to 16 bytes: kernels may read words at any section start.
            self.constants.extend(bytes(align_up(len(self.constants)) - len(self.constants)))
            self._offset_of[data] = len(self.constants)
            self._constant_at[len(self.constants)] = data
            self.constants.extend(data)
        self.constant_requests.append(self._offset_of[data] << 2 | IN_ROM)
        return self.constant_requests[-1]

    def data_of(self, word):
        """Return the constant that an operand word names, b"" for a word within a constant."""
        return self._constant_at.get(word >> 2, b"")

    def constant_tensor(self, tensor):
        return self.constant(tensor.data, 16) if tensor.nbytes() else NO_OPERAND

    def scratch(self, size, node):
        self.scratch_requests.append((size, node))
        return len(self.scratch_requests) - 1

    def persistent(self, size):
        at = self.persistent_bytes
        self.persistent_bytes += align_up(size)
        return at

    def memory_of(self, operand):
        return memoryview(bytearray(operand.size))

    def constant_bytes(self, word):
        """Return the size of the constant that an operand word names, 0 within a constant."""
        return len(self.data_of(word))

    def join_constants(self, words):
        """Store constants of equal size one after the other.

        Returns (operand word of the first one, bytes of each).
        """
        constants = [self.data_of(word) for word in words]
        return self.constant(b"".join(constants), 16), len(constants[0])

    # Store large constants after small ones. Flash 8 KB apart shares a line of the RP2040's cache;
    # close to each other, small constants do not evict each other, and kernels read large
    # constants past the cache. Constants that no record names are dropped.
    def _sort_constants(self):
        begins = sorted(self._offset_of.values())
        used = set()
        for record in self.records:
            for k in range(1, record.operands + 1):
                if record.words[k] & 3 == IN_ROM and record.words[k] != NO_OPERAND:
                    used.add(begins[bisect_right(begins, record.words[k] >> 2) - 1])
        self._offset_of = {data: at for data, at in self._offset_of.items() if at in used}
        ordered = sorted(
            self._offset_of.items(), key=lambda item: (len(item[0]) > _LARGE_CONSTANT, item[1])
        )
        moved, constants = {}, self.constants[:16]
        for data, begin in ordered:
            constants.extend(bytes(align_up(len(constants)) - len(constants)))
            moved[begin] = self._offset_of[data] = len(constants)
            constants.extend(data)
        self.constants = constants
        for record in self.records:
            for k in range(1, record.operands + 1):
                word = record.words[k]
                if word & 3 == IN_ROM and word != NO_OPERAND:
                    begin = begins[bisect_right(begins, word >> 2) - 1]
                    record.words[k] += moved[begin] - begin << 2

    # True for a copy from a tensor to itself, which views of one tensor can cause.
    def _is_idle_copy(self, record):
        if record.kernel != "copy.eval_bytes" or record.words[1] & 3 or record.words[2] & 3:
            return False
        numbers = (word >> 2 for word in record.words[1:3])
        first, second = ((self.model.views or {}).get(number, (number, 0)) for number in numbers)
        return first == second

    def finish_model_allocation(self, keep=0, guards=False):
        self.records = [record for record in self.records if not self._is_idle_copy(record)]
        requests = [(size, node.index) for size, node in self.scratch_requests]
        keep |= KEEP_INPUTS if kept_input_count(self.model) else 0
        self.tensors, self.scratch_buffers, variables = buffers_of(self.model, requests, keep)
        self.views = merge_views(self.model, self.tensors)
        is_graph = isinstance(self.model, Graph)
        if is_graph and self.model.overlap and not keep & KEEP_ALL:
            self.head_bytes = plan_overlapping(self, self.scratch_requests)
        else:
            plan = plan_linear if keep & KEEP_ALL else plan_greedy
            buffers = [self.tensors[i] for i in sorted(self.tensors)] + self.scratch_buffers
            self.head_bytes = align_up(plan(buffers))
        place_views(self.model, self.tensors, self.views)
        self.variables = {index: self.persistent(variables[index]) for index in sorted(variables)}
        self.arena_bytes = self.head_bytes + self.persistent_bytes
        if is_graph and self.model.is_draft:  # it is written to no file
            return
        for banded, _ in self.banded:
            banded.join_constants(self)
        self._sort_constants()
        roll_banded_records(self)

    def tensor_word(self, index):
        """Return the final operand word of a tensor in the arena."""
        root, offset = (self.model.views or {}).get(index, (index, 0))
        if root in self.variables:
            return (self.head_bytes + self.variables[root] + offset) << 2 | 2
        if index not in self.tensors:
            raise ModelError(f"tensor {index} is not in the arena; the model is damaged")
        return self.tensors[index].offset << 2

    def operand_word(self, word, constants_at):
        """Return the final value of an operand word; constants_at: offset of the constants."""
        kind = word & 3
        if word == NO_OPERAND:
            return word
        if kind == IN_ROM:
            return ((word >> 2) + constants_at) << 2 | IN_ROM
        if kind == IN_TAIL:
            return (self.head_bytes + (word >> 2)) << 2 | 2
        if kind == PLANNED_SCRATCH:
            return self.scratch_buffers[word >> 2].offset << 2
        return self.tensor_word(word >> 2)
