# tflm: RSQRT and SQRT, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package more; check unary

from ..errors import InputError

_INPUT = const(1)
_ENTRIES = const(2)
_OUTPUT = const(3)
_LOWEST = const(4)


# Units are elements.
def eval_int8(op, arena, rom, start, stop):
    if _look_up(op, arena, rom, start, stop):
        raise InputError(
            "root of a negative number; check the input that it comes from, or clamp it at zero"
        )


# Look up the entry of each byte. Return 1 if a byte is below the zero point.
@micropython.viper
def _look_up(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int) -> int:
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_ENTRIES]
    table = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr8(int(arena) + (op[_OUTPUT] >> 2))
    lowest = op[_LOWEST] + 0x80 & 0xFF
    failed = 0
    while start < stop:
        v = x[start]
        if v ^ 0x80 < lowest:
            failed = 1
        y[start] = table[v]
        start += 1
    return failed
