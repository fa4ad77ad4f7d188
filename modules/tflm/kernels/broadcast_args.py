# tflm: BROADCAST_ARGS, int32 and int64
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package more; check indices

from ..errors import InputError

_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_WORDS = const(4)
_LENGTH1 = const(5)
_LENGTH2 = const(6)
_LENGTH = const(7)


# Units are dimensions. TFLM stops the program if the shapes do not fit together.
def eval(op, arena, rom, start, stop):
    if _join(op, arena, rom, start, stop):
        raise InputError(
            "BROADCAST_ARGS got two shapes that do not fit together; check the inputs"
        )


# Return 1 if a dimension differs and neither is 1. The shapes are aligned at their ends.
@micropython.viper
def _join(op: ptr32, arena: ptr32, rom: ptr32, start: int, stop: int) -> int:
    words = op[_WORDS]
    word = op[_INPUT1]
    x = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_INPUT2]
    y = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    z = ptr32(int(arena) + (op[_OUTPUT] >> 2))
    missing1 = op[_LENGTH] - op[_LENGTH1]
    missing2 = op[_LENGTH] - op[_LENGTH2]
    while start < stop:
        low = 1
        high = 0
        if start >= missing1:
            low = x[(start - missing1) * words]
            if words == 2:
                high = x[(start - missing1) * 2 + 1]
        other_low = 1
        other_high = 0
        if start >= missing2:
            other_low = y[(start - missing2) * words]
            if words == 2:
                other_high = y[(start - missing2) * 2 + 1]
        if low == 1 and high == 0:
            low = other_low
            high = other_high
        elif (other_low != 1 or other_high) and (low != other_low or high != other_high):
            return 1
        z[start * words] = low
        if words == 2:
            z[start * 2 + 1] = high
        start += 1
    return 0
