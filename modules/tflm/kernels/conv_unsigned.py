# tflm: CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of int8 with weights of uint8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types uint8; package cnn; check unsigned

from .requantize import store_int8

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_ACCUMULATORS = const(5)
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
_DEPTH = const(20)  # channels of the filter
_GROUP_CHANNELS = const(21)  # output channels of a group
_CHANNEL_STEP = const(22)  # bytes of weights from one output channel to the next
_CELL_STEP = const(23)  # and from one cell of the filter to the next
_INPUT_OFFSET = const(24)
_WEIGHTS_OFFSET = const(25)
_BLOCK = const(26)  # accumulators that the scratch buffer holds
_ONCE = const(27)  # 1: sums are rounded once
_OUTPUT_ZERO_POINT = const(28)  # and the other words of REQUANTIZE
_ACTIVATION_MIN = const(29)
_ACTIVATION_MAX = const(30)
_MULTIPLIER = const(33)
_SHIFT = const(34)


# Units are outputs: channels of pixels of batches. Old converters gave all weights one zero point.
# Cells of the filter outside of the image are skipped, because they have the value of the zero
# point.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    constants = int(ptr8(rom))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_INPUT]
    source = (constants if word & 1 else base) + (word >> 2)
    word = r[_WEIGHTS]
    weights = (constants if word & 1 else base) + (word >> 2)
    word = r[_BIAS]
    bias = ptr32((constants if word & 1 else base) + (word >> 2))
    offset = r[_INPUT_OFFSET]
    zero = r[_WEIGHTS_OFFSET]
    channels = r[_OUTPUT_CHANNELS]
    depth = r[_DEPTH]
    pixel = start // channels
    channel = start - pixel * channels
    while start < stop:
        # The cells of the filter that are in the image.
        y = pixel // r[_OUTPUT_WIDTH]
        x = (pixel - y * r[_OUTPUT_WIDTH]) * r[_STRIDE_WIDTH] - r[_PADDING_WIDTH]
        batch = y // r[_OUTPUT_HEIGHT]
        y = (y - batch * r[_OUTPUT_HEIGHT]) * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
        top = 0
        while y < 0 and top < r[_FILTER_HEIGHT]:
            y += r[_DILATION_HEIGHT]
            top += 1
        left = 0
        while x < 0 and left < r[_FILTER_WIDTH]:
            x += r[_DILATION_WIDTH]
            left += 1
        cells = r[_FILTER_WIDTH] - left
        last = x + (cells - 1) * r[_DILATION_WIDTH]
        while cells and last >= r[_INPUT_WIDTH]:
            last -= r[_DILATION_WIDTH]
            cells -= 1
        # From here to the pixel's last channel.
        first = start
        end = start + channels - channel
        if end > stop:
            end = stop
        if end > start + r[_BLOCK]:
            end = start + r[_BLOCK]
        out = ptr32(base + (r[_ACCUMULATORS] >> 2))
        while start < end:
            total = 0
            if r[_BIAS] != 1:
                total = (bias[channel] << sign) >> sign
            group = channel // r[_GROUP_CHANNELS] * depth
            row = (batch * r[_INPUT_HEIGHT] + y) * r[_INPUT_WIDTH] + x
            filter_row = top
            in_y = y
            while filter_row < r[_FILTER_HEIGHT] and in_y < r[_INPUT_HEIGHT]:
                q = ptr8(source + row * r[_INPUT_CHANNELS] + group)
                cell = filter_row * r[_FILTER_WIDTH] + left
                w = ptr8(weights + channel * r[_CHANNEL_STEP] + cell * r[_CELL_STEP])
                n = cells
                while n:
                    i = 0
                    while i < depth:
                        total += ((q[i] ^ 0x80) - offset) * (w[i] - zero)
                        i += 1
                    q = ptr8(int(q) + r[_DILATION_WIDTH] * r[_INPUT_CHANNELS])
                    w = ptr8(int(w) + r[_CELL_STEP])
                    n -= 1
                row += r[_DILATION_HEIGHT] * r[_INPUT_WIDTH]
                in_y += r[_DILATION_HEIGHT]
                filter_row += 1
            out[0] = total
            out = ptr32(int(out) + 4)
            start += 1
            channel += 1
        sums = r[_ACCUMULATORS] >> 2
        word = (r[_OUTPUT] >> 2) + first
        if r[_ONCE]:
            _store_once(op, base + sums, base + word, start - first)
        else:
            store_int8(op, arena, _OUTPUT_ZERO_POINT, sums, word, 0, start - first)
        if channel == channels:
            channel = 0
            pixel += 1


# Requantize as requantize.store_int8 does with a multiplier below 1, but round once, halves up:
#   floor((v * m + 2**(30 + e)) / 2**(31 + e)) = floor((floor(v * m / 2**31) + 2**(e - 1)) / 2**e)
@micropython.viper
def _store_once(op: ptr32, sums: int, output: int, count: int):
    sign = 0x20000000
    sign = sign << 3 >> 27
    zero_point = (op[_OUTPUT_ZERO_POINT] << sign) >> sign
    low = ((op[_ACTIVATION_MIN] << sign) >> sign) - zero_point
    high = ((op[_ACTIVATION_MAX] << sign) >> sign) - zero_point
    e = 32 - (op[_SHIFT] & 0xFF)
    m = op[_MULTIPLIER]
    while count:
        v = (ptr32(sums)[0] << sign) >> sign
        if sign:
            v = m * v >> 31
        else:
            h = v >> 16
            v = v & 0xFFFF
            b = m & 0xFFFF
            b = h * b + ((v * b >> 16) & 0xFFFF)
            v = v * (m >> 16)
            v = ((v & b & 1) + (v >> 1) + (b >> 1) >> 14) + (h * (m >> 16) << 1)
        v = (v >> e - 1) + 1 >> 1
        if v < low:
            v = low
        if v > high:
            v = high
        ptr8(output)[0] = v + zero_point
        sums += 4
        output += 1
        count -= 1
