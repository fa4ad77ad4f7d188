# tflm: SignalFilterBankSquareRoot: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.square_root_asm import square_root

_INPUT = const(1)
_SCALE_BITS = const(2)
_OUTPUT = const(3)


# Units are elements.
@micropython.viper
def eval_uint64(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = r[_SCALE_BITS]
    shift = ptr8((flash if word & 1 else base) + (word >> 2))[0] & 31
    word = r[_INPUT]
    x = (flash if word & 1 else base) + (word >> 2) + 8 * start
    square_root(x, base + (r[_OUTPUT] >> 2) + 4 * start, stop - start, shift)
