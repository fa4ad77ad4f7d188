# tflm: TFLM_DECODE with a table of values
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types packed; package more; check decode

_INPUT = const(1)
_VALUES = const(2)
_OUTPUT = const(3)
_FIRST_VALUE = const(4)
_BITS = const(5)
_SIZE = const(6)
_STRIDE = const(7)
_INNER = const(8)
_CHANNELS = const(9)


# Units are elements. Indices are contiguous from the highest bit of the first byte on; `inner`
# elements of one channel form a row. Values are copied by bytes, which require no alignment.
@micropython.viper
def eval_any(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_VALUES]
    table = (int(rom) if word & 1 else int(arena)) + (word >> 2) + op[_FIRST_VALUE]
    size = op[_SIZE]
    y = ptr8(int(arena) + (op[_OUTPUT] >> 2) + start * size)
    bits = op[_BITS]
    mask = (1 << bits) - 1
    channels = op[_CHANNELS]
    inner = op[_INNER]
    stride = op[_STRIDE] * size
    channel = start // inner
    row = inner - (start - channel * inner)
    channel = channel - channel // channels * channels
    position = start * bits
    values = table + channel * stride
    left = stop - start
    while left:
        # The index ends `k` bits before the end of its byte, or continues in the next byte.
        k = 8 - (position & 7) - bits
        v = x[position >> 3]
        if k < 0:
            v = v << 8 | x[(position >> 3) + 1]
            k += 8
        v = v >> k & mask
        position += bits
        if size == 1:
            y[0] = ptr8(values)[v]
        else:
            z = ptr8(values + v * size)
            k = 0
            while k < size:
                y[k] = z[k]
                k += 1
        y = ptr8(int(y) + size)
        row -= 1
        if not row:
            row = inner
            channel += 1
            values += stride
            if channel == channels:
                channel = 0
                values = table
        left -= 1
