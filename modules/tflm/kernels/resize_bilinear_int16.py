# tflm: RESIZE_BILINEAR, int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package cnn; check resize_bilinear; units independent

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
# The weights of the four pixels around it add up to 2**20. A pixel is 256 * its upper byte + its
# lower byte, so that both sums fit 31 bits. Halves are rounded away from zero.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    depth = op[_DEPTH]
    row_bytes = 2 * op[_INPUT_WIDTH] * depth
    z = ptr16(int(arena) + (op[_OUTPUT] >> 2) + 2 * start * op[_OUTPUT_WIDTH] * depth)
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
            a = ptr16(upper + 2 * (at >> 10) * depth)
            c = ptr16(int(a) + lower)
            at = at & 0x3FF
            right = depth if at else 0
            weight_d = dy * at
            weight_c = (dy << 10) - weight_d
            weight_b = (at << 10) - weight_d
            weight_a = 0x100000 - weight_b - weight_c - weight_d
            n = depth
            while n:
                v = (a[0] ^ 0x8000) - 0x8000
                high = (v >> 8) * weight_a
                low = (v & 0xFF) * weight_a
                v = (a[right] ^ 0x8000) - 0x8000
                high += (v >> 8) * weight_b
                low += (v & 0xFF) * weight_b
                v = (c[0] ^ 0x8000) - 0x8000
                high += (v >> 8) * weight_c
                low += (v & 0xFF) * weight_c
                v = (c[right] ^ 0x8000) - 0x8000
                high += (v >> 8) * weight_d + (low + (v & 0xFF) * weight_d >> 8)
                low += (v & 0xFF) * weight_d
                # A negative sum is rounded as if it were less by 1.
                low = (low & 0xFF) + (high >> 31) >> 8
                z[0] = high + low + 0x800 >> 12
                a = ptr16(int(a) + 2)
                c = ptr16(int(c) + 2)
                z = ptr16(int(z) + 2)
                n -= 1
            column += op[_WIDTH_SCALE]
            i -= 1
        start += 1
