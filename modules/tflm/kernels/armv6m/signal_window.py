# tflm: SignalWindow: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.front_end_asm import window

_INPUT = const(1)
_WEIGHTS = const(2)
_OUTPUT = const(3)
_LENGTH = const(4)


# Units are frames.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    step = r[_LENGTH] * 2
    word = r[_INPUT]
    x = (flash if word & 1 else base) + (word >> 2) + start * step
    y = base + (r[_OUTPUT] >> 2) + start * step
    word = r[_WEIGHTS]
    weights = (flash if word & 1 else base) + (word >> 2)
    left = stop - start
    while left:
        window(x, weights, y, int(r))
        x += step
        y += step
        left -= 1
