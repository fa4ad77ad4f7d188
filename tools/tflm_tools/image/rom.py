# tflm_tools: RomStorage: where Prepare's results go on the host: into the image of a flat model
# MIT license; Copyright (c) 2026 the tflm authors

from bisect import bisect_right

from tflm.arena import SingleArenaBufferAllocator, align_up
from tflm.errors import ModelError
from tflm.tflite.context import IN_ROM, IN_TAIL, NO_OPERAND, PLANNED_SCRATCH
from tflm.tflite.lifetimes import buffers_of
from tflm.tflite.planner import plan_greedy, plan_linear

from ..arena.overlap import place_over, roll_loops
from ..arena.records import RomRecord
from ..arena.views import merge_views, place_views

_LARGE = 2048  # bytes of a constant


class RomStorage:
    """The storage of a MicroContext on the host: see tflm/tflite/storage.pyi.

    Constants are gathered (equal ones once); offsets in them are final, because `constants`
    is placed by flatten() at a position it tells in advance by `rebase`.
    """

    def __init__(self):
        self.sections = SingleArenaBufferAllocator()  # only for temporary buffers
        self.records = []
        self.constants = bytearray(16)  # offset 0 would read as "no operand"
        self._known = {}
        self._data = {}  # the other way round: offset: constant
        self.asked = []  # operand words of constants that were asked for, one by one
        self.scratch_requests = []
        self.loops = ()  # chains in bands, and the scratch buffers of their records
        self.order = ()  # of the plan: keys of its buffers, where tensors may overlap
        self.states = []  # (offset among the persistent bytes, bytes, byte to reset them to)
        self.persistent_bytes = 0

    def start_model_allocation(self, model):
        self.model = model
        self.step_list = 0  # which list of steps records go to: a sub-graph's, or copies
        self.step_lists = len(model.subgraphs)

    def record(self, node, kernel, words, operands, slice_units, table):
        self.records.append(
            RomRecord(self.step_list, node, kernel, words, operands, slice_units, bytes(table))
        )

    def constant(self, data, alignment):
        data = bytes(data)
        # 16 for every constant: kernels may read words, whatever the section's start.
        if data not in self._known:
            self.constants.extend(bytes(align_up(len(self.constants)) - len(self.constants)))
            self._known[data] = len(self.constants)
            self._data[len(self.constants)] = data
            self.constants.extend(data)
        self.asked.append(self._known[data] << 2 | IN_ROM)
        return self.asked[-1]

    def data_of(self, word):
        """The constant that an operand word names; nothing where the word is within one."""
        return self._data.get(word >> 2, b"")

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
        """Bytes of the constant that an operand word names; 0 where it is within one."""
        return len(self.data_of(word))

    def join_constants(self, words):
        """Have constants one behind the other: (operand word of the first, bytes of each)."""
        parts = [self.data_of(word) for word in words]
        return self.constant(b"".join(parts), 16), len(parts[0])

    # Put large constants behind the small ones, which then do not put each other out of the cache
    # of an RP2040: lines 8 KB apart share a place there, and kernels read large ones past it.
    def _sort_constants(self):
        begins = sorted(self._known.values())
        used = set()
        for record in self.records:
            for k in range(1, record.operands + 1):
                if record.words[k] & 3 == IN_ROM and record.words[k] != NO_OPERAND:
                    used.add(begins[bisect_right(begins, record.words[k] >> 2) - 1])
        self._known = {data: at for data, at in self._known.items() if at in used}
        known = sorted(self._known.items(), key=lambda item: (len(item[0]) > _LARGE, item[1]))
        moved, constants = {}, self.constants[:16]
        for data, begin in known:
            constants.extend(bytes(align_up(len(constants)) - len(constants)))
            moved[begin] = self._known[data] = len(constants)
            constants.extend(data)
        self.constants = constants
        for record in self.records:
            for k in range(1, record.operands + 1):
                word = record.words[k]
                if word & 3 == IN_ROM and word != NO_OPERAND:
                    begin = begins[bisect_right(begins, word >> 2) - 1]
                    record.words[k] += moved[begin] - begin << 2

    # True for a copy from a tensor to itself, as views of one tensor make of some.
    def _is_idle(self, record):
        if record.kernel != "copy.eval_bytes" or record.words[1] & 3 or record.words[2] & 3:
            return False
        numbers = (word >> 2 for word in record.words[1:3])
        first, second = ((self.model.views or {}).get(number, (number, 0)) for number in numbers)
        return first == second

    def finish_model_allocation(self, keep_tensors=False, guards=False):
        self.records = [record for record in self.records if not self._is_idle(record)]
        requests = [(size, node.index) for size, node in self.scratch_requests]
        self.tensors, self.scratch_buffers, variables = buffers_of(self.model, requests)
        self.views = merge_views(self.model, self.tensors)
        if getattr(self.model, "overlap", False) and not keep_tensors:
            self.head_bytes = place_over(self, self.scratch_requests)
        else:
            plan = plan_linear if keep_tensors else plan_greedy
            buffers = [self.tensors[i] for i in sorted(self.tensors)] + self.scratch_buffers
            self.head_bytes = align_up(plan(buffers))
        place_views(self.model, self.tensors, self.views)
        self.variables = {index: self.persistent(variables[index]) for index in sorted(variables)}
        self.arena_bytes = self.head_bytes + self.persistent_bytes
        if getattr(self.model, "is_draft", False):  # it goes to no file
            return
        for loop, _ in self.loops:
            loop.join_constants(self)
        self._sort_constants()
        roll_loops(self)

    def tensor_word(self, index):
        """The operand word of a tensor in the arena, as records hold it."""
        root, offset = (self.model.views or {}).get(index, (index, 0))
        if root in self.variables:
            return (self.head_bytes + self.variables[root] + offset) << 2 | 2
        if index not in self.tensors:
            raise ModelError(f"tensor {index} has no place in the arena; the model is damaged")
        return self.tensors[index].offset << 2

    def operand_word(self, word, constants_at):
        """What a word of a record becomes once the plan and the image are known."""
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
