# Kernel language: a function's operations, with structured conditions and loops
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import contextmanager

from .ir import Condition, Op, Reg
from .liveness import LABELS

_RARE = 16  # an operation of a rare block is assumed to run this many times less often


class Loop:
    """A loop of Kernel.loop(): its body ends with repeat() or repeat_if()."""

    def __init__(self, k, top, end):
        self._k, self.top, self.end = k, top, end

    def repeat(self):
        self._k.goto(self.top)

    def repeat_if(self, condition):
        self._k.branch(condition, self.top)

    def leave(self):
        self._k.goto(self.end)

    def leave_if(self, condition):
        self._k.branch(condition, self.end)


class Kernel:
    """The operations of one function for a machine.

    name: of the generated function. about: the comment above it. arguments: names of registers
    with its arguments, in `self.arguments`. Python loops that call methods unroll, and Python
    functions are macros.
    """

    def __init__(self, name, about, arguments, machine):
        self.name, self.about, self.machine = name, about, machine
        self.code, self.regs = [], []
        self.frame_bytes = 0  # of memory that reserve() has given
        self.output = None  # word of the record with the operand of calls.begin_outputs()
        self._weight, self._labels, self._rare = 1.0, 0, []
        self._ended_if = None  # the label at the end of the last If
        self.arguments = [self.reg(argument) for argument in arguments]
        self.emit("args", self.arguments)

    def emit(self, name, dst=(), src=(), to=(), info=None):
        """Add an operation; see the table in tools/asm/README.md."""
        self.code.append(Op(name, dst, src, to, info, self._weight))

    def note(self, text, *registers):
        """Write a comment to the generated file, with the places of registers."""
        self.emit("note", info=(text, registers))

    # Registers.

    def reg(self, name=None, fixed=None):
        self.regs.append(Reg(self, len(self.regs), name, fixed))
        return self.regs[-1]

    def var(self, name, value):
        """Return a new register with a name and a value."""
        return self.reg(name).set(value)

    def vars(self, names, value=None):
        """Return new registers of these names, all with a value or without one."""
        new = [self.reg(name) for name in names.split()]
        for reg in new if value is not None else ():
            reg.set(value)
        return new[0] if len(new) == 1 else new

    def const(self, value):
        return self.reg().set(value)

    def words(self, base, offset, *names):
        """Load words at an address into new registers."""
        return [self.reg(name).set(base[offset + 4 * i]) for i, name in enumerate(names)]

    def reserve(self, size):
        """Return a function of an offset: a new register with this address in `size` bytes of
        the function's frame, a multiple of 4.
        """
        first = self.frame_bytes
        self.frame_bytes += size

        def address(offset=0):
            to = self.reg()
            self.emit("frame", [to], info=first + offset)
            return to

        return address

    def tile(self, write, outs=(), ins=(), inouts=(), size=2, info=(), run=None, leave=None):
        """Add instructions of one machine: write(assembler, *outs, *inouts, *ins, *info).

        No register of `outs` is one of `ins`; only `outs` and `inouts` change. size: the
        bytes of the instructions. run: what they do, for the interpreter: a function of the values
        of inouts and ins and of info that returns the values of outs and inouts. xtensa_tile.py
        runs the instructions of tiles for Xtensa, which need none.
        leave: (condition code, label) of a branch on the flags that the last instruction sets,
        for Cortex-M; `run` also returns whether it is taken.
        """
        info = write, size, len(outs), info, run
        if leave:
            self.emit("tile", [*outs, *inouts], [*inouts, *ins], leave[1:], (*info, leave[0]))
        else:
            self.emit("tile", [*outs, *inouts], [*inouts, *ins], info=info)

    # Labels and jumps.

    def new_label(self, name="label"):
        """Return a unique label; `name` says what happens there."""
        self._labels += 1
        return f"{name}{self._labels}"  # the assemblers make labels with an underscore

    def label(self, label):
        self.emit("label", to=[label])

    def goto(self, label):
        self.emit("jump", to=[label])

    def branch(self, condition, label):
        """Jump to a label if a condition is true."""
        _check(condition)
        self.emit("br", src=[condition.one, condition.other], to=[label], info=condition.name)

    # Conditions.

    @contextmanager
    def If(self, condition, rare=False):
        """Run operations if a condition is true; rare ones are placed out of the way."""
        if rare:
            with self._rare_block(condition):
                yield
            return
        label = self.new_label("if")
        self.branch(_check(condition).opposite(), label)
        with self.weighted(1 / 2):
            yield
        self.label(label)
        self._ended_if = self.code[-1]

    @contextmanager
    def _rare_block(self, condition):
        label, end = self.new_label("rare"), self.new_label("end")
        self.branch(condition, label)
        common, self.code = self.code, []
        self.label(label)
        with self.weighted(1 / _RARE):
            yield
        self.goto(end)
        self._rare.append((len(common), self.code))
        self.code = common
        self.label(end)

    @contextmanager
    def Else(self):
        """Follows the end of an If that is not rare."""
        if self.code[-1] is not self._ended_if:
            raise ValueError("Else must follow an If that is not rare")
        label, end = self.code.pop(), self.new_label("end")
        self.goto(end)
        self.code.append(label)
        with self.weighted(1 / 2):
            yield
        self.label(end)

    @contextmanager
    def weighted(self, factor):
        """Estimate that operations run this many times as often as the ones around them."""
        self._weight *= factor
        yield
        self._weight /= factor

    # Loops.

    @contextmanager
    def loop(self, name="loop", times=8, around=False):
        """A loop, whose body ends with repeat_if() or repeat(). times: about how often it runs.

        around: place its rare blocks before and after it, where short branches reach them.
        """
        loop = Loop(self, self.new_label(name), self.new_label(name + "_end"))
        outer, begin = self._rare, len(self.code)
        if around:
            self._rare = []
        self.label(loop.top)
        with self.weighted(times):
            yield loop
        if around:
            rare, self._rare = self._rare, outer
            self._surround(loop, begin, rare)
        self.label(loop.end)

    # Place rare blocks of the first half of a loop before it, and the others after it.
    def _surround(self, loop, begin, rare):
        middle = (begin + len(self.code)) / 2
        before = [op for at, code in rare if at <= middle for op in code]
        after = [op for at, code in rare if at > middle for op in code]
        if after:
            self.goto(loop.end)
            self.code += after
        if before:
            jump = Op("jump", to=[loop.top], weight=self._weight)
            self.code[begin:begin] = [jump, *before]

    @contextmanager
    def While(self, condition, name="while", times=8):
        """A loop that is tested before and after its body. condition: a function that makes it."""
        if not callable(condition):
            raise TypeError("While takes a function that makes its condition: lambda: x != 0")
        with self.If(condition()), self.loop(name, 2 * times) as loop:
            yield loop
            loop.repeat_if(condition())

    @contextmanager
    def repeat(self, count, name="repeat", times=8):
        """Run operations `count` times, or never if it is 0; the register `count` may change.

        Nothing jumps into or out of the loop.
        """
        if not self.machine.has_hardware_loops:
            with self.If(count != 0), self.loop(name, times) as loop:
                yield
                count -= 1
                loop.repeat_if(count != 0)
            return
        top, end = self.new_label(name), self.new_label(f"{name}_end")
        self.emit("repeat", src=[count], to=[end])
        self.label(top)
        with self.weighted(times):
            yield
        self.emit("repeat_end", to=[top])
        self.label(end)

    def new_copies(self, count, name="copy"):
        """Return the labels of `count` copies of operations, for enter() and repeated()."""
        return [self.new_label(name) for _ in range(count)]

    def enter(self, copies, offset, size):
        """Jump into one of the copies that follow: offset is a register with its number * size.

        size: the bytes of the machine code of a copy.
        """
        self.emit("into", src=[offset], to=copies, info=size)

    @contextmanager
    def repeated(self, copies):
        """Write the operations inside as often as there are copies, with the same registers.

        Yields a function step(a, b) for offsets of loads and stores: a + b * number of the copy.
        """
        self.emit("copies", to=copies)
        yield Step
        self.emit("copies_end", to=copies[:1])

    def flush(self, jump=False):
        """Place the rare blocks so far here, where no operation falls into them.

        jump: jump over them.
        """
        if jump:
            past = self.new_label("past")
            self.goto(past)
        for _, code in self._rare:
            self.code += code
        self._rare = []
        if jump:
            self.label(past)

    def finish(self, result=None):
        """End the function, which returns 0 or the small integer in a register."""
        self.emit("ret", src=[] if result is None else [result])
        self.flush()
        labels = {label for op in self.code if op.name in LABELS for label in op.to}
        for op in self.code:
            for label in op.to:
                if label not in labels:
                    raise ValueError(f"{self.name} has no label {label}, to which {op} leads")
            for register in (*op.dst, *op.uses()):
                if register.k is not self:
                    raise ValueError(f"{op} uses {register}, a register of another kernel")
        return self


def _check(condition):
    if not isinstance(condition, Condition):
        raise TypeError(f"{condition!r} is not a condition; compare it, as in x != 0")
    return condition


class Step(int):
    """An offset that grows by `step` bytes with each copy of Kernel.repeated()."""

    def __new__(cls, first, step):
        value = super().__new__(cls, first)
        value.step = step
        return value
