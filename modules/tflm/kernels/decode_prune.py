# tflm: TFLM_DECODE with a mask of the elements that are not pruned
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types packed; package more; check decode

_INPUT = const(1)
_VALUES = const(2)
_OUTPUT = const(3)
_RANKS = const(4)
_ZERO_POINTS = const(5)
_FIRST_VALUE = const(6)
_SIZE = const(7)
_INNER = const(8)
_CHANNELS = const(9)


# Units are elements. A rank for every 256 elements counts the values before them; the mask gives
# the rest. Values are copied by bytes, which require no alignment.
@micropython.viper
def eval_any(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    a = int(arena)
    b = int(rom)
    word = op[_INPUT]
    x = ptr8((b if word & 1 else a) + (word >> 2))
    word = op[_RANKS]
    rank = ptr32((b if word & 1 else a) + (word >> 2))[start >> 8]
    word = op[_ZERO_POINTS]
    zero_points = ptr8((b if word & 1 else a) + (word >> 2))
    i = start >> 8 << 8
    while i < start:
        rank += x[i >> 3] >> 7 - (i & 7) & 1
        i += 1
    size = op[_SIZE]
    word = op[_VALUES]
    z = ptr8((b if word & 1 else a) + (word >> 2) + op[_FIRST_VALUE] + rank * size)
    y = ptr8(a + (op[_OUTPUT] >> 2) + start * size)
    channels = op[_CHANNELS]
    inner = op[_INNER]
    channel = start // inner
    row = inner - (start - channel * inner)
    channel = channel - channel // channels * channels
    while i < stop:
        k = 0
        if x[i >> 3] >> 7 - (i & 7) & 1:
            while k < size:
                y[k] = z[k]
                k += 1
            z = ptr8(int(z) + size)
        else:
            # Only int8 has zero points other than 0.
            y[0] = zero_points[channel]
            while k < size - 1:
                k += 1
                y[k] = 0
        y = ptr8(int(y) + size)
        row -= 1
        if not row:
            row = inner
            channel += 1
            if channel == channels:
                channel = 0
        i += 1
