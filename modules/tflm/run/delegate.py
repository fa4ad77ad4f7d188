# tflm: Delegates: let other objects run steps of a prepared model.
# MIT license; Copyright (c) 2026 the tflm authors

from ..arena import align_up
from ..errors import ArenaError, ModelError
from ..format import CONTROL_KERNEL
from ..introspection.op import Op
from ..micropython_port import collect

_DELEGATE = 51  # the builtin code of a kernel that replaces several operators


class Step:
    """A kernel call, as a delegate sees it.

    kernel: its name. node_index, builtin_code: the operator. record: its words. units: how many
    units it has. operands: how many words of the record, from word 1 on, name memory. scratch:
    (operand number, bytes) of scratch buffers that only this step uses. function: what the step
    calls. slice_units: units between two checks for Ctrl-C. is_ordered: units must run in
    ascending order.
    """

    def __init__(self, op, step):
        self._op = op
        self.function, self.record, self.units, self.slice_units = step

    def __getattr__(self, name):  # a copy of the Op's attributes would cost 100 bytes of heap
        return getattr(self._op, name)


class DelegateContext:
    """The prepared graph, which a delegate's prepare() gets.

    A graph has lists of steps: list 0 is the model, others belong to IF and WHILE. arena, rom:
    the memory that operand words count from (bit 0 of the word is set for rom).
    """

    def __init__(self, program, memory):
        self._program = program
        self._memory = memory
        self.arena = program.arena
        self.rom = program.rom
        self.claims = []  # (list, first, count, kernel)
        self._steps = {}

    def lists_length(self):
        """Return the number of lists of steps."""
        return len(self._program.graphs)

    def steps(self, number=0):
        """Return the steps of list `number`, a list of Step."""
        if number not in self._steps:
            program = self._program
            ops = program.ops[program.first_op(number) :]
            self._steps[number] = [Step(op, s) for op, s in zip(ops, program.graphs[number])]
        return self._steps[number]

    def partitions(self, wanted, number=0):
        """Return the runs of steps with `wanted(step)` true, as a list of (first, count)."""
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

        This takes effect after the delegate's prepare() and after kernel.init() and
        kernel.prepare(). Raises ModelError for steps that cannot be claimed.
        """
        steps = self.steps(number)
        if number in self._program.bands:
            raise ModelError(
                "a delegate claims list %d, which runs in bands; flatten with --optimize speed"
                % number
            )
        if count < 1 or not 0 <= first <= len(steps) - count:
            raise ModelError(
                "a delegate claims steps %d to %d of list %d, which has %d; claim steps "
                "of steps()" % (first, first + count - 1, number, len(steps))
            )
        for step in steps[first : first + count]:
            if step.kernel.startswith(CONTROL_KERNEL):
                raise ModelError(
                    "a delegate claims %s; claim the steps of its lists" % step.kernel
                )
        for other, start, length, _ in self.claims:
            if other == number and first < start + length and start < first + count:
                raise ModelError(
                    "a delegate claims step %d of list %d twice; claim it once"
                    % (max(first, start), number)
                )
        self.claims.append((number, first, count, kernel))

    def allocate_persistent_buffer(self, size):
        """Return the arena offset of `size` bytes; raises ArenaError if there are too few."""
        return self._memory.allocate(size)


# The memory that delegates get: the bytes of the arena after the model's sections, then its tail.
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

    # Return the bytes of the arena in use.
    def used_bytes(self):
        return self._arena.used_bytes() + self._at - self._start

    # Return what restore() needs to undo later allocations.
    def positions(self):
        return self._at, self._arena.sections.positions()

    def restore(self, positions):
        self._at, sections = positions
        self._arena.sections.restore(sections)


# Replace the steps that a delegate has claimed by one step with its kernel. Lists keep their
# numbers, by which control flow finds them.
def _put(program, number, first, count, kernel, name):
    steps = program.graphs[number]
    at = program.first_op(number) + first
    old = program.ops[at]
    units = getattr(kernel, "units", 1)
    record = getattr(kernel, "record", steps[first][1])
    step = (kernel.invoke, record, units, getattr(kernel, "slice_units", units))
    op = Op(old.node_index, old.builtin_code if count == 1 else _DELEGATE, name)
    op.is_ordered = True  # other delegates do not know whether its units are independent
    steps[first : first + count] = [step]
    program.ops[at : at + count] = [op]


# What Program.reset() and Interpreter.free() call of a delegate's kernel.
class _Node:
    def __init__(self, kernel):
        self.reset = getattr(kernel, "reset", _nothing)
        self.free = getattr(kernel, "free", _nothing)


def _nothing():
    pass


# Let a delegate replace its steps: all of them, or none if it fails.
def _apply(program, delegate, memory):
    context = DelegateContext(program, memory)
    positions = memory.positions()
    name = getattr(delegate, "name", type(delegate).__name__)
    ready = []
    try:
        delegate.prepare(context)
        for number, first, count, kernel in context.claims:
            ready.append(_Node(kernel))  # before init(): free() is called even if init() fails
            if hasattr(kernel, "init"):
                kernel.init(context, context.steps(number)[first : first + count])
            if hasattr(kernel, "prepare"):
                kernel.prepare(context)
    except BaseException:
        for node in ready:
            node.free()
        memory.restore(positions)
        raise
    program.custom = list(program.custom) + ready
    # From the last to the first, so that the positions of the others do not change.
    for number, first, count, kernel in sorted(
        context.claims, key=lambda claim: (claim[0], claim[1]), reverse=True
    ):
        kernel_name = getattr(kernel, "name", None) or "delegate." + name
        _put(program, number, first, count, kernel, kernel_name)


# Let each delegate replace its steps in turn. The model runs without a delegate that fails: that
# is printed, and the last exception is returned.
def apply_delegates(program, delegates, arena, shared):
    memory = DelegateMemory(arena, shared)
    error = None
    collect()
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


# Return an exception as the end of a sentence.
def _reason(error):
    if isinstance(error, MemoryError):
        return "not enough heap"
    if isinstance(error, ArenaError):
        return "the arena lacks %d bytes" % (error.needed - error.available)
    return "%s: %s" % (type(error).__name__, error) if str(error) else type(error).__name__


# Return the bytes of arena, beyond the model's, that delegates need for these Ops.
def arena_bytes(delegates, ops):
    total = 0
    for delegate in delegates:
        if hasattr(delegate, "arena_bytes"):
            total += align_up(delegate.arena_bytes(ops))
    return total
