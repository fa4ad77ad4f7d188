# tflm: ARG_MAX, ARG_MIN, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package more; check axis

_INPUT = const(1)
_OUTPUT = const(2)
_LENGTH = const(3)
_INNER = const(4)
_FLIP = const(5)  # 1: the smallest


# Units are elements of the output. Bit patterns are compared as signed integers (sign and
# magnitude converted to two's complement), so that -0.0 equals 0.0. Of equal elements the first
# one wins. As in C, a NaN is neither larger nor smaller: it wins only if it comes first.
@micropython.viper
def eval_float32(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    y = ptr32(int(arena) + (op[_OUTPUT] >> 2) + 4 * start)
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = magnitude >> 23 << 23
    length = op[_LENGTH]
    inner = op[_INNER]
    flip = op[_FLIP]
    while start < stop:
        outer = start // inner
        x = ptr32(source + (outer * (length - 1) * inner + start << 2))
        best = 0
        found = 0
        i = 0
        while i < length:
            v = x[0]
            key = v & magnitude
            if key <= infinity:
                v = v >> 31 & 1 ^ flip
                key = (key ^ 0 - v) + v
                if i == 0 or key > best:
                    best = key
                    found = i
            elif i == 0:
                best = magnitude
            x = ptr32(int(x) + (inner << 2))
            i += 1
        y[0] = found
        y = ptr32(int(y) + 4)
        start += 1
