# tflm: MicroContext: what Prepare and custom operators may ask for, and in which phase
# MIT license; Copyright (c) 2026 the tflm authors

from ..arena import MAX_BYTES
from ..errors import InputError, ModelError, StateError
from .graph import Tensor

# The phases, in order.
INIT = 0
PREPARE = 1
MEMORY_PLANNING = 2
INVOKE = 3
_PHASES = ("init", "prepare", "memory planning", "invoke")

# How many multiply-accumulates one slice of an op may have: some 20 ms on a slow board,
# so that Ctrl-C and USB stay alive in between.
_SLICE_WORK = 1 << 18

# The two low bits of an operand word say what the rest counts from. Before the plan is made
# (PLANNED_TENSOR, PLANNED_SCRATCH) they name a buffer, after it bit 0 alone matters to a kernel.
PLANNED_TENSOR = 0
IN_ROM = 1
PLANNED_SCRATCH = 2
IN_TAIL = 3
NO_OPERAND = 1  # offset 0 of the ROM holds its header, never data

CUSTOM = 32  # the schema's code of custom operators


# Where an operand lies: a word of a record, and its bytes.
class Operand:
    def __init__(self, word, size):
        self.word = word
        self.size = size
        self.memory = None  # a memoryview, once a custom operator has looked at it


# What a kernel's Prepare talks to. The storage (storage.pyi) is the arena of a board
# (allocator.py), the image that the host tools build, or what a flat model's custom operators were
# planned (flat_custom.py); the same Prepare serves all.
class MicroContext:
    """Phases and services for kernels: records, constants, scratch and persistent buffers.

    A call in the wrong phase raises StateError.
    """

    def __init__(self, storage, external_context=None, form=None, packing=None):
        self.storage = storage
        self.form = form  # of packed weights that Prepare may choose: that of kernels/*_FORM.py
        self.packing = packing or {}  # node number: how its weights are stored (lanes.py)
        self.lane_bytes = {}  # node number: of inputs that a kernel unpacks at a time (lanes.py)
        self.external_context = external_context  # any object of the application's
        self.phase = INIT
        self.node = None  # the node that is being prepared
        self._custom_scratch = []
        self._resources = None

    # Go on to the next phase; there is no way back, and none is left out.
    def enter(self, phase):
        if not self.phase <= phase <= self.phase + 1:
            raise StateError("cannot go from %s to %s" % (_PHASES[self.phase], _PHASES[phase]))
        self.phase = phase

    def _allowed(self, what, *phases):
        if self.phase not in phases:
            raise StateError(
                "%s is allowed in %s, not in %s"
                % (what, " and ".join([_PHASES[p] for p in phases]), _PHASES[self.phase])
            )

    # Refuse a size that no buffer can have.
    def _check_size(self, what, size):
        if not isinstance(size, int) or not 0 <= size <= MAX_BYTES:
            raise InputError(
                "%s: %s was called with %s; the size is a number of bytes, at most %d"
                % (self.node, what, size, MAX_BYTES)
            )

    # The memory of an operand; the view is made once, so that invoke() needs no heap for it.
    def _memory_of(self, operand):
        if operand.memory is None:
            operand.memory = self.storage.memory_of(operand)
        return operand.memory

    # A buffer for the op that is being prepared; it overlays others when the op is done.
    def request_scratch_buffer(self, size):
        self._allowed("request_scratch_buffer", PREPARE)
        self._check_size("request_scratch_buffer", size)
        operand = Operand(self.storage.scratch(size, self.node) << 2 | PLANNED_SCRATCH, size)
        if self.node.builtin_code == CUSTOM:
            self._custom_scratch.append(operand)
        return operand

    # The memory of a scratch buffer, for custom operators while they run.
    def get_scratch_buffer(self, operand):
        if self.phase != INVOKE:  # asked first: _allowed() takes heap, which invoke() may not
            self._allowed("get_scratch_buffer", INVOKE)
        return self._memory_of(operand)

    # A buffer that keeps its bytes from one invoke to the next; zeros at first.
    def allocate_persistent_buffer(self, size):
        self._allowed("allocate_persistent_buffer", INIT, PREPARE)
        self._check_size("allocate_persistent_buffer", size)
        return Operand(self._addressable(self.storage.persistent(size)) << 2 | IN_TAIL, size)

    # A persistent buffer whose bytes are `value` at first, and again after Interpreter.reset().
    def allocate_state(self, size, value=0):
        operand = self.allocate_persistent_buffer(size)
        self.storage.states.append((operand.word >> 2, size, value))
        return operand

    # A sub-graph of the model, for control flow.
    def subgraph(self, number):
        return self.storage.model.subgraphs[number]

    # What emit() writes up to end_list() goes to a list of steps of its own: its number.
    def begin_list(self):
        self._own_list = self.storage.step_list
        self.storage.step_list = self.storage.step_lists
        self.storage.step_lists += 1
        return self.storage.step_list

    def end_list(self):
        self.storage.step_list = self._own_list

    # The resource variables of the model.
    def resources(self):
        if self._resources is None:
            from .resources import ResourceVariables

            self._resources = ResourceVariables(self.storage.model)
        return self._resources

    # The memory of a persistent buffer, for custom operators.
    def get_persistent_buffer(self, operand):
        if self.phase == MEMORY_PLANNING:
            self._allowed("get_persistent_buffer", INIT, PREPARE, INVOKE)
        return self._memory_of(operand)

    # Memory for the custom operator that is being prepared, gone when its prepare returns.
    def allocate_temp_buffer(self, size):
        self._allowed("allocate_temp_buffer", PREPARE)
        self._check_size("allocate_temp_buffer", size)
        offset = self.storage.sections.allocate_temp(size)
        return self.storage.memory_of(Operand(offset << 2 | IN_TAIL, size))

    # Look up the scratch buffers of custom operators, once all is planned.
    def bind_scratch_buffers(self):
        for operand in self._custom_scratch:
            self._memory_of(operand)

    # An offset that fits an operand word.
    def _addressable(self, offset):
        if offset > MAX_BYTES:
            raise ModelError(
                "%s: more than %d bytes cannot be addressed; use a smaller model"
                % (self.node, MAX_BYTES)
            )
        return offset

    # Bytes that the kernel reads and nobody changes (weights in another order, tables).
    def constant(self, data, alignment=4):
        self._allowed("constant", PREPARE)
        return Operand(self.storage.constant(data, alignment), len(data))

    # The operand word of a tensor, a constant, a scratch buffer, or None. An empty tensor has
    # no place anywhere, and no kernel touches it.
    def _word(self, value):
        if value is None:
            return NO_OPERAND
        if not isinstance(value, Tensor):
            return value.word
        if value.nbytes() == 0:
            return NO_OPERAND
        if value.is_constant():
            return self.storage.constant_tensor(value)
        return value.index << 2 | PLANNED_TENSOR

    # Write one record: the call of a kernel on this node's tensors.
    #
    # `kernel` is "file.function" below kernels/. `layout` names the words of the record behind
    # word 0 (units): operands first, then numbers; every name must be given. `table` follows
    # the words, padded to whole ones. `work` is the number of multiply-accumulates (or the like)
    # of all units; a slice has a multiple of `at_once` of them.
    def emit(self, kernel, layout, units, work=0, table=b"", at_once=1, **fields):
        self._allowed("emit", PREPARE)
        words = [units]
        operands = 0
        for name in layout:
            value = fields.pop(name)
            if isinstance(value, int):
                words.append(value & 0xFFFFFFFF)
                continue
            if len(words) != operands + 1:
                raise ModelError(
                    "%s: operand %s stands behind numbers in the layout" % (kernel, name)
                )
            words.append(self._word(value))
            operands += 1
        if fields:
            raise ModelError("%s: the layout lacks %s" % (kernel, ", ".join(fields)))
        if units <= 0:
            return  # an empty tensor: nothing to do
        if len(table) & 3:  # the next record must be aligned too
            table = bytes(table) + bytes((0 - len(table)) & 3)
        slice_units = min(units, units * _SLICE_WORK // work if work else units)
        slice_units = max(at_once, slice_units - slice_units % at_once)
        self.storage.record(self.node, kernel, words, operands, slice_units, table)
