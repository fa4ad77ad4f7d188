# Kernel language: pairs of int8 in lanes of words (prepare/lanes.py)
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.kernel import Kernel
from ..language.macros import Cursor, Record


# The shift leaves the highest bit that it drops in the carry.
def _add_upper(t, total, product):
    t.asr(product, product, 16)
    t.adc(total, product)


def _run_add_upper(total, product):
    return total + (product + 0x8000 >> 16), 0


def add_upper(k, total, product):
    """Add the rounded upper half of a product to a sum, on a Cortex-M0+; `product` changes."""
    k.tile(_add_upper, [], [], [total, product], size=4, run=_run_add_upper)


class Parameters(Record):
    """The block of parameters of a function that kernels call.

    The function has the arena, the offset of the block in it, and the memory of an operand.
    Addresses in the block are offsets in the arena or in this memory.
    """

    def __init__(self, name, about, layout, machine, arguments=("arena", "offset", "memory")):
        self.k = k = Kernel(name, about, arguments, machine)
        arena, offset, memory, *_ = k.arguments
        self.address, self._bases = k.var("parameters", arena + offset), (arena, memory)
        super().__init__(k, self.address, layout, first=0)

    def in_arena(self, name, optional=False):
        """Return a register with an address in the arena, or 0 if it is `optional`."""
        return self._located(name, 0, optional)

    def in_memory(self, name):
        """Return a register with an address in the memory of the operand."""
        return self._located(name, 1)

    def _located(self, name, number, optional=False):
        register = getattr(self, name)
        if optional:
            with self.k.If(register != 0):
                register += self._bases[number]
        else:
            register += self._bases[number]
        return register


class Quads:
    """Unpacks words of four int8 to two words of lanes each: elements (0, 2) and (1, 3).

    Flipping the sign bits makes the bytes positive, so that a mask separates them; then 128 is
    subtracted from each lane. is_flipped: the lanes keep the 128.
    """

    def __init__(self, k, is_flipped=False):
        self._k, self.is_flipped = k, is_flipped
        self.half = k.var("half", 0x00800080)
        self._flip = k.var("flip", (self.half << 8) + self.half)
        self._mask = k.var("mask", 0x00FF00FF)

    def unpack(self, source, to, size):
        """Unpack words, at least one, from the address `source` on; both addresses advance.

        Two words in a turn. If their number is odd, the loop is entered at its second word.
        """
        k = self._k
        reader, writer = Cursor(k, source), Cursor(k, to)
        end, odd = k.var("quads_end", source + size), k.new_label("odd")
        if reader.advances:
            k.branch(size << 29 != 0, odd)
        else:
            with k.If(size << 29 != 0):
                source -= 4
                to -= 8
                k.goto(odd)
        with k.loop("quads", times=16) as quads:
            self._quad(reader, writer)
            k.label(odd)
            self._quad(reader, writer)
            reader.advance()
            writer.advance()
            quads.repeat_if(source.below(end))

    def unpack_by_four(self, source, to, size):
        """Unpack words, whose number is a multiple of 4."""
        reader, writer = Cursor(self._k, source), Cursor(self._k, to)
        end = self._k.var("quads_end", source + size)
        with self._k.loop("quads", times=32) as quads:
            for _ in range(4):
                self._quad(reader, writer)
            reader.advance()
            writer.advance()
            quads.repeat_if(source.below(end))

    def _quad(self, reader, writer):
        writer.put(*self.lanes(reader.next()))

    def lanes(self, even):
        """Return the two words of lanes of a word, which changes."""
        even ^= self._flip
        odd = even.lsr(8)
        even &= self._mask
        odd &= self._mask
        if not self.is_flipped:
            even -= self.half
            odd -= self.half
        return even, odd


def unpack_row(k, source, size, to):
    """Unpack int8 that begin at any address, with zeros up to a whole word; both advance."""
    rest, quads = k.new_label("rest"), Quads(k)
    end = k.var("inputs_end", source + size)
    with k.If((source | size) << 30 == 0):
        quads.unpack(source, to, size)
    k.branch(source == end, rest)
    with k.loop("quad", times=8) as loop:
        word, bits = k.var("bytes", 0), k.var("bits", 0)
        with k.loop("byte", times=4) as byte:
            word |= source.get("u8") << bits
            source += 1
            bits += 8
            byte.leave_if(source == end)
            byte.repeat_if(bits != 32)
        to.put_next(*quads.lanes(word))
        loop.repeat_if(source != end)
    k.label(rest)
