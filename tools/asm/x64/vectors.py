# Instructions on vectors for x86-64: the same calls write SSE2, or AVX and AVX2
# MIT license; Copyright (c) 2026 the tflm authors


class Vectors:
    """Instructions of a Function `t` on vectors of 16 bytes (SSE2) or 32 bytes (AVX, AVX2).

    Vectors are numbers of registers, 0 to 15; operands that are read may be Memory, too. In SSE2,
    where an instruction replaces its first operand, a move goes before it.
    """

    def __init__(self, t, is_avx):
        self._t = t
        self.is_avx = is_avx
        self.size = 32 if is_avx else 16
        self.lanes = self.size // 4  # 32-bit elements

    def name(self, register):
        """The name of a register, or the Memory operand itself."""
        if isinstance(register, int):
            return f"{'ymm' if self.is_avx else 'xmm'}{register}"
        return register

    def apply(self, instruction, to, one, other):
        """to = one `instruction` other, which must not be `to` unless `one` is."""
        t, to, one, other = self._t, self.name(to), self.name(one), self.name(other)
        if self.is_avx:
            return getattr(t, "v" + instruction)(to, one, other)
        if to != one:
            assert to != other, instruction
            t.movaps(to, one)
        getattr(t, instruction)(to, other)

    def zero(self, to):
        self.apply("xorps", to, to, to)

    def load(self, to, memory):
        """Load a vector from any address."""
        self._move("movups", self.name(to), memory)

    def store(self, memory, register):
        """Store a vector to any address."""
        self._move("movups", memory, self.name(register))

    def _move(self, instruction, *operands):
        getattr(self._t, ("v" if self.is_avx else "") + instruction)(*operands)

    def broadcast(self, to, memory):
        """Load 32 bits into every element."""
        if self.is_avx:
            return self._t.vbroadcastss(self.name(to), memory)
        self._t.movss(self.name(to), memory)
        self._t.shufps(self.name(to), self.name(to), 0)
