# Kernel language: virtual registers, operations and conditions
# MIT license; Copyright (c) 2026 the tflm authors

# All values are words of 32 bits. `x + y` makes a new register; `x.set(y)` and `x += y` change x.
# Comparisons make conditions for Kernel.If and loops: `x < y` is signed, `x.below(y)` unsigned.

BYTES = {"u8": 1, "s8": 1, "u16": 2, "s16": 2, "w": 4}  # {kind of a load or store: its bytes}
_STORED = ("u8", "u16", "w")
OPPOSITE = {"eq": "ne", "lt": "ge", "le": "gt", "ult": "uge", "ule": "ugt"}
OPPOSITE |= {other: one for one, other in OPPOSITE.items()}
# {condition: the condition with its operands exchanged}
SWAPPED = {"lt": "gt", "le": "ge", "ult": "ugt", "ule": "uge", "eq": "eq", "ne": "ne"}
SWAPPED |= {other: one for one, other in SWAPPED.items()}


class Op:
    """An operation of a kernel (see tools/asm/README.md), or an instruction of a machine.

    dst: registers that it writes. src: registers or numbers that it reads. to: labels that it
    defines or leads to. weight: an estimate of how often it runs. low: which of its registers must
    be low ones (see Machine.high): True for all, False for none, or a list. reads, writes: its
    registers as bits, 1 << register.n, of the time when they are read first; the registers of an
    operation do not change once the allocator has it.
    """

    __slots__ = ("name", "dst", "src", "to", "info", "weight", "low", "reads", "writes")

    def __init__(self, name, dst=(), src=(), to=(), info=None, weight=1.0, low=True):
        self.name, self.dst, self.src = name, list(dst), list(src)
        self.to, self.info, self.weight, self.low = list(to), info, weight, low

    # Python calls this for `reads` and `writes` until they have values.
    def __getattr__(self, name):
        if name == "reads":
            self.reads = bits_of(self.uses())
            return self.reads
        if name == "writes":
            self.writes = bits_of(self.dst)
            return self.writes
        raise AttributeError(name)

    def uses(self):
        """Return the registers that it reads."""
        return [x for x in self.src if isinstance(x, Reg)]

    def __repr__(self):
        info = "" if self.info is None or callable(self.info) else f" {self.info}"
        return f"{self.dst} = {self.name}{info} {self.src} {self.to or ''}"


def bits_of(registers):
    """Return a set of registers as an integer with the bits 1 << register.n."""
    bits = 0
    for register in registers:
        bits |= 1 << register.n
    return bits


def numbers(bits):
    """Yield the numbers of the bits that are set, in ascending order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


class Condition:
    """A comparison of two operands: eq, ne, lt, le, gt, ge; ult, ule, ugt, uge are unsigned."""

    def __init__(self, name, one, other):
        self.name, self.one, self.other = name, one, other

    def opposite(self):
        return Condition(OPPOSITE[self.name], self.one, self.other)

    def __bool__(self):
        raise TypeError("a condition is known only when the kernel runs: use k.If or branch")


def _check_kind(kind, kinds):
    if kind not in kinds:
        raise ValueError(f"kind {kind!r} of a load or store: use {' '.join(kinds)}")


class Reg:
    """A virtual register of a kernel `k`.

    n: its number. name: for the comments of the generated text; temporary registers have none.
    fixed: the physical register that it must be in, if any. is_total: products are added to it
    in the innermost loop, which a high register (see Machine.high) allows at no cost.
    """

    __slots__ = ("k", "n", "name", "fixed", "is_total")

    def __init__(self, k, n, name=None, fixed=None):
        self.k, self.n, self.name, self.fixed = k, n, name, fixed
        self.is_total = False

    def __repr__(self):
        return self.name or f"v{self.n}"

    def __hash__(self):
        return self.n

    def _binary(self, name, other, to=None):
        if not isinstance(other, (Reg, int)):
            raise TypeError(f"{name} of {other!r}: operands are registers and integers")
        most = self.k.machine.word_bits - 1
        if name in ("shl", "asr", "lsr") and isinstance(other, int) and not 0 <= other <= most:
            raise ValueError(f"a shift of {self} by {other}: shifts are by 0 to {most}")
        to = to or self.k.reg()
        if name == "sub" and isinstance(other, int):
            name, other = "add", -other
        self.k.emit(name, [to], [self, other])
        return to

    def __add__(self, other):
        return self._binary("add", other)

    def __sub__(self, other):
        return self._binary("sub", other)

    def __rsub__(self, number):
        to = self.k.reg()
        self.k.emit("sub", [to], [number, self])
        return to

    def __mul__(self, other):
        return self._binary("mul", other)

    def __and__(self, other):
        return self._binary("and", other)

    def __or__(self, other):
        return self._binary("or", other)

    def __xor__(self, other):
        return self._binary("xor", other)

    def __lshift__(self, other):
        return self._binary("shl", other)

    def __rshift__(self, other):
        """Shift right with sign."""
        return self._binary("asr", other)

    def lsr(self, other):
        """Shift right without sign."""
        return self._binary("lsr", other)

    def mulh(self, other):
        """The upper word of the signed product; slow on machines without `has_mulh`."""
        return self._binary("mulh", other)

    def mulhu(self, other):
        """The upper word of the unsigned product; slow on machines without `has_mulh`."""
        return self._binary("mulhu", other)

    def min(self, other):
        return self._binary("min", other)

    def max(self, other):
        return self._binary("max", other)

    def __neg__(self):
        return 0 - self

    def __iadd__(self, other):
        return self._binary("add", other, self)

    def __isub__(self, other):
        return self._binary("sub", other, self)

    def __imul__(self, other):
        return self._binary("mul", other, self)

    def __iand__(self, other):
        return self._binary("and", other, self)

    def __ior__(self, other):
        return self._binary("or", other, self)

    def __ixor__(self, other):
        return self._binary("xor", other, self)

    def __ilshift__(self, other):
        return self._binary("shl", other, self)

    def __irshift__(self, other):
        return self._binary("asr", other, self)

    def field(self, low, bits):
        """An unsigned field of `bits` bits from bit `low` on."""
        if not 0 <= low < low + bits <= 32:
            raise ValueError(f"a field of {bits} bits from bit {low} on: a word has 32")
        to = self.k.reg()
        self.k.emit("field", [to], [self], info=(low, bits))
        return to

    def set(self, value):
        """Copy a value; the allocator makes both one register where it can."""
        self.k.emit("mov", [self], [value])
        return self

    # Memory. Kinds are u8, s8, u16, s16 and w; stores take u8, u16 and w.

    def get(self, kind, offset=0, to=None, scale=0):
        """Load at this address plus a number of bytes, or plus a register << scale."""
        _check_kind(kind, BYTES)
        to = to or self.k.reg()
        self.k.emit("ld", [to], [self, offset], info=(kind, scale))
        return to

    def put(self, kind, value, offset=0, scale=0):
        """Store at this address plus a number of bytes, or plus a register << scale."""
        _check_kind(kind, _STORED)
        self.k.emit("st", [], [value, self, offset], info=(kind, scale))

    def __getitem__(self, offset):
        return self.get("w", offset)

    def __setitem__(self, offset, value):
        self.put("w", value, offset)

    def next(self, *to):
        """Load words; this address advances past them."""
        self.k.emit("ldm", [*to, self], [self])
        return to[0] if len(to) == 1 else to

    def put_next(self, *values):
        """Store words; this address advances past them."""
        self.k.emit("stm", [self], [self, *values])

    # Conditions.

    def __lt__(self, other):
        return Condition("lt", self, other)

    def __le__(self, other):
        return Condition("le", self, other)

    def __gt__(self, other):
        return Condition("gt", self, other)

    def __ge__(self, other):
        return Condition("ge", self, other)

    def __eq__(self, other):
        return Condition("eq", self, other)

    def __ne__(self, other):
        return Condition("ne", self, other)

    def below(self, other):
        return Condition("ult", self, other)

    def not_above(self, other):
        return Condition("ule", self, other)

    def above(self, other):
        return Condition("ugt", self, other)

    def not_below(self, other):
        return Condition("uge", self, other)
