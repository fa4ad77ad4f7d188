# tflm: DEPTHWISE_CONV_2D: rows of outputs from a channel's plane, for boards without an assembler
# MIT license; Copyright (c) 2026 the tflm authors

# Each function computes all rows of one channel. `w` is the arena, `v` the offset of the
# parameters in it, and `stream` holds the weights. Then `w` points to weights and `v` is an input
# or a sum, because the first two parameters of a viper function are in registers. Products and
# rounding are explained in lanes_multiply.py.

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
_FILTER_WIDTH = const(26)
_EVEN_ROWS = const(27)
_ODD_ROWS = const(28)
_ODD_SET = const(29)
_TABLE = const(30)


# 3x3 filters with stride 1, for words of 32 bits. Two rows read the same six words of the plane,
# each with different weights.
@micropython.viper
def rows_3x3(w: ptr32, v: int, stream: ptr8, taps: int):
    base = int(w)
    p = ptr32(base + v)
    low = p[_ACTIVATION_MIN]
    zero_point = p[_OUTPUT_ZERO_POINT] - low
    span = uint(p[_ACTIVATION_MAX] - low)
    w = ptr32(int(stream) + p[_STREAM])
    step = p[_OUTPUT_STEP]
    plane_row = p[_PLANE_ROW]
    plane = base + p[_PLANE]
    out = base + p[_OUTPUT]
    rows = p[_ROWS]
    while rows > 0:
        both = rows - 1
        columns = p[_WIDTH] >> 2
        x0 = ptr32(plane)
        x1 = ptr32(plane + plane_row)
        y0 = ptr8(out)
        y1 = ptr8(out + p[_OUTPUT_ROW])
        while columns:
            a0 = w[0]
            a1 = w[0]
            v = x0[0]
            a0 = (w[1] * v + 0x8000 >> 16) + a0
            a1 = (w[2] * v + 0x8000 >> 16) + a1
            v = x0[1]
            a0 = (w[3] * v + 0x8000 >> 16) + a0
            a1 = (w[4] * v + 0x8000 >> 16) + a1
            v = x0[2]
            a0 = (w[5] * v + 0x8000 >> 16) + a0
            a1 = (w[6] * v + 0x8000 >> 16) + a1
            v = x1[0]
            a0 = (w[7] * v + 0x8000 >> 16) + a0
            a1 = (w[8] * v + 0x8000 >> 16) + a1
            v = x1[1]
            a0 = (w[9] * v + 0x8000 >> 16) + a0
            a1 = (w[10] * v + 0x8000 >> 16) + a1
            v = x1[2]
            a0 = (w[11] * v + 0x8000 >> 16) + a0
            a1 = (w[12] * v + 0x8000 >> 16) + a1
            v = a0 >> 15
            m = w[13] * v
            n = w[14] * v
            v = a0 & 0x7FFF
            v = (w[14] * v + ((w[13] * v >> 15) + m >> 1) + 0x4000 >> 15) + n
            n = w[15]
            if n:
                v = ((v >> 31) + v >> n - 1) + 1 >> 1
            v = v + zero_point
            if uint(v) > span:
                v = ((v >> 31) ^ -1) & int(span)
            y0[0] = v + low
            if both:
                v = a1 >> 15
                m = w[13] * v
                n = w[14] * v
                v = a1 & 0x7FFF
                v = (w[14] * v + ((w[13] * v >> 15) + m >> 1) + 0x4000 >> 15) + n
                n = w[15]
                if n:
                    v = ((v >> 31) + v >> n - 1) + 1 >> 1
                v = v + zero_point
                if uint(v) > span:
                    v = ((v >> 31) ^ -1) & int(span)
                y1[0] = v + low
            x0 = ptr32(int(x0) + 4)
            x1 = ptr32(int(x1) + 4)
            y0 = ptr8(int(y0) + step)
            y1 = ptr8(int(y1) + step)
            columns -= 1
        plane += plane_row
        out += 2 * p[_OUTPUT_ROW]
        rows -= 2


# 3x3 filters with a vertical stride of 2, for words of 32 bits.
@micropython.viper
def rows_3x3_stride_2(w: ptr32, v: int, stream: ptr8, taps: int):
    base = int(w)
    p = ptr32(base + v)
    low = p[_ACTIVATION_MIN]
    zero_point = p[_OUTPUT_ZERO_POINT] - low
    span = uint(p[_ACTIVATION_MAX] - low)
    w = ptr32(int(stream) + p[_STREAM])
    step = p[_OUTPUT_STEP]
    plane_row = p[_PLANE_ROW]
    plane = base + p[_PLANE]
    out = base + p[_OUTPUT]
    rows = p[_ROWS]
    while rows:
        x0 = ptr32(plane)
        x1 = ptr32(plane + plane_row)
        end = plane + p[_WIDTH]
        y = ptr8(out)
        while int(x0) < end:
            a = w[0]
            v = x0[0]
            a = (w[1] * v + 0x8000 >> 16) + a
            v = x0[1]
            a = (w[2] * v + 0x8000 >> 16) + a
            v = x0[2]
            a = (w[3] * v + 0x8000 >> 16) + a
            v = x1[0]
            a = (w[4] * v + 0x8000 >> 16) + a
            v = x1[1]
            a = (w[5] * v + 0x8000 >> 16) + a
            v = x1[2]
            a = (w[6] * v + 0x8000 >> 16) + a
            v = a >> 15
            m = w[7] * v
            n = w[8] * v
            v = a & 0x7FFF
            v = (w[8] * v + ((w[7] * v >> 15) + m >> 1) + 0x4000 >> 15) + n
            n = w[9]
            if n:
                v = ((v >> 31) + v >> n - 1) + 1 >> 1
            v = v + zero_point
            if uint(v) > span:
                v = ((v >> 31) ^ -1) & int(span)
            y[0] = v + low
            x0 = ptr32(int(x0) + p[_COLUMN_STEP])
            x1 = ptr32(int(x1) + p[_COLUMN_STEP])
            y = ptr8(int(y) + step)
        plane += plane_row
        out += p[_OUTPUT_ROW]
        rows -= 1


# Filters of any size. A window begins in the upper or in the lower half of a row of the plane; the
# stream has weights for both cases, `taps` bytes from one weight to the next: 4, or 8 for the
# streams of rows_3x3(), which this function reads on machines with words of 64 bits.
@micropython.viper
def rows_any(w: ptr32, v: int, stream: ptr8, taps: int):
    base = int(w)
    p = ptr32(base + v)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    low = (p[_ACTIVATION_MIN] << sign) >> sign
    zero_point = ((p[_OUTPUT_ZERO_POINT] << sign) >> sign) - low
    span = uint(((p[_ACTIVATION_MAX] << sign) >> sign) - low)
    channel = int(stream) + p[_STREAM]
    q = ptr32(channel + p[_TABLE])
    out = base + p[_OUTPUT]
    row = 0
    last = p[_ROWS] * p[_STRIDE_HEIGHT]
    while row < last:
        plane = base + p[_PLANE] + (row >> 1) * p[_PLANE_ROW]
        end = plane + p[_WIDTH]
        weights = channel + 4
        lines = p[_EVEN_ROWS]
        if row & 1:
            weights = channel + (p[_ODD_SET] if taps == 4 else 8)
            lines = p[_ODD_ROWS]
        y = ptr8(out)
        while plane < end:
            a = ptr32(channel)[0]
            w = ptr32(weights)
            m = lines
            window = plane
            while m:
                x = ptr32(window)
                n = p[_FILTER_WIDTH]
                if sign:
                    while n:
                        v = x[0]
                        a = (((w[0] * v << sign) >> sign) + 0x8000 >> 16) + a
                        w = ptr32(int(w) + taps)
                        x = ptr32(int(x) + 4)
                        n -= 1
                k = n >> 2
                while k:
                    v = x[0]
                    a = (w[0] * v + 0x8000 >> 16) + a
                    v = x[1]
                    a = (w[1] * v + 0x8000 >> 16) + a
                    v = x[2]
                    a = (w[2] * v + 0x8000 >> 16) + a
                    v = x[3]
                    a = (w[3] * v + 0x8000 >> 16) + a
                    w = ptr32(int(w) + 16)
                    x = ptr32(int(x) + 16)
                    k -= 1
                n = n & 3
                while n:
                    v = x[0]
                    a = (w[0] * v + 0x8000 >> 16) + a
                    w = ptr32(int(w) + 4)
                    x = ptr32(int(x) + 4)
                    n -= 1
                window += p[_PLANE_ROW]
                m -= 1
            a = (a << sign) >> sign
            v = a >> 15
            m = q[0] * v
            n = q[1] * v
            v = a & 0x7FFF
            v = (q[1] * v + ((q[0] * v >> 15) + m >> 1) + 0x4000 >> 15) + n
            n = q[2]
            if n:
                v = ((v >> 31) + v >> n - 1) + 1 >> 1
            v = v + zero_point
            if uint(v) > span:
                v = ((v >> 31) ^ -1) & int(span)
            y[0] = v + low
            y = ptr8(int(y) + p[_OUTPUT_STEP])
            plane += p[_COLUMN_STEP]
        row += p[_STRIDE_HEIGHT]
        out += p[_OUTPUT_ROW]
