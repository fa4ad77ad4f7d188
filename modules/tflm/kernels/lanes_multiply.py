# tflm: dot products of 16-bit lanes (prepare/lanes.py), for boards without an assembler kernel
# MIT license; Copyright (c) 2026 the tflm authors

# Words of the parameters; see tools/asm/kernels/parameters.py. Here addresses are offsets in the
# arena; the address of the stream is an offset in its memory.
_STREAM = const(0)
_LANES = const(1)
_OUTPUT = const(2)
_LANES_END = const(3)
_GROUPS = const(4)
_LANES_STEP = const(5)
_OUTPUT_STEP = const(6)
_WINDOW = const(7)
_OUTPUT_ZERO_POINT = const(8)
_ACTIVATION_MIN = const(9)
_ACTIVATION_MAX = const(10)
_GROUP = const(11)
_ROWS = const(12)
_ROW_STEP = const(13)


# Outputs of groups of four channels for pixels in lanes. `w` is the arena, `v` the offset of the
# parameters in it, `memory` holds the stream. The first two parameters of a viper function are in
# registers: after the first lines they are a pointer to weights, and an input or a sum.
#
# The upper half of a product of two words, rounded, is the sum of two products of int8. Sums are
# rounded as in TFLM, for sums below 2**30 and right shifts; see tools/asm/kernels/outputs_int8.py.
@micropython.viper
def multiply(w: ptr32, v: int, memory: ptr8):
    base = int(w)
    p = ptr32(base + v)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    low = (p[_ACTIVATION_MIN] << sign) >> sign
    zero_point = ((p[_OUTPUT_ZERO_POINT] << sign) >> sign) - low
    span = uint(((p[_ACTIVATION_MAX] << sign) >> sign) - low)
    stream = int(memory) + p[_STREAM]
    step = p[_LANES_STEP]
    passes = p[_WINDOW] >> 5
    rest = p[_WINDOW] >> 3 & 3
    out = base + p[_OUTPUT]
    groups = p[_GROUPS]
    half = 0x00800080
    flip = (half << 8) + half
    mask = 0x00FF00FF
    while groups:
        group = stream
        if p[_GROUP]:
            # A word of single bytes becomes two words of lanes, for two channels.
            group = base + p[_GROUP]
            w = ptr32(group)
            x = ptr32(stream)
            n = 4
            k = p[_WINDOW] >> 1
            while n:
                while n:
                    w[0] = x[0]
                    w = ptr32(int(w) + 4)
                    x = ptr32(int(x) + 4)
                    n -= 1
                while k:
                    v = x[0] ^ flip
                    w[0] = (v & mask) - half
                    w[1] = (v >> 8 & mask) - half
                    w = ptr32(int(w) + 8)
                    x = ptr32(int(x) + 4)
                    k -= 1
                    n = 12
            stream = int(x)
        y = ptr8(out)
        lanes = base + p[_LANES]
        end = base + p[_LANES_END]
        row = p[_ROWS]
        while row:
            w = ptr32(group)
            a0 = w[0]
            a1 = w[1]
            a2 = w[2]
            a3 = w[3]
            w = ptr32(group + 16)
            x = ptr32(lanes)
            n = passes
            if sign:
                n = p[_WINDOW] >> 2
                while n:
                    v = x[0]
                    a0 = (((w[0] * v << sign) >> sign) + 0x8000 >> 16) + a0
                    a1 = (((w[1] * v << sign) >> sign) + 0x8000 >> 16) + a1
                    a2 = (((w[2] * v << sign) >> sign) + 0x8000 >> 16) + a2
                    a3 = (((w[3] * v << sign) >> sign) + 0x8000 >> 16) + a3
                    w = ptr32(int(w) + 16)
                    x = ptr32(int(x) + 4)
                    n -= 1
                a0 = (a0 << sign) >> sign
                a1 = (a1 << sign) >> sign
                a2 = (a2 << sign) >> sign
                a3 = (a3 << sign) >> sign
            while n:
                v = x[0]
                a0 = (w[0] * v + 0x8000 >> 16) + a0
                a1 = (w[1] * v + 0x8000 >> 16) + a1
                a2 = (w[2] * v + 0x8000 >> 16) + a2
                a3 = (w[3] * v + 0x8000 >> 16) + a3
                v = x[1]
                a0 = (w[4] * v + 0x8000 >> 16) + a0
                a1 = (w[5] * v + 0x8000 >> 16) + a1
                a2 = (w[6] * v + 0x8000 >> 16) + a2
                a3 = (w[7] * v + 0x8000 >> 16) + a3
                v = x[2]
                a0 = (w[8] * v + 0x8000 >> 16) + a0
                a1 = (w[9] * v + 0x8000 >> 16) + a1
                a2 = (w[10] * v + 0x8000 >> 16) + a2
                a3 = (w[11] * v + 0x8000 >> 16) + a3
                v = x[3]
                a0 = (w[12] * v + 0x8000 >> 16) + a0
                a1 = (w[13] * v + 0x8000 >> 16) + a1
                a2 = (w[14] * v + 0x8000 >> 16) + a2
                a3 = (w[15] * v + 0x8000 >> 16) + a3
                v = x[4]
                a0 = (w[16] * v + 0x8000 >> 16) + a0
                a1 = (w[17] * v + 0x8000 >> 16) + a1
                a2 = (w[18] * v + 0x8000 >> 16) + a2
                a3 = (w[19] * v + 0x8000 >> 16) + a3
                v = x[5]
                a0 = (w[20] * v + 0x8000 >> 16) + a0
                a1 = (w[21] * v + 0x8000 >> 16) + a1
                a2 = (w[22] * v + 0x8000 >> 16) + a2
                a3 = (w[23] * v + 0x8000 >> 16) + a3
                v = x[6]
                a0 = (w[24] * v + 0x8000 >> 16) + a0
                a1 = (w[25] * v + 0x8000 >> 16) + a1
                a2 = (w[26] * v + 0x8000 >> 16) + a2
                a3 = (w[27] * v + 0x8000 >> 16) + a3
                v = x[7]
                a0 = (w[28] * v + 0x8000 >> 16) + a0
                a1 = (w[29] * v + 0x8000 >> 16) + a1
                a2 = (w[30] * v + 0x8000 >> 16) + a2
                a3 = (w[31] * v + 0x8000 >> 16) + a3
                w = ptr32(int(w) + 128)
                x = ptr32(int(x) + 32)
                n -= 1
            n = rest
            if sign:
                n = 0
            while n:
                v = x[0]
                a0 = (w[0] * v + 0x8000 >> 16) + a0
                a1 = (w[1] * v + 0x8000 >> 16) + a1
                a2 = (w[2] * v + 0x8000 >> 16) + a2
                a3 = (w[3] * v + 0x8000 >> 16) + a3
                v = x[1]
                a0 = (w[4] * v + 0x8000 >> 16) + a0
                a1 = (w[5] * v + 0x8000 >> 16) + a1
                a2 = (w[6] * v + 0x8000 >> 16) + a2
                a3 = (w[7] * v + 0x8000 >> 16) + a3
                w = ptr32(int(w) + 32)
                x = ptr32(int(x) + 8)
                n -= 1
            v = a0 >> 15
            m = w[0] * v
            n = w[1] * v
            v = a0 & 0x7FFF
            v = (w[1] * v + ((w[0] * v >> 15) + m >> 1) + 0x4000 >> 15) + n
            n = w[2]
            if n:
                v = ((v >> 31) + v >> n - 1) + 1 >> 1
            v = v + zero_point
            if uint(v) > span:
                v = ((v >> 31) ^ -1) & int(span)
            y[0] = v + low
            v = a1 >> 15
            m = w[3] * v
            n = w[4] * v
            v = a1 & 0x7FFF
            v = (w[4] * v + ((w[3] * v >> 15) + m >> 1) + 0x4000 >> 15) + n
            n = w[5]
            if n:
                v = ((v >> 31) + v >> n - 1) + 1 >> 1
            v = v + zero_point
            if uint(v) > span:
                v = ((v >> 31) ^ -1) & int(span)
            y[1] = v + low
            v = a2 >> 15
            m = w[6] * v
            n = w[7] * v
            v = a2 & 0x7FFF
            v = (w[7] * v + ((w[6] * v >> 15) + m >> 1) + 0x4000 >> 15) + n
            n = w[8]
            if n:
                v = ((v >> 31) + v >> n - 1) + 1 >> 1
            v = v + zero_point
            if uint(v) > span:
                v = ((v >> 31) ^ -1) & int(span)
            y[2] = v + low
            v = a3 >> 15
            m = w[9] * v
            n = w[10] * v
            v = a3 & 0x7FFF
            v = (w[10] * v + ((w[9] * v >> 15) + m >> 1) + 0x4000 >> 15) + n
            n = w[11]
            if n:
                v = ((v >> 31) + v >> n - 1) + 1 >> 1
            v = v + zero_point
            if uint(v) > span:
                v = ((v >> 31) ^ -1) & int(span)
            y[3] = v + low
            y = ptr8(int(y) + p[_OUTPUT_STEP])
            lanes += step
            if lanes == end:
                lanes += p[_LANES] - p[_LANES_END] + p[_ROW_STEP]
                end += p[_ROW_STEP]
                row -= 1
        if group == stream:
            stream = int(w) + 48
        out += 4
        groups -= 1
