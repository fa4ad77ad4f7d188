# tflm: ARG_MAX and ARG_MIN, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package more; check axis

_INPUT = const(1)
_OUTPUT = const(2)
_LENGTH = const(3)
_INNER = const(4)
_FLIP = const(5)


# Units are elements of the output. Bytes are compared unsigned: `flip` is 0x80 for the largest,
# 0x7F for the smallest. Of equal elements the first one wins.
@micropython.viper
def eval_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    y = ptr32(int(arena) + (op[_OUTPUT] >> 2) + 4 * start)
    length = op[_LENGTH]
    inner = op[_INNER]
    flip = op[_FLIP]
    while start < stop:
        outer = start // inner
        x = ptr8(source + outer * (length - 1) * inner + start)
        best = -1
        found = 0
        i = 0
        while i < length:
            v = x[0] ^ flip
            if v > best:
                best = v
                found = i
            x = ptr8(int(x) + inner)
            i += 1
        y[0] = found
        y = ptr32(int(y) + 4)
        start += 1
