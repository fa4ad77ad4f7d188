# tflm: dot products with weights for MAC16 (prepare/mac16.py), for boards without it
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


# Outputs of groups of four channels for pixels in lanes (lanes.py). `w` is the arena, `v` the
# offset of the parameters in it, `memory` holds the stream. The upper word of the product of a sum
# and the channel's factor is made of four products of halfwords.
@micropython.viper
def multiply(w: ptr16, v: int, memory: ptr8):
    base = int(w)
    p = ptr32(base + v)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    low = (p[_ACTIVATION_MIN] << sign) >> sign
    high = (p[_ACTIVATION_MAX] << sign) >> sign
    zero_point = (p[_OUTPUT_ZERO_POINT] << sign) >> sign
    stream = int(memory) + p[_STREAM]
    size = p[_WINDOW] >> 1  # bytes of a channel's weights
    step = 1
    if not p[_GROUP]:
        size = p[_WINDOW]
        step = 2
    half = 0x00800080
    out = base + p[_OUTPUT]
    channels = 4 * p[_GROUPS]
    while channels:
        numbers = ptr32(stream + size)
        shift = (numbers[2] << sign) >> sign
        upper = numbers[1] >> 16
        lower = numbers[1] & 0xFFFF
        y = ptr8(out)
        lanes = base + p[_LANES]
        end = base + p[_LANES_END]
        row = p[_ROWS]
        while row:
            acc = (numbers[0] << sign) >> sign
            x = ptr32(lanes)
            n = p[_WINDOW] >> 3
            w = ptr16(stream)
            if step == 1:
                b = ptr8(stream)
                while n:
                    v = x[0] + half
                    acc += (b[0] - 128 << 1) * (v & 0xFFFF) + (b[2] - 128 << 1) * (
                        v >> 16 & 0xFFFF
                    )
                    v = x[1] + half
                    acc += (b[1] - 128 << 1) * (v & 0xFFFF) + (b[3] - 128 << 1) * (
                        v >> 16 & 0xFFFF
                    )
                    b = ptr8(int(b) + 4)
                    x = ptr32(int(x) + 8)
                    n -= 1
            while n:
                v = x[0] + half
                acc += ((w[0] ^ 0x8000) - 0x8000) * (v & 0xFFFF)
                acc += ((w[1] ^ 0x8000) - 0x8000) * (v >> 16 & 0xFFFF)
                v = x[1] + half
                acc += ((w[2] ^ 0x8000) - 0x8000) * (v & 0xFFFF)
                acc += ((w[3] ^ 0x8000) - 0x8000) * (v >> 16 & 0xFFFF)
                w = ptr16(int(w) + 8)
                x = ptr32(int(x) + 8)
                n -= 1
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
            lanes += p[_LANES_STEP]
            if lanes == end:
                lanes += p[_LANES] - p[_LANES_END] + p[_ROW_STEP]
                end += p[_ROW_STEP]
                row -= 1
        stream += size + 16
        out += 1
        channels -= 1
