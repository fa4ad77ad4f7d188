# tflm: rows of 3x3 DEPTHWISE_CONV_2D as vectors of 16 bytes, for boards without vectors
# MIT license; Copyright (c) 2026 the tflm authors

# Words of the parameters; see tools/asm/kernels/parameters.py. Here addresses are offsets in the
# arena; the address of image or stream is an offset in its memory.
_ROW = const(0)
_SOURCE = const(1)
_LEFT = const(2)
_COLUMNS = const(3)
_RIGHT = const(4)
_CHANNELS = const(5)
_BLOCK_STEP = const(6)
_FILL = const(7)
_PLANE = const(8)
_MOVED_FROM = const(9)
_MOVED_BYTES = const(10)
_STREAM = const(11)
_OUTPUT = const(12)
_WIDTH = const(13)
_PIXEL_STEP = const(14)
_PLANE_ROW = const(15)
_OUTPUT_STEP = const(16)


# Move rows to the beginning of the plane, then load a row of the image: for each 16 channels a
# vector of each column, with zero points outside of the image. Bytes of channels that do not exist
# keep any value. `to` is the arena, `v` the offset of the parameters in it, `memory` holds the
# image.
@micropython.viper
def load_row(to: ptr32, v: int, memory: ptr8):
    base = int(to)
    p = ptr32(base + v)
    to = ptr32(base + p[_PLANE])
    x = ptr32(base + p[_MOVED_FROM])
    n = p[_MOVED_BYTES] >> 2
    while n:
        to[0] = x[0]
        to = ptr32(int(to) + 4)
        x = ptr32(int(x) + 4)
        n -= 1
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    source = int(memory) + ((p[_SOURCE] << sign) >> sign)
    row = base + p[_ROW]
    channels = p[_CHANNELS]
    while channels > 0:
        to = ptr32(row)
        columns = p[_COLUMNS]
        n = p[_LEFT]
        while True:
            while n:
                k = 4
                while k:
                    to[0] = p[_FILL]
                    to = ptr32(int(to) + 4)
                    k -= 1
                n -= 1
            if not columns:
                break
            from_ = source
            while columns:
                k = 16 if channels > 16 else channels
                while k:
                    k -= 1
                    ptr8(to)[k] = ptr8(from_)[k]
                to = ptr32(int(to) + 16)
                from_ += p[_CHANNELS]
                columns -= 1
            n = p[_RIGHT]
        source += 16
        row += p[_BLOCK_STEP]
        channels -= 16


# Outputs of a row of windows. `w` is the arena, `v` the offset of the parameters in it, `memory`
# holds the stream. The upper word of a product is made of four products of halfwords.
@micropython.viper
def multiply_row(w: ptr8, v: int, memory: ptr8):
    base = int(w)
    p = ptr32(base + v)
    sign = 0x20000000
    sign = sign << 3 >> 27
    plane = base + p[_PLANE]
    stream = int(memory) + p[_STREAM]
    channel = 0
    while channel < p[_CHANNELS]:
        numbers = ptr32(stream + 144 + 8 * (channel & 15))
        bias = (numbers[0] << sign) >> sign
        upper = numbers[1] >> 16
        lower = numbers[1] & 0xFFFF
        y = ptr8(base + p[_OUTPUT] + channel)
        column = plane + (channel & 15)
        pixels = p[_WIDTH]
        while pixels:
            acc = 0
            w = ptr8(stream + (channel & 15))
            x = ptr8(column)
            n = 3
            while n:
                acc += ((w[0] ^ 0x80) - 0x80) * ((x[0] ^ 0x80) - 0x80)
                acc += ((w[16] ^ 0x80) - 0x80) * ((x[16] ^ 0x80) - 0x80)
                acc += ((w[32] ^ 0x80) - 0x80) * ((x[32] ^ 0x80) - 0x80)
                w = ptr8(int(w) + 48)
                x = ptr8(int(x) + p[_PLANE_ROW])
                n -= 1
            acc = ((acc << 12) + bias << sign) >> sign
            v = acc & 0xFFFF
            acc = acc >> 16
            k = acc * lower + ((v * lower >> 16) & 0xFFFF)
            v = (k & 0xFFFF) + v * upper
            acc = acc * upper + (k >> 16) + (v >> 16) >> 12
            if acc < -128:
                acc = -128
            if acc > 127:
                acc = 127
            y[0] = acc
            y = ptr8(int(y) + p[_OUTPUT_STEP])
            column += p[_PIXEL_STEP]
            pixels -= 1
        channel += 1
        if not channel & 15:
            plane += p[_BLOCK_STEP]
            stream += 272
