# tflm: ABS, NEG, int32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int32; package core; check unary_float

_INPUT = const(1)
_OUTPUT = const(2)
_NEGATE = const(3)  # 1 negates all elements, 0 only negative ones


# Units are elements. The lowest int32 stays itself, as in LiteRT.
@micropython.viper
def eval_int32(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr32(int(arena) + (op[_OUTPUT] >> 2))
    negate = op[_NEGATE]
    while start < stop:
        v = x[start]
        y[start] = 0 - v if negate | v >> 31 & 1 else v
        start += 1
