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
_OUTPUT_ZERO_POINT = const(27)  # and the rest of REQUANTIZE


# Units are outputs: channels of pixels of batches. Old converters gave all weights one zero point.
# Cells of the filter outside the image are left out: they have the value of the zero point.
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
        # The cells of the filter that lie in the image.
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
        store_int8(
            op,
            arena,
            _OUTPUT_ZERO_POINT,
            r[_ACCUMULATORS] >> 2,
            (r[_OUTPUT] >> 2) + first,
            0,
            start - first,
        )
        if channel == channels:
            channel = 0
            pixel += 1
