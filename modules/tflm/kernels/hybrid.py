# tflm: CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of float32 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check hybrid

from .float32 import add, mul
from .float32_convert import from_int
from .float32_select import clamp

_QUANTIZED = const(1)
_SCALES = const(2)
_OFFSETS = const(3)
_WEIGHTS = const(4)
_WEIGHT_SCALES = const(5)
_BIAS = const(6)
_OUTPUT = const(7)
_INPUT_HEIGHT = const(8)
_INPUT_WIDTH = const(9)
_INPUT_CHANNELS = const(10)
_OUTPUT_HEIGHT = const(11)
_OUTPUT_WIDTH = const(12)
_OUTPUT_CHANNELS = const(13)
_FILTER_HEIGHT = const(14)
_FILTER_WIDTH = const(15)
_STRIDE_HEIGHT = const(16)
_STRIDE_WIDTH = const(17)
_DILATION_HEIGHT = const(18)
_DILATION_WIDTH = const(19)
_PADDING_HEIGHT = const(20)
_PADDING_WIDTH = const(21)
_DEPTH = const(22)  # channels of the filter
_GROUP_CHANNELS = const(23)  # output channels of a group
_CHANNEL_STEP = const(24)  # bytes of weights from one output channel to the next
_CELL_STEP = const(25)  # and from one cell of the filter to the next
_PER_CHANNEL = const(26)
_ACTIVATION_MIN = const(27)  # and the maximum after it

_INT32 = const(3)
_IN_PLACE = const(1 | 1 << 10)  # steps: dst and a advance
_EACH = const(1 << 20)  # steps: b advances, too


# Units are outputs: channels of pixels of batches. hybrid_quantize.py has quantized the input to
# int8. Sums are exact integers, which two scales convert to float32. Cells of the filter outside
# of the image are skipped. The limits of the activation are in the record, which is passed as the
# ROM.
@micropython.viper
def outputs(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_WEIGHTS]
    weights = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    out = ptr32(base + (r[_OUTPUT] >> 2))
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
        offset = (ptr32(base + (r[_OFFSETS] >> 2))[batch] << sign) >> sign
        offset += 0x80
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
        while start < end:
            total = 0
            group = channel // r[_GROUP_CHANNELS] * depth
            row = (batch * r[_INPUT_HEIGHT] + y) * r[_INPUT_WIDTH] + x
            filter_row = top
            in_y = y
            while filter_row < r[_FILTER_HEIGHT] and in_y < r[_INPUT_HEIGHT]:
                q = ptr8(base + (r[_QUANTIZED] >> 2) + row * r[_INPUT_CHANNELS] + group)
                cell = filter_row * r[_FILTER_WIDTH] + left
                w = ptr8(weights + channel * r[_CHANNEL_STEP] + cell * r[_CELL_STEP])
                n = cells
                while n:
                    i = 0
                    while i < depth:
                        total += ((q[i] ^ 0x80) - offset) * ((w[i] ^ 0x80) - 0x80)
                        i += 1
                    q = ptr8(int(q) + r[_DILATION_WIDTH] * r[_INPUT_CHANNELS])
                    w = ptr8(int(w) + r[_CELL_STEP])
                    n -= 1
                row += r[_DILATION_HEIGHT] * r[_INPUT_WIDTH]
                in_y += r[_DILATION_HEIGHT]
                filter_row += 1
            out[start] = total
            start += 1
            channel += 1
        n = start - first
        channel -= n
        dst = r[_OUTPUT] + (first << 4)
        from_int(arena, rom, dst, dst, n, _INT32)
        steps = _IN_PLACE
        word = r[_WEIGHT_SCALES]
        if r[_PER_CHANNEL]:
            steps = _IN_PLACE | _EACH
            word += channel << 4
        mul(arena, rom, dst, dst, word, n, steps)
        mul(arena, rom, dst, dst, r[_SCALES] + (batch << 4), n, _IN_PLACE)
        if r[_BIAS] != 1:
            add(arena, rom, dst, dst, r[_BIAS] + (channel << 4), n, _IN_PLACE | _EACH)
        clamp(arena, op, dst, n, _ACTIVATION_MIN << 4 | 1)
        channel = 0
        pixel += 1


@micropython.viper
def eval_float32(op, arena, rom, start, stop):
    outputs(op, arena, rom, start, stop)
