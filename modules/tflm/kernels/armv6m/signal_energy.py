# tflm: SignalEnergy: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.front_end_asm import energy

_INPUT = const(1)
_OUTPUT = const(2)
_FIRST = const(3)
_LAST = const(4)


# Units are bins. Bins outside of first..last - 1 become 0.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT]
    x = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    y = ptr32(base + (r[_OUTPUT] >> 2))
    first = r[_FIRST]
    if first < start:
        first = start
    last = r[_LAST]
    if last > stop:
        last = stop
    i = start
    while i < stop:
        if i == first and i < last:
            energy(x + 4 * i, int(y) + 4 * i, last - i)
            i = last
        else:
            y[i] = 0
            i += 1
