# tflm: delegates: objects that run steps of a prepared model in place of the builtin kernels
# MIT license; Copyright (c) 2026 the tflm authors

from ..arena import align_up
from ..errors import ArenaError, ModelError
from ..format import CONTROL_KERNEL
from ..introspection.op import Op

_DELEGATE = 51  # the schema's code of a delegate, for sets of several operators


# One step of the prepared graph, as a delegate is shown it.
class Step:
    """A kernel call: `kernel` (its name), `node_index`, `builtin_code`, `record`, `units`.

    operands: how many words of the record behind word 0 name memory. scratch: (operand number,
    bytes) of those that are scratch buffers of this step alone. function: what is called.
    slice_units: how many units are run between two looks at Ctrl-C. is_ordered: True where units
    must run in ascending order.
    """

    def __init__(self, op, step):
        self.function, self.record, self.units, self.slice_units = step
        self.kernel = op.kernel
        self.node_index = op.node_index
        self.builtin_code = op.builtin_code
        self.operands = op.operands
        self.scratch = op.scratch
        self.record_bytes = op.record_bytes
        self.is_ordered = op.is_ordered


# What a delegate may ask for while it prepares.
class DelegateContext:
    """The prepared graph: lists of steps; list 0 is the model, others belong to IF and WHILE.

    arena, rom: what operand words of records count from (bit 0 of a word: 1 for rom).
    """

    def __init__(self, program, memory):
        self._program = program
        self._memory = memory
        self.arena = program.arena
        self.rom = program.rom
        self.claims = []  # (list, first, count, kernel)
        self._steps = {}

    def lists_length(self):
        """How many lists of steps there are."""
        return len(self._program.graphs)

    def steps(self, number=0):
        """The steps of list `number`, as a list of Step."""
        if number not in self._steps:
            program = self._program
            ops = program.ops[program.first_op(number) :]
            self._steps[number] = [Step(op, s) for op, s in zip(ops, program.graphs[number])]
        return self._steps[number]

    def partitions(self, wanted, number=0):
        """Runs of steps for which `wanted(step)` is true, as a list of (first, count)."""
        found = []
        for i, step in enumerate(self.steps(number) if number not in self._program.bands else ()):
            if step.kernel.startswith(CONTROL_KERNEL) or not wanted(step):
                continue
            if found and sum(found[-1]) == i:
                found[-1] = (found[-1][0], found[-1][1] + 1)
            else:
                found.append((i, 1))
        return found

    def replace(self, kernel, first, count=1, number=0):
        """Let `kernel` run steps first..first+count-1 of list `number`.

        It takes their place when the delegate's prepare() has returned and kernel.init() and
        kernel.prepare() have, too. Raises ModelError for steps that cannot be claimed.
        """
        steps = self.steps(number)
        if number in self._program.bands:
            raise ModelError(
                "a delegate claims steps of list %d, which runs in bands of rows; flatten the "
                "model with --optimize speed" % number
            )
        if count < 1 or not 0 <= first <= len(steps) - count:
            raise ModelError(
                "a delegate claims steps %d to %d of list %d, which has %d; claim what "
                "steps() shows" % (first, first + count - 1, number, len(steps))
            )
        for step in steps[first : first + count]:
            if step.kernel.startswith(CONTROL_KERNEL):
                raise ModelError(
                    "a delegate claims %s; claim the steps of the lists that it runs" % step.kernel
                )
        for other, start, length, _ in self.claims:
            if other == number and first < start + length and start < first + count:
                raise ModelError(
                    "a delegate claims step %d of list %d twice; claim each step once"
                    % (max(first, start), number)
                )
        self.claims.append((number, first, count, kernel))

    def allocate_persistent_buffer(self, size):
        """The arena offset of `size` bytes that stay; raises ArenaError where there are none."""
        return self._memory.allocate(size)


# The part of an arena that delegates get: what lies behind the model's sections, then the tail.
class DelegateMemory:
    def __init__(self, arena, shared):
        self._arena = arena
        self._at = len(arena.buffer) if shared else align_up(arena.sections.buffer_tail)
        self._start = self._at

    def allocate(self, size):
        at = self._at
        if at + size <= len(self._arena.buffer):
            self._at = align_up(at + size)
            return at
        return self._arena.sections.allocate_persistent_buffer(size)

    # Bytes of the arena in use.
    def used_bytes(self):
        return self._arena.used_bytes() + self._at - self._start

    # What restore() needs to undo later allocations.
    def positions(self):
        return self._at, self._arena.sections.positions()

    def restore(self, positions):
        self._at, sections = positions
        self._arena.sections.restore(sections)


# Put a kernel of a delegate in the place of the steps that it has claimed. Control flow knows its
# lists by number, so lists stay where they are.
def _put(program, number, first, count, kernel, name):
    steps = program.graphs[number]
    at = program.first_op(number) + first
    old = program.ops[at]
    units = getattr(kernel, "units", 1)
    record = getattr(kernel, "record", steps[first][1])
    step = (kernel.invoke, record, units, getattr(kernel, "slice_units", units))
    op = Op(old.node_index, old.builtin_code if count == 1 else _DELEGATE, name)
    op.is_ordered = True  # another delegate knows nothing of its units
    steps[first : first + count] = [step]
    program.ops[at : at + count] = [op]
    program.custom = list(program.custom) + [_Node(kernel)]


# What Program.reset() and Interpreter.free() see of a kernel of a delegate.
class _Node:
    def __init__(self, kernel):
        self.reset = getattr(kernel, "reset", _nothing)
        self.free = getattr(kernel, "free", _nothing)


def _nothing():
    pass


# Let one delegate claim steps; all of it or nothing.
def _apply(program, delegate, memory):
    context = DelegateContext(program, memory)
    positions = memory.positions()
    name = getattr(delegate, "name", type(delegate).__name__)
    ready = []
    try:
        delegate.prepare(context)
        for number, first, count, kernel in context.claims:
            ready.append(kernel)  # its free() is called even when init() fails half-way
            if hasattr(kernel, "init"):
                kernel.init(context, context.steps(number)[first : first + count])
            if hasattr(kernel, "prepare"):
                kernel.prepare(context)
    except BaseException:
        for kernel in ready:
            _Node(kernel).free()
        memory.restore(positions)
        raise
    # From the last to the first: what is claimed lies where it did.
    for number, first, count, kernel in sorted(
        context.claims, key=lambda claim: (claim[0], claim[1]), reverse=True
    ):
        kernel_name = getattr(kernel, "name", None) or "delegate." + name
        _put(program, number, first, count, kernel, kernel_name)


# Let each delegate in turn claim steps of a program. Where one fails the model runs without it:
# that is printed, and the last error is returned.
def apply_delegates(program, delegates, arena, shared):
    memory = DelegateMemory(arena, shared)
    error = None
    for delegate in delegates:
        try:
            _apply(program, delegate, memory)
            continue
        except Exception as failure:
            error = failure
        name = getattr(delegate, "name", type(delegate).__name__)
        print("tflm: the model runs without the delegate %s: %s" % (name, _reason(error)))
    program.used_bytes = memory.used_bytes()
    return error


# An error as half a sentence.
def _reason(error):
    if isinstance(error, MemoryError):
        return "the heap has no room for it"
    if isinstance(error, ArenaError):
        return "the arena lacks %d bytes" % (error.needed - error.available)
    return "%s: %s" % (type(error).__name__, error) if str(error) else type(error).__name__


# Bytes of arena that delegates will want, beyond the model's own, for steps of such Ops.
def arena_bytes(delegates, ops):
    total = 0
    for delegate in delegates:
        if hasattr(delegate, "arena_bytes"):
            total += align_up(delegate.arena_bytes(ops))
    return total
