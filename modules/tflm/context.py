# tflm: MicroContext: what Prepare and custom operators may ask for, and in which phase
# MIT license; Copyright (c) 2026 the tflm authors

from .errors import ModelError, StateError
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


# Where an operand lies: a word of a record, and its bytes.
class Operand:
    def __init__(self, word, size):
        self.word = word
        self.size = size


# What a kernel's Prepare talks to. The storage is the arena of a board (allocator.py) or the
# image that the host tools build; the same Prepare serves both.
class MicroContext:
    """Phases and services for kernels: records, constants, scratch and persistent buffers.

    A call in the wrong phase raises StateError.
    """

    def __init__(self, storage, external_context=None):
        self.storage = storage
        self.external_context = external_context  # any object of the application's
        self.phase = INIT
        self.node = None  # the node that is being prepared

    # Go on to the next phase; there is no way back.
    def enter(self, phase):
        if phase < self.phase:
            raise StateError("cannot go from %s to %s" % (_PHASES[self.phase], _PHASES[phase]))
        self.phase = phase

    def _allowed(self, what, *phases):
        if self.phase not in phases:
            raise StateError(
                "%s is allowed in %s, not in %s"
                % (what, " and ".join([_PHASES[p] for p in phases]), _PHASES[self.phase])
            )

    # A buffer for the op that is being prepared; it overlays others when the op is done.
    def request_scratch_buffer(self, size):
        self._allowed("request_scratch_buffer", PREPARE)
        return Operand(self.storage.scratch(size, self.node) << 2 | PLANNED_SCRATCH, size)

    # The memory of a scratch buffer, for custom operators while they run.
    def get_scratch_buffer(self, operand):
        self._allowed("get_scratch_buffer", INVOKE)
        return self.storage.memory_of(operand)

    # A buffer that keeps its bytes from one invoke to the next.
    def allocate_persistent_buffer(self, size):
        self._allowed("allocate_persistent_buffer", INIT, PREPARE)
        return Operand(self.storage.persistent(size) << 2 | IN_TAIL, size)

    # The memory of a persistent buffer, for custom operators.
    def get_persistent_buffer(self, operand):
        self._allowed("get_persistent_buffer", INIT, PREPARE, INVOKE)
        return self.storage.memory_of(operand)

    # Bytes that the kernel reads and nobody changes (weights in another order, tables).
    def constant(self, data, alignment=4):
        self._allowed("constant", PREPARE)
        return Operand(self.storage.constant(data, alignment), len(data))

    # The operand word of a tensor, a constant, a scratch buffer, or None.
    def _word(self, value):
        if value is None:
            return NO_OPERAND
        if not isinstance(value, Tensor):
            return value.word
        if value.is_constant():
            return self.storage.constant_tensor(value)
        return value.index << 2 | PLANNED_TENSOR

    # Write one record: the call of a kernel on this node's tensors.
    #
    # `kernel` is "file.function" below kernels/. `layout` names the words of the record behind
    # word 0 (units): operands first, then numbers; every name must be given. `table` follows
    # the words. `work` is the number of multiply-accumulates (or the like) of all units.
    def emit(self, kernel, layout, units, work=0, table=b"", **fields):
        self._allowed("emit", PREPARE)
        words = [units]
        operands = 0
        for name in layout:
            value = fields.pop(name)
            if isinstance(value, int):
                words.append(value & 0xFFFFFFFF)
                continue
            if len(words) != operands + 1:
                raise ModelError("%s: operand %s stands behind numbers in the layout" % (kernel, name))
            words.append(self._word(value))
            operands += 1
        if fields:
            raise ModelError("%s: the layout lacks %s" % (kernel, ", ".join(fields)))
        if units <= 0:
            return  # an empty tensor: nothing to do
        slice_units = max(1, min(units, units * _SLICE_WORK // work if work else units))
        self.storage.record(self.node, kernel, words, operands, slice_units, table)
