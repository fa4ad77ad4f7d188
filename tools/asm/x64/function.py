# One function for x86-64: a stub in viper, whose source contains its machine code as data
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code import listing
from tflm_tools.packages.machine_code.x86 import X86, at

_STUB = """\
@micropython.viper
def {name}({arguments}):
{lines}    raise NotImplementedError("no machine code; run tools/asm/make.py x64")
"""
_KERNEL = ("op", "arena", "rom", "start", "stop")
_REGISTERS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")


class Function(X86):
    """A function of the System V ABI; its value is 0.

    about: the comment above it. arguments: their names, by default as for a kernel. slots: names
    of 64-bit words in its frame, for `load(register, slot)` and `store(slot, register)`; each
    argument has a slot of its name, unless `saved` says which registers of SAVED it changes.
    uses_avx: it must clear the upper halves of ymm registers before it returns.
    """

    SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")

    def __init__(self, name, about, arguments=_KERNEL, slots=(), uses_avx=False, saved=None):
        super().__init__()
        self._name, self._about, self._arguments = name, about, arguments
        if saved is None:
            self.begin(arguments, slots, uses_avx)
        else:
            self.enter(saved, slots, uses_avx)

    def begin(self, arguments, slots=(), uses_avx=False):
        """Begin a function here that keeps its arguments in slots."""
        self.enter(self.SAVED, (*arguments, *slots), uses_avx)
        for i, argument in enumerate(arguments[len(_REGISTERS) :]):  # they are on the stack
            self._slots[argument] = self._frame + 8 * (len(self._saved) + 1 + i)
        for argument, register in zip(arguments, _REGISTERS, strict=False):
            self.store(argument, register)

    def enter(self, saved, slots, uses_avx=False):
        """Begin a function here that saves registers and has slots, which end() takes back."""
        self._saved, self._uses_avx = saved, uses_avx
        self._frame = 8 * len(slots)
        self._slots = {slot: 8 * i for i, slot in enumerate(slots)}
        for register in saved:
            self.push(register)
        if slots:
            self.sub("rsp", self._frame)

    def end(self, is_zero=True):
        """Return 0, or what is in rax."""
        if self._uses_avx:
            self.vzeroupper()
        if is_zero:
            self.xor("eax", "eax")
        if self._frame:
            self.add("rsp", self._frame)
        for register in reversed(self._saved):
            self.pop(register)
        self.ret()

    def text(self):
        """The source of the stub."""
        self.emit_constants()
        lines = listing.lines((code, text) for _, code, text in self.lines())
        about = "".join(f"# {line}\n" for line in self._about.strip().splitlines())
        names = ", ".join(self._arguments)
        return about + _STUB.format(name=self._name, arguments=names, lines=lines)

    def note(self, text):
        """Add a remark for readers."""
        self._put(b"", text)

    def slot(self, name):
        """A word of the frame as an operand."""
        return at("rsp", self._slots[name])

    def load(self, register, slot):
        self.mov(register, self.slot(slot))

    def store(self, slot, register):
        self.mov(self.slot(slot), register)

    def count_down(self, slot, label):
        """Subtract 1 from a slot; go to `label` unless it is 0 then. Uses rax."""
        self.load("rax", slot)
        self.dec("rax")
        self.store(slot, "rax")
        self.jne(label)


class Helper:
    """A function that is a file's own, and part of compiled functions that call it.

    It decorates write(t), which writes the code between begin() and end(); its docstring is the
    comment above the function. more(t): writes further functions after it.
    """

    def __init__(self, arguments, name=None, about=None, uses_avx=False, more=None):
        self._arguments, self.name, self._about = arguments, name, about
        self._uses_avx, self._more = uses_avx, more

    def __call__(self, write):
        self._write, self.__module__ = write, write.__module__
        self.name, self._about = self.name or write.__name__, self._about or write.__doc__
        return self

    def text(self):
        """The source of the stub."""
        t = Function(self.name, self._about, self._arguments, uses_avx=self._uses_avx)
        self._finish(t)
        return t.text()

    def add(self, t):
        """Add the function to a Function that has ended, at the label of its name."""
        t.label(self.name)
        t.begin(self._arguments, uses_avx=self._uses_avx)
        self._finish(Prefixed(t, f"{self.name}_"))

    def _finish(self, t):
        self._write(t)
        t.end()
        if self._more:
            self._more(t)


class Prefixed:
    """A Function whose labels get a prefix, so that the same code may be in it more than once.

    outside: the Function itself, for labels without the prefix.
    """

    def __init__(self, t, prefix):
        self.outside = t
        self._prefix = prefix

    def __getattr__(self, name):
        method = getattr(self.outside, name)
        if name not in ("label", "call") and name[0] != "j":
            return method
        return lambda label: method(self._prefix + label)
