# Kernel language: the machine that runs a kernel in Python and checks every access
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from .ir import BYTES, Reg
from .machine import Machine, to_signed, without_copies
from .xtensa_tile import XtensaTile

_WORD = 0xFFFFFFFF
_FRAME = 0x7F000000  # address of the memory of Kernel.reserve()
MAX_OPERATIONS = 10_000_000  # of one call, so that an endless loop is an error


class WrongKernelError(Exception):
    """A kernel does what a machine, or another kernel's memory, would not survive."""


def _shift(bits):
    if bits > 31:
        raise WrongKernelError(f"a shift by {bits} bits; machines differ beyond 31")
    return bits


# Kernels divide numbers that are not negative.
def _divisor(dividend, divisor):
    if not divisor or divisor >> 31 or dividend >> 31:
        raise WrongKernelError(f"a division of {to_signed(dividend)} by {to_signed(divisor)}")
    return divisor


# What operations compute of two words.
_COMPUTED = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "shl": lambda x, y: x << _shift(y),
    "asr": lambda x, y: to_signed(x) >> _shift(y),
    "lsr": lambda x, y: x >> _shift(y),
    "mulh": lambda x, y: to_signed(x) * to_signed(y) >> 32,
    "mulhu": lambda x, y: x * y >> 32,
    "ult": lambda x, y: x < y,
    "divu": lambda x, y: x // _divisor(x, y),
    "remu": lambda x, y: x % _divisor(x, y),
    "min": lambda x, y: min(to_signed(x), to_signed(y)),
    "max": lambda x, y: max(to_signed(x), to_signed(y)),
}
_FLOAT_COMPUTED = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
}
_CONDITIONS = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: to_signed(x) < to_signed(y),
    "ge": lambda x, y: to_signed(x) >= to_signed(y),
    "gt": lambda x, y: to_signed(x) > to_signed(y),
    "le": lambda x, y: to_signed(x) <= to_signed(y),
    "ult": lambda x, y: x < y,
    "uge": lambda x, y: x >= y,
    "ugt": lambda x, y: x > y,
    "ule": lambda x, y: x <= y,
}


def _float_of(word):
    return np.uint32(word).view(np.float32)


# Round a number to nearest even; the largest and the smallest integer stand for larger numbers.
def _integer_of(number):
    return 0 if np.isnan(number) else int(np.clip(np.rint(float(number)), -1 << 31, (1 << 31) - 1))


class Memory:
    """The operands of a kernel, outside of which it must not read or write.

    operands: {name: (address, bytes-like object, whether the kernel may write it)}; they may
    overlap.
    """

    def __init__(self, operands):
        self.operands = operands

    def _find(self, address, size, writes, is_aligned=True):
        if is_aligned and address % size:
            raise WrongKernelError(f"{size} bytes at 0x{address:x} are not aligned")
        constant = None
        for name, (begin, data, is_writable) in self.operands.items():
            if begin <= address and address + size <= begin + len(data):
                if is_writable or not writes:
                    return data, address - begin
                constant = name
        if constant is not None:
            raise WrongKernelError(f"a store to {constant}, which is constant")
        raise WrongKernelError(f"{size} bytes at 0x{address:x} are in no operand")

    def load(self, kind, address, is_aligned=True):
        """Return the word that a load of a kind (ir.BYTES) makes."""
        size = BYTES[kind]
        data, at = self._find(address, size, False, is_aligned)
        return int.from_bytes(data[at : at + size], "little", signed=kind[0] == "s") & _WORD

    def store(self, kind, address, value, is_aligned=True):
        size = BYTES[kind]
        data, at = self._find(address, size, True, is_aligned)
        data[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")


class InterpretedMachine(Machine):
    """The machine to give a kernel that run() will run.

    like: the Machine whose name and abilities it has, for kernels that differ by machine.
    """

    name = "interpreter"
    mulsh = True  # as XtensaMachine

    def __init__(self, like=None):
        has = [name for name in dir(Machine) if name.startswith("has_")]
        for name in ("name", "high", "max_arguments", "add_byte_products", "rescale", *has):
            setattr(self, name, getattr(like or self, name))


class _Run:
    def __init__(self, kernel, memory):
        self._code = without_copies(kernel.code)
        self._labels = {op.to[0]: i for i, op in enumerate(self._code) if op.name == "label"}
        frame = _FRAME, bytearray(kernel.frame_bytes), True
        self._memory = Memory({**memory.operands, "frame": frame})
        self._values, self._result = {}, 0
        self._has_unaligned_loads = kernel.machine.has_unaligned_loads
        self._at = 0
        self._floats = {}  # {register of the FPU: np.float32}
        self._turns = []  # left of each hardware loop, the innermost last
        self._xtensa = XtensaTile(self._memory) if kernel.machine.name == "xtensawin" else None

    def run(self, arguments):
        """Return the result of a call."""
        self._arguments, count = arguments, 0
        while self._at < len(self._code):
            op = self._code[self._at]
            self._at += 1
            count += 1
            if count > MAX_OPERATIONS:
                raise WrongKernelError(f"no end after {count} operations")
            try:
                self._operation(op)
            except WrongKernelError as error:
                raise WrongKernelError(f"{error}: {op}") from None
        return to_signed(self._result)

    def _operation(self, op):
        computed = _COMPUTED.get(op.name)
        if computed:
            value = computed(self._get(op.src[0]), self._get(op.src[1]))
            self._values[op.dst[0].n] = value & _WORD
            return
        method = getattr(self, "_" + op.name, None)
        if method is None:
            raise WrongKernelError("the interpreter does not know an operation")
        method(op)

    def _get(self, operand):
        if not isinstance(operand, Reg):
            return operand & _WORD
        if operand.n not in self._values:
            raise WrongKernelError(f"{operand} is read before it is written")
        return self._values[operand.n]

    def _set(self, register, value):
        self._values[register.n] = value & _WORD

    def _args(self, op):
        for register, value in zip(op.dst, self._arguments, strict=True):
            self._set(register, value)

    def _ret(self, op):
        self._result = self._get(op.src[0]) if op.src else 0
        self._at = len(self._code)

    def _label(self, op):
        pass

    _note = _label

    def _jump(self, op):
        self._at = self._labels[op.to[0]]

    def _br(self, op):
        if _CONDITIONS[op.info](self._get(op.src[0]), self._get(op.src[1])):
            self._jump(op)

    # The offset in the code, divided by the bytes of a copy, is the number of the copy.
    def _into(self, op):
        number, rest = divmod(self._get(op.src[0]), op.info)
        if rest or number >= len(op.to):
            raise WrongKernelError(f"a jump into the middle of copy {number} of {len(op.to)}")
        self._at = self._labels[op.to[number]]

    def _frame(self, op):
        self._set(op.dst[0], _FRAME + op.info)

    def _mov(self, op):
        self._set(op.dst[0], self._get(op.src[0]))

    def _s8(self, op):
        self._set(op.dst[0], (self._get(op.src[0]) & 0xFF ^ 0x80) - 0x80)

    def _s16(self, op):
        self._set(op.dst[0], (self._get(op.src[0]) & 0xFFFF ^ 0x8000) - 0x8000)

    def _field(self, op):
        low, bits = op.info
        self._set(op.dst[0], self._get(op.src[0]) >> low & (1 << bits) - 1)

    def _round_shift(self, op):
        value = to_signed(self._get(op.src[0])) + (1 << op.info - 1)
        too_large = value > _WORD >> 1
        if getattr(too_large, "any", lambda: too_large)():
            raise WrongKernelError("the sum that is shifted to round it does not fit a word")
        self._set(op.dst[0], (value >> op.info) + self._get(op.src[1]))

    def _address(self, base, offset, scale):
        if isinstance(offset, Reg):
            return self._get(base) + (self._get(offset) << scale) & _WORD
        return self._get(base) + offset & _WORD

    def _ld(self, op):
        kind, scale = op.info
        address = self._address(*op.src, scale)
        self._set(op.dst[0], self._memory.load(kind, address, not self._has_unaligned_loads))

    def _st(self, op):
        kind, scale = op.info
        address = self._address(*op.src[1:], scale)
        self._memory.store(kind, address, self._get(op.src[0]), not self._has_unaligned_loads)

    # LDRD, STRD, LDM and STM require aligned addresses.
    def _must_be_aligned(self, words):
        return len(words) > 1 or not self._has_unaligned_loads

    def _ldm(self, op):
        *registers, base = op.dst
        address, is_aligned = self._get(base), self._must_be_aligned(registers)
        for i, register in enumerate(registers):
            self._set(register, self._memory.load("w", address + 4 * i & _WORD, is_aligned))
        self._set(base, address + 4 * len(registers))

    def _stm(self, op):
        base, *values = op.src
        address, is_aligned = self._get(base), self._must_be_aligned(values)
        for i, value in enumerate(values):
            self._memory.store("w", address + 4 * i & _WORD, self._get(value), is_aligned)
        self._set(base, address + 4 * len(values))

    def _repeat(self, op):
        count = self._get(op.src[0])
        if count:
            self._turns.append(count)
        else:
            self._jump(op)

    def _repeat_end(self, op):
        self._turns[-1] -= 1
        if self._turns[-1]:
            self._jump(op)
        else:
            self._turns.pop()

    def _fpu(self, op):
        name, *numbers = op.info
        to = numbers[0]
        if name in _FLOAT_COMPUTED:
            one, other = (self._float(n) for n in numbers[1:])
            with np.errstate(all="ignore"):
                self._floats[to] = _FLOAT_COMPUTED[name](one, other)
        elif name == "from_integer":
            self._floats[to] = np.float32(to_signed(self._get(op.src[0])))
        elif name == "convert":
            for number in numbers:
                self._floats[number] = np.float32(self._float(number).view(np.int32))
        elif name == "round":
            integer = _integer_of(self._float(numbers[1]))
            self._set(op.dst[0], integer)
            self._floats[to] = np.float32(integer)
        elif name == "bits":
            self._set(op.dst[0], int(self._float(to).view(np.uint32)))
        elif name == "set_bits":
            self._floats[to] = _float_of(self._get(op.src[0]))
        else:
            address = self._address(*op.src, 0) if len(op.src) > 1 else self._get(op.src[0])
            for i, number in enumerate(numbers):
                if name.startswith("store"):
                    word = int(self._float(number).view(np.uint32))
                    self._memory.store("w", address + 4 * i & _WORD, word)
                else:
                    word = self._memory.load("w", address + 4 * i & _WORD)
                    self._floats[number] = _float_of(word)
            if op.dst:
                self._set(op.dst[0], address + 4 * len(numbers))

    def _larger(self, op):
        value, other = (self._float(n) for n in op.info)
        self._floats[op.info[0]] = other if other > value else value

    def _smaller(self, op):
        value, other = (self._float(n) for n in op.info)
        self._floats[op.info[0]] = other if other < value else value

    def _limit(self, op):
        value, low, high = (self._float(n) for n in op.info)
        value = low if value < low else value
        self._floats[op.info[0]] = high if value > high else value

    def _float(self, number):
        if number not in self._floats:
            raise WrongKernelError(f"register {number} of the FPU is read before it is written")
        return self._floats[number]

    def _tile(self, op):
        write, _, outs, info, run = op.info[:5]
        if run is None and self._xtensa:
            values = self._xtensa.run(write, outs, [self._get(x) for x in op.src], info)
            for register, value in zip(op.dst, values, strict=False):
                if value is None:
                    self._values.pop(register.n, None)
                else:
                    self._set(register, value)
            return
        if run is None:
            raise WrongKernelError(f"the tile {write.__name__} has no run= for the interpreter")
        try:
            results = run(*(to_signed(self._get(x)) for x in op.src), *info)
        except ValueError as error:
            raise WrongKernelError(f"{error} in the tile {write.__name__}") from None
        results = results if isinstance(results, tuple) else (results,)
        if op.to:
            *results, is_taken = results
            if is_taken:
                self._jump(op)
        for register, value in zip(op.dst, results, strict=True):
            self._set(register, value)


def run(kernel, memory, *arguments):
    """Run a kernel of InterpretedMachine and return its result (a signed number).

    memory: Memory. An argument may be a numpy array of int64: the result is then an array, and no
    condition may depend on the argument. Raises WrongKernelError for accesses outside of the
    operands, unaligned ones, stores to constants, shifts beyond 31, and for registers that are
    read before they are written.
    """
    return _Run(kernel, memory).run(arguments)
