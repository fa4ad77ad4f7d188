# tflm: MicroContext: what Prepare and custom operators may request, and in which phase.
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

# The most multiply-accumulates of one slice: some 20 ms on a slow board, so that Ctrl-C and USB
# work between slices.
_SLICE_WORK = 1 << 18

# The two low bits of an operand word say what the rest counts from. Before memory planning
# PLANNED_TENSOR and PLANNED_SCRATCH name a buffer. After it a kernel looks at bit 0 only.
PLANNED_TENSOR = 0
IN_ROM = 1
PLANNED_SCRATCH = 2
IN_TAIL = 3
NO_OPERAND = 1  # offset 0 of the ROM is its header, never data

CUSTOM = 32  # the schema's code of custom operators


# An operand of a record: its word and its bytes.
class Operand:
    def __init__(self, word, size):
        self.word = word
        self.size = size
        self.memory = None  # a memoryview, after a custom operator has requested it


# Its storage (storage.pyi) is the arena of a board (allocator.py), the image that the
# host tools build, or the plan of a flat model's custom operators (flat_custom.py). The same
# Prepare works with all three.
class MicroContext:
    """What Prepare and custom operators may request: records, constants and buffers.

    Each request is allowed in some phases: init, prepare, memory planning, invoke. A request in
    another phase raises StateError.
    """

    # Whether constant() needs no RAM, so that Prepare may store weights in another order.
    may_reorder_weights = False

    def __init__(self, storage, external_context=None, target_packing=None, packing=None):
        self.storage = storage
        # How Prepare may pack weights for kernels of the target: "lanes", "dsp", "mac16" or "pie",
        # as in the names of kernel files; None: not at all.
        self.target_packing = target_packing
        self.packing = packing or {}  # node number: the layout of its weights (lanes.py)
        self.lane_bytes = {}  # node number: input bytes that a kernel unpacks at once (lanes.py)
        self.external_context = external_context  # any object of the application
        self.phase = INIT
        self.node = None  # the node in init or prepare
        self._custom_scratch = []
        self._resources = None

    # Enter a phase: the current one, or the one after it.
    def enter(self, phase):
        if not self.phase <= phase <= self.phase + 1:
            raise StateError(
                "cannot go from %s to %s; use the order of TFLM"
                % (_PHASES[self.phase], _PHASES[phase])
            )
        self.phase = phase

    def _allowed(self, what, *phases):
        if self.phase not in phases:
            raise StateError(
                "%s is allowed in %s, not in %s; call it there"
                % (what, " and ".join([_PHASES[p] for p in phases]), _PHASES[self.phase])
            )

    # Raise InputError for a size that no buffer can have.
    def _check_size(self, what, size):
        if not isinstance(size, int) or not 0 <= size <= MAX_BYTES:
            raise InputError(
                "%s: %s(%s) failed; pass a size of 0 to %d bytes"
                % (self.node, what, size, MAX_BYTES)
            )

    # Return function(context, node, fields, table, *layout), the packed weights of a layer. The
    # host keeps them for other plans of the model.
    def packed(self, function, *arguments):
        return function(self, *arguments)

    # Return the memory of an operand. The view is made once, so that invoke() allocates nothing.
    def _memory_of(self, operand):
        if operand.memory is None:
            operand.memory = self.storage.memory_of(operand)
        return operand.memory

    def request_scratch_buffer(self, size):
        """Return an operand for `size` bytes that the operator may use while it runs.

        Allowed in prepare. Other operators use the same memory at other times.
        """
        self._allowed("request_scratch_buffer", PREPARE)
        self._check_size("request_scratch_buffer", size)
        operand = Operand(self.storage.scratch(size, self.node) << 2 | PLANNED_SCRATCH, size)
        if self.node.builtin_code == CUSTOM:
            self._custom_scratch.append(operand)
        return operand

    def get_scratch_buffer(self, operand):
        """Return the memoryview of a scratch buffer; allowed in invoke."""
        if self.phase != INVOKE:  # checked first: _allowed() allocates heap, invoke() must not
            self._allowed("get_scratch_buffer", INVOKE)
        return self._memory_of(operand)

    def allocate_persistent_buffer(self, size):
        """Return an operand for `size` bytes that keep their values between invokes.

        Allowed in init and prepare. The bytes are 0 at first.
        """
        self._allowed("allocate_persistent_buffer", INIT, PREPARE)
        self._check_size("allocate_persistent_buffer", size)
        return Operand(self._addressable(self.storage.persistent(size)) << 2 | IN_TAIL, size)

    def allocate_state(self, size, value=0):
        """Return an operand for persistent bytes that Interpreter.reset() sets to `value`."""
        operand = self.allocate_persistent_buffer(size)
        self.storage.states.append((operand.word >> 2, size, value))
        return operand

    # Return a sub-graph of the model, for control flow.
    def subgraph(self, number):
        return self.storage.model.subgraphs[number]

    # Start a new list of steps, which emit() fills until end_list(); return its number.
    def begin_list(self):
        self._own_list = self.storage.step_list
        self.storage.step_list = self.storage.step_lists
        self.storage.step_lists += 1
        return self.storage.step_list

    def end_list(self):
        self.storage.step_list = self._own_list

    # Return the ResourceVariables of the model.
    def resources(self):
        if self._resources is None:
            from .resources import ResourceVariables

            self._resources = ResourceVariables(self.storage.model)
        return self._resources

    def get_persistent_buffer(self, operand):
        """Return the memoryview of a persistent buffer; not allowed in memory planning."""
        if self.phase == MEMORY_PLANNING:
            self._allowed("get_persistent_buffer", INIT, PREPARE, INVOKE)
        return self._memory_of(operand)

    def allocate_temp_buffer(self, size):
        """Return a memoryview of `size` bytes that is valid until prepare returns."""
        self._allowed("allocate_temp_buffer", PREPARE)
        self._check_size("allocate_temp_buffer", size)
        offset = self.storage.sections.allocate_temp(size)
        return self.storage.memory_of(Operand(offset << 2 | IN_TAIL, size))

    # Make the views of the custom operators' scratch buffers, after memory planning.
    def bind_scratch_buffers(self):
        for operand in self._custom_scratch:
            self._memory_of(operand)

    # Return an offset; raise ModelError if it does not fit an operand word.
    def _addressable(self, offset):
        if offset > MAX_BYTES:
            raise ModelError(
                "%s: more than %d bytes are not addressable; use a smaller model"
                % (self.node, MAX_BYTES)
            )
        return offset

    # Return an operand for bytes that kernels only read (packed weights, tables).
    def constant(self, data, alignment=4):
        self._allowed("constant", PREPARE)
        return Operand(self.storage.constant(data, alignment), len(data))

    # Return the operand word of a tensor, an operand, or None. An empty tensor has no memory, and
    # no kernel uses it.
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

    # Write one record: a kernel call on the tensors of this node.
    #
    # kernel: "file.function" below kernels/. layout: the names of the words after word 0 (units):
    # operands first, then numbers; `fields` has a value for each name. table: bytes after the
    # words, padded to whole words. work: multiply-accumulates of all units. at_once: the units of
    # a slice are a multiple of this.
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
                    "%s: operand %s follows numbers; put operands first" % (kernel, name)
                )
            words.append(self._word(value))
            operands += 1
        if fields:
            raise ModelError("%s: the layout lacks %s; add it" % (kernel, ", ".join(fields)))
        if units <= 0:
            return  # an empty tensor
        if len(table) & 3:  # keep the next record aligned
            table = bytes(table) + bytes((0 - len(table)) & 3)
        slice_units = units * _SLICE_WORK // work if work else units
        slice_units = min(units, max(at_once, slice_units - slice_units % at_once))
        self.storage.record(self.node, kernel, words, operands, slice_units, table)
