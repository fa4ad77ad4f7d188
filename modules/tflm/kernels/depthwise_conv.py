# tflm: DEPTHWISE_CONV_2D, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package cnn; check convolution; units independent; order channels

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_TAPS = const(5)
_INPUT_HEIGHT = const(6)
_INPUT_WIDTH = const(7)
_INPUT_CHANNELS = const(8)
_OUTPUT_HEIGHT = const(9)
_OUTPUT_WIDTH = const(10)
_OUTPUT_CHANNELS = const(11)
_FILTER_HEIGHT = const(12)
_FILTER_WIDTH = const(13)
_STRIDE_HEIGHT = const(14)
_STRIDE_WIDTH = const(15)
_DILATION_HEIGHT = const(16)
_DILATION_WIDTH = const(17)
_PADDING_HEIGHT = const(18)
_PADDING_WIDTH = const(19)
_INPUT_OFFSET = const(20)
_OUTPUT_ZERO_POINT = const(21)
_ACTIVATION_MIN = const(22)
_ACTIVATION_MAX = const(23)
_PER_CHANNEL = const(24)
_CHANNELS = const(25)
_TABLE = const(26)
_MAX_TAPS = const(128)  # that fit the scratch buffer


# Units are rows of the output. Bytes are read unsigned with the top bit flipped (x'):
#   sum w * (x - zero point) = sum w * x' - input_offset * sum w
# One channel after the other runs over all pixels of the slice. Its filter is unpacked to words
# once, its multiplier stays in locals, and sum w is known for every pixel whose window crosses
# only the top or the bottom of the image. Windows that cross the left or the right edge are
# computed tap by tap, and so are filters that are too large for the scratch buffer.
@micropython.viper
def eval_int8(op, arena, rom, start, stop):
    _channels(0, 0, 0, op, arena, rom, start, stop)


# `acc`, `x` and `t` come first because the first locals are in registers.
@micropython.viper
def _channels(acc: int, x: ptr8, t: ptr32, op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_BIAS]
    bias = 0
    if word != 1:
        bias = (flash if word & 1 else base) + (word >> 2)
    word = r[_WEIGHTS]
    weights = (flash if word & 1 else base) + (word >> 2)
    word = r[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    channels = r[_OUTPUT_CHANNELS]
    out = base + (r[_OUTPUT] >> 2) + start * r[_OUTPUT_WIDTH] * channels
    taps = base + (r[_TAPS] >> 2)
    offset = r[_INPUT_OFFSET]
    depth = r[_INPUT_CHANNELS]
    multiplier = channels // depth
    width = r[_INPUT_WIDTH]
    columns = r[_FILTER_WIDTH]
    size = columns * r[_FILTER_HEIGHT]
    step = r[_DILATION_WIDTH] * depth
    row_step = r[_DILATION_HEIGHT] * width * depth
    # Windows that start in columns 0..inside-1 are within the image's left and right edge.
    inside = width - (columns - 1) * r[_DILATION_WIDTH]
    unpacked = 1
    if size > _MAX_TAPS:
        unpacked = 0
        inside = 0
    zero_point = (r[_OUTPUT_ZERO_POINT] << sign) >> sign
    low = ((r[_ACTIVATION_MIN] << sign) >> sign) - zero_point
    high = ((r[_ACTIVATION_MAX] << sign) >> sign) - zero_point
    batch_start = start // r[_OUTPUT_HEIGHT]
    y_start = start - batch_start * r[_OUTPUT_HEIGHT]
    channel = 0
    to_next = multiplier
    while channel < channels:
        k = channel if r[_PER_CHANNEL] else 0
        m = r[_TABLE + k]
        high_m = m >> 16
        low_m = m & 0xFFFF
        shift = 32 - ptr8(int(r) + 4 * (_TABLE + r[_CHANNELS]))[k]
        limit = 0
        if shift < 0:
            limit = 0x3FFFFFFF >> 0 - shift | 1
        first_value = 0
        if bias:
            first_value = ptr32(bias)[channel]
        # Unpack the filter.
        if unpacked:
            t = ptr32(taps)
            x = ptr8(weights + channel)
            k = size
            while k:
                t[0] = (x[0] ^ 0x80) - 0x80
                t = ptr32(int(t) + 4)
                x = ptr8(int(x) + channels)
                k -= 1
        batch = batch_start
        y = y_start
        to = out + channel
        rows_left = stop - start
        while rows_left:
            # Rows first..last-1 of the window are in the image.
            in_y = y * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
            last = r[_FILTER_HEIGHT]
            k = in_y + (last - 1) * r[_DILATION_HEIGHT]
            while last and k >= r[_INPUT_HEIGHT]:
                k -= r[_DILATION_HEIGHT]
                last -= 1
            first = 0
            while first < last and in_y < 0:
                in_y += r[_DILATION_HEIGHT]
                first += 1
            rows = last - first
            first = first * columns
            value = first_value
            if unpacked:
                t = ptr32(taps + 4 * first)
                acc = 0
                k = rows * columns
                while k:
                    acc = t[0] + acc
                    t = ptr32(int(t) + 4)
                    k -= 1
                value -= acc * offset
            in_x = 0 - r[_PADDING_WIDTH]
            line = source + ((batch * r[_INPUT_HEIGHT] + in_y) * width + in_x) * depth
            pixels = r[_OUTPUT_WIDTH]
            while pixels:
                row = line
                k = rows
                if in_x >= 0 and in_x < inside:
                    acc = value
                    t = ptr32(taps + 4 * first)
                    while k:
                        x = ptr8(row)
                        n = columns
                        while n > 3:
                            acc = (x[0] ^ 0x80) * t[0] + acc
                            x = ptr8(int(x) + step)
                            acc = (x[0] ^ 0x80) * t[1] + acc
                            x = ptr8(int(x) + step)
                            t = ptr32(int(t) + 8)
                            n -= 2
                        if n == 3:
                            acc = (x[0] ^ 0x80) * t[0] + acc
                            x = ptr8(int(x) + step)
                            acc = (x[0] ^ 0x80) * t[1] + acc
                            x = ptr8(int(x) + step)
                            acc = (x[0] ^ 0x80) * t[2] + acc
                            t = ptr32(int(t) + 12)
                            n = 0
                        while n:
                            acc = (x[0] ^ 0x80) * t[0] + acc
                            x = ptr8(int(x) + step)
                            t = ptr32(int(t) + 4)
                            n -= 1
                        row += row_step
                        k -= 1
                else:
                    # Columns left..columns-n of the window are in the image.
                    acc = first_value
                    left = 0
                    n = columns
                    column = in_x
                    while n and column < 0:
                        column += r[_DILATION_WIDTH]
                        left += 1
                        n -= 1
                    row += left * step
                    column += (n - 1) * r[_DILATION_WIDTH]
                    while n and column >= width:
                        column -= r[_DILATION_WIDTH]
                        n -= 1
                    left += first
                    if unpacked:
                        t = ptr32(taps + 4 * left)
                        left = 4 * (columns - n)
                        while k:
                            x = ptr8(row)
                            if n & 1:
                                acc = ((x[0] ^ 0x80) - offset) * t[0] + acc
                                x = ptr8(int(x) + step)
                                t = ptr32(int(t) + 4)
                            pairs = n >> 1
                            while pairs:
                                acc = ((x[0] ^ 0x80) - offset) * t[0] + acc
                                x = ptr8(int(x) + step)
                                acc = ((x[0] ^ 0x80) - offset) * t[1] + acc
                                x = ptr8(int(x) + step)
                                t = ptr32(int(t) + 8)
                                pairs -= 1
                            t = ptr32(int(t) + left)
                            row += row_step
                            k -= 1
                    f = weights + left * channels + channel
                    while k:
                        x = ptr8(row)
                        w = ptr8(f)
                        pairs = n
                        while pairs:
                            acc = ((w[0] ^ 0x80) - 0x80) * ((x[0] ^ 0x80) - offset) + acc
                            x = ptr8(int(x) + step)
                            w = ptr8(int(w) + channels)
                            pairs -= 1
                        row += row_step
                        f += columns * channels
                        k -= 1
                # MultiplyByQuantizedMultiplier as in requantize.py, with the table of its block.
                acc = (acc << sign) >> sign
                n = shift
                if n < 0:
                    if acc > limit:
                        acc = limit
                    if acc < 0 - limit:
                        acc = 0 - limit
                    acc = acc << 0 - n
                    n = 0
                if sign:
                    acc = (acc * m >> 30) + 1 >> 1
                else:
                    k = acc >> 16
                    acc = acc & 0xFFFF
                    b = k * low_m + ((acc * low_m >> 16) & 0xFFFF)
                    acc = acc * high_m
                    acc = ((acc & b & 1) + (acc >> 1) + (b >> 1) + 0x2000 >> 14) + (
                        k * high_m << 1
                    )
                if n:
                    acc = (acc >> 31) + acc
                    acc = (acc >> n - 1) + 1 >> 1
                if acc < low:
                    acc = low
                if acc > high:
                    acc = high
                ptr8(to)[0] = acc + zero_point
                to += channels
                line += r[_STRIDE_WIDTH] * depth
                in_x += r[_STRIDE_WIDTH]
                pixels -= 1
            y += 1
            if y == r[_OUTPUT_HEIGHT]:
                y = 0
                batch += 1
            rows_left -= 1
        channel += 1
        to_next -= 1
        if not to_next:
            to_next = multiplier
            source += 1
