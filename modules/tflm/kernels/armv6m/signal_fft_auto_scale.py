# tflm: SignalFftAutoScale: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.front_end_asm import largest, scale

_INPUT = const(1)
_OUTPUT = const(2)
_BITS = const(3)
_SIZE = const(4)
_IGNORED = const(5)


# One unit: the number of bits by which all samples can be shifted.
@micropython.viper
def eval_bits(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT]
    x = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    found = ptr32(base + (r[_BITS] >> 2))
    found[0] = 0
    if r[_SIZE]:
        largest(x, r[_SIZE], r[_IGNORED], int(found))
    top = found[0]
    bits = 0
    if top > 0:
        while not top >> 14:
            top = top << 1
            bits += 1
    found[0] = bits


# Units are elements.
@micropython.viper
def eval_scaled(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT]
    x = (int(ptr8(rom)) if word & 1 else base) + (word >> 2) + 2 * start
    y = base + (r[_OUTPUT] >> 2) + 2 * start
    scale(x, y, stop - start, ptr8(base + (r[_BITS] >> 2))[0])
