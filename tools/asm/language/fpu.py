# Kernel language: operations of an FPU of single precision
# MIT license; Copyright (c) 2026 the tflm authors

# The registers of the FPU are numbers that a kernel chooses: 0 to 31 on Cortex-M, 0 to 15 on
# Xtensa. The allocator does not know them. Results are rounded after each operation, as in TFLM.


class Fpu:
    """Adds operations of the FPU to a kernel; its machine has `has_fpu`."""

    def __init__(self, k):
        self._k = k

    def _emit(self, name, numbers, dst=(), src=()):
        self._k.emit("fpu", dst, src, info=(name, *numbers))

    def load(self, to, address, offset=0):
        """Load a number at an address plus bytes, or plus a register on Xtensa."""
        self._emit("load", [to], src=[address, offset])

    def load_next(self, to, address):
        """Load numbers into registers that follow each other; the address advances."""
        self._emit("load_next", to, [address], [address])

    def load_integers(self, to, address):
        """Load words with sign as numbers, rounded to nearest even."""
        k = self._k
        if k.machine.has_float_conversion:
            self.load_words(to, address)
            self._emit("convert", to)
            return
        words = [address[4 * i] for i in range(len(to))]
        for number, word in zip(to, words, strict=True):
            self.from_integer(number, word)

    def load_words(self, to, address):
        """Load numbers into registers that follow each other."""
        self._emit("load_words", to, src=[address])

    def store_words(self, values, address):
        """Store the numbers of registers that follow each other."""
        self._emit("store_words", values, src=[address])

    def store_next(self, values, address):
        """Store the numbers of registers that follow each other; the address advances."""
        self._emit("store_next", values, [address], [address])

    def store(self, value, address, offset=0):
        self._emit("store", [value], src=[address, offset])

    def set_bits(self, to, bits):
        """Copy the bits of a register of the core."""
        self._emit("set_bits", [to], src=[bits])

    def clear(self, registers):
        """Set registers to 0.0."""
        zero = self._k.const(0)
        for register in registers:
            self.set_bits(register, zero)

    def add(self, to, one, other):
        self._emit("add", [to, one, other])

    def sub(self, to, one, other):
        self._emit("sub", [to, one, other])

    def mul(self, to, one, other):
        self._emit("mul", [to, one, other])

    def div(self, to, one, other):
        """Divide, on machines with `has_float_divide`."""
        self._emit("div", [to, one, other])

    def from_integer(self, to, value):
        """Convert a word with sign, rounded to nearest even."""
        self._emit("from_integer", [to], src=[value])

    def round(self, to, value):
        """Round a number to an integer, halves to even; return a register of the core with it.

        The register `to` becomes the integer as a number.
        """
        integer = self._k.reg()
        self._emit("round", [to, value], [integer])
        return integer

    def bits(self, value):
        """Return a register of the core with the bits of a number."""
        to = self._k.reg()
        self._emit("bits", [value], [to])
        return to

    def set_larger(self, value, other):
        """Set `value` to a larger number; a NaN changes nothing and stays."""
        self._k.emit("larger", info=(value, other))

    def set_smaller(self, value, other):
        """Set `value` to a smaller number; a NaN changes nothing and stays."""
        self._k.emit("smaller", info=(value, other))

    def limit(self, value, low, high):
        """Limit a number to two others, the limits of an activation; a NaN stays."""
        self._k.emit("limit", info=(value, low, high))
