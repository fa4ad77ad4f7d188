# tflm: RESIZE_BILINEAR, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package cnn; check resize_bilinear; units independent

_INPUT = const(1)
_OUTPUT = const(2)
_OUTPUT_HEIGHT = const(3)
_OUTPUT_WIDTH = const(4)
_INPUT_HEIGHT = const(5)
_INPUT_WIDTH = const(6)
_DEPTH = const(7)
_HEIGHT_SCALE = const(8)
_WIDTH_SCALE = const(9)
_HEIGHT_START = const(10)
_WIDTH_START = const(11)


# Units are rows of the output. Positions in the input have 10 fractional bits:
#   position = start + index * scale, limited to the first and the last pixel
# The weights of the four pixels around it add up to 2**20. Bytes are read with their sign bit
# flipped, for which 2**27 compensates. Halves are rounded away from zero.
@micropython.viper
def eval_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    depth = op[_DEPTH]
    row_bytes = op[_INPUT_WIDTH] * depth
    z = ptr8(int(arena) + (op[_OUTPUT] >> 2) + start * op[_OUTPUT_WIDTH] * depth)
    last_y = op[_INPUT_HEIGHT] - 1 << 10
    last_x = op[_INPUT_WIDTH] - 1 << 10
    start_x = (op[_WIDTH_START] << sign) >> sign
    while start < stop:
        batch = start // op[_OUTPUT_HEIGHT]
        at = start - batch * op[_OUTPUT_HEIGHT]
        at = ((op[_HEIGHT_START] << sign) >> sign) + at * op[_HEIGHT_SCALE]
        if at < 0:
            at = 0
        if at > last_y:
            at = last_y
        upper = source + (batch * op[_INPUT_HEIGHT] + (at >> 10)) * row_bytes
        dy = at & 0x3FF
        lower = row_bytes if dy else 0  # the last row has no row after it
        column = start_x
        i = op[_OUTPUT_WIDTH]
        while i:
            at = column
            if at < 0:
                at = 0
            if at > last_x:
                at = last_x
            a = ptr8(upper + (at >> 10) * depth)
            c = ptr8(int(a) + lower)
            at = at & 0x3FF
            right = depth if at else 0
            weight_d = dy * at
            weight_c = (dy << 10) - weight_d
            weight_b = (at << 10) - weight_d
            weight_a = 0x100000 - weight_b - weight_c - weight_d
            n = depth
            while n:
                v = a[0] ^ 0x80
                w = a[right] ^ 0x80
                v = v * weight_a + w * weight_b
                w = c[0] ^ 0x80
                v = w * weight_c + v
                w = c[right] ^ 0x80
                v = w * weight_d + v - 0x8000000
                v = (v >> 31) + v + 0x80000 >> 20
                z[0] = v
                a = ptr8(int(a) + 1)
                c = ptr8(int(c) + 1)
                z = ptr8(int(z) + 1)
                n -= 1
            column += op[_WIDTH_SCALE]
            i -= 1
        start += 1
