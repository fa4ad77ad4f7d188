# tflm: rows of outputs from a channel's plane with weights for MAC16, for boards without it
# MIT license; Copyright (c) 2026 the tflm authors

# Words of the parameters; see tools/asm/kernels/parameters.py. Here addresses are offsets in the
# arena; the address of the stream is an offset in its memory.
_STREAM = const(0)
_PLANE = const(11)
_PLANE_ROW = const(12)
_OUTPUT = const(14)
_OUTPUT_STEP = const(15)
_OUTPUT_ROW = const(16)
_ROWS = const(17)
_WIDTH = const(18)
_COLUMN_STEP = const(19)
_OUTPUT_ZERO_POINT = const(22)
_ACTIVATION_MIN = const(23)
_ACTIVATION_MAX = const(24)
_STRIDE_HEIGHT = const(25)


# All rows of one channel with a 3x3 filter. `w` is the arena, `v` the offset of the parameters in
# it, `stream` holds the weights (prepare/mac16.py). A window begins in the upper or in the lower
# half of a row of the plane (depthwise_plane.py). Outputs are made of sums as in
# mac16_multiply.py.
@micropython.viper
def rows_3x3(w: ptr16, v: int, stream: ptr8, taps: int):
    base = int(w)
    p = ptr32(base + v)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    low = (p[_ACTIVATION_MIN] << sign) >> sign
    high = (p[_ACTIVATION_MAX] << sign) >> sign
    zero_point = (p[_OUTPUT_ZERO_POINT] << sign) >> sign
    numbers = ptr32(int(stream) + p[_STREAM] + 20)
    shift = (numbers[2] << sign) >> sign
    upper = numbers[1] >> 16
    lower = numbers[1] & 0xFFFF
    half = 0x00800080
    out = base + p[_OUTPUT]
    row = 0
    last = p[_ROWS] * p[_STRIDE_HEIGHT]
    while row < last:
        plane = base + p[_PLANE] + (row >> 1) * p[_PLANE_ROW]
        end = plane + p[_WIDTH]
        odd = (row & 1) << 4
        y = ptr8(out)
        while plane < end:
            acc = (numbers[0] << sign) >> sign
            w = ptr16(int(stream) + p[_STREAM])
            column = 0
            while column < 3:
                v = ptr32(plane)[column] + half
                k = ptr32(plane + p[_PLANE_ROW])[column] + half
                # The rows of the window: halves 0 and 1 of one word and half 0 of the next, or
                # halves 1, 0, 1.
                n = v >> 16 & 0xFFFF
                if odd:
                    v = n
                    n = k & 0xFFFF
                    k = k >> 16
                acc += ((w[2 * column] ^ 0x8000) - 0x8000) * (v & 0xFFFF)
                acc += ((w[2 * column + 1] ^ 0x8000) - 0x8000) * n
                acc += ((w[6 + column] ^ 0x8000) - 0x8000) * (k & 0xFFFF)
                column += 1
            acc = (acc << sign) >> sign
            v = acc & 0xFFFF
            acc = acc >> 16
            k = acc * lower + ((v * lower >> 16) & 0xFFFF)
            v = (k & 0xFFFF) + v * upper
            acc = acc * upper + (k >> 16) + (v >> 16)
            if shift >= 0:
                acc += v >> 15 & 1
                if shift:
                    acc = ((acc >> 31) + acc >> shift - 1) + 1 >> 1
            acc += zero_point
            if acc < low:
                acc = low
            if acc > high:
                acc = high
            y[0] = acc
            y = ptr8(int(y) + p[_OUTPUT_STEP])
            plane += p[_COLUMN_STEP]
        row += p[_STRIDE_HEIGHT]
        out += p[_OUTPUT_ROW]
