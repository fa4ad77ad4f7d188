# tflm: DEPTHWISE_CONV_2D: the plane of a channel in lanes, for boards without an assembler kernel
# MIT license; Copyright (c) 2026 the tflm authors

# Words of the parameters; see tools/asm/kernels/parameters.py. Here addresses are offsets in the
# arena; the address of the image is an offset in its memory.
_LINE = const(2)
_LINE_STEP = const(3)
_ROW_BYTES = const(4)
_HEIGHT = const(5)
_FIRST_ROW = const(6)
_LEFT = const(7)
_COLUMNS = const(8)
_RIGHT = const(9)
_FILL = const(10)
_PLANE = const(11)
_PLANE_ROW = const(12)
_PAIR_ROWS = const(13)


# The plane of one channel: word (j, x) has rows 2 * j and 2 * j + 1 of column x as lanes, and zero
# points outside of the image. `to` is the arena, `x` the offset of the parameters in it, `memory`
# holds the image. `to` and `x` then become pointers, because they are in registers.
@micropython.viper
def build_plane(to: ptr32, x: ptr8, memory: ptr8):
    p = ptr32(int(to) + int(x))
    to = ptr32(int(to) + p[_PLANE])
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    step = p[_LINE_STEP]
    row = p[_ROW_BYTES]
    line = int(memory) + ((p[_LINE] << sign) >> sign) + step
    k = (p[_FIRST_ROW] << sign) >> sign
    zero = ((p[_FILL] & 0xFF) ^ 0x80) - 0x80
    half = 0x00800080
    pairs = p[_PAIR_ROWS]
    while pairs:
        upper = k >= 0 and k < p[_HEIGHT]
        lower = k >= -1 and k + 1 < p[_HEIGHT]
        n = p[_LEFT]
        columns = p[_COLUMNS]
        right = p[_RIGHT]
        if not upper and not lower:
            n = n + columns + right
            columns = 0
            right = 0
        while True:
            while n:
                to[0] = p[_FILL]
                to = ptr32(int(to) + 4)
                n -= 1
            if not columns:
                break
            n = columns
            columns = 0
            x = ptr8(line)
            if upper and lower:
                if n & 1:
                    to[0] = ((x[row] << 16) + x[0] ^ half) - half
                    to = ptr32(int(to) + 4)
                    x = ptr8(int(x) + step)
                n = n >> 1
                while n:
                    to[0] = ((x[row] << 16) + x[0] ^ half) - half
                    x = ptr8(int(x) + step)
                    to[1] = ((x[row] << 16) + x[0] ^ half) - half
                    x = ptr8(int(x) + step)
                    to = ptr32(int(to) + 8)
                    n -= 1
            else:
                shift = 0
                other = zero << 16
                if lower:
                    x = ptr8(line + row)
                    shift = 16
                    other = zero
                while n:
                    to[0] = ((x[0] ^ 0x80) - 0x80 << shift) + other
                    to = ptr32(int(to) + 4)
                    x = ptr8(int(x) + step)
                    n -= 1
            n = right
        line += 2 * row
        k += 2
        pairs -= 1
