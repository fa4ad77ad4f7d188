# tflm: DEPTHWISE_CONV_2D, int8, whose window is a line of pixels (prepare/depthwise_column.py)
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types packed; package cnn; check columns; units independent; order channels

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_OUTPUT_CHANNELS = const(5)
_TAPS = const(6)
_TAP_STEP = const(7)
_PIXELS = const(8)
_PIXEL_STEP = const(9)
_CHANNEL_BYTES = const(10)
_OUTPUT_ZERO_POINT = const(11)
_ACTIVATION_MIN = const(12)
_ACTIVATION_MAX = const(13)


# Units are channels. `op` and `arena`, which are in registers, become the input and the weights.
# The rounding is explained in lanes_multiply.py.
@micropython.viper
def eval_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2) + start
    word = op[_STREAM]
    size = op[_CHANNEL_BYTES]
    stream = (int(rom) if word & 1 else int(arena)) + (word >> 2) + start * size
    target = int(arena) + (op[_OUTPUT] >> 2) + start
    step = op[_OUTPUT_CHANNELS]
    taps = op[_TAPS]
    tap_step = op[_TAP_STEP]
    pixels = op[_PIXELS]
    pixel_step = op[_PIXEL_STEP]
    low = (op[_ACTIVATION_MIN] << sign) >> sign
    zero_point = ((op[_OUTPUT_ZERO_POINT] << sign) >> sign) - low
    span = uint(((op[_ACTIVATION_MAX] << sign) >> sign) - low)
    while start < stop:
        q = ptr32(stream)
        bias = (q[0] << sign) >> sign
        m = q[1]
        high = m >> 16
        m = m & 0xFFFF
        shift = ptr8(stream)[8 + taps]
        x = source
        y = ptr8(target)
        left = pixels
        while left:
            a = bias
            op = ptr32(x)
            arena = ptr8(stream + 8)
            n = taps
            while n:
                a += ((ptr8(op)[0] ^ 0x80) - 0x80) * ((arena[0] ^ 0x80) - 0x80)
                op = ptr32(int(op) + tap_step)
                arena = ptr8(int(arena) + 1)
                n -= 1
            v = a >> 15
            a = a & 0x7FFF
            v = (high * a + ((m * a >> 15) + m * v >> 1) + 0x4000 >> 15) + high * v
            if shift:
                v = ((v >> 31) + v >> shift - 1) + 1 >> 1
            v = v + zero_point
            if uint(v) > span:
                v = ((v >> 31) ^ -1) & int(span)
            y[0] = v + low
            x += pixel_step
            y = ptr8(int(y) + step)
            left -= 1
        source += 1
        target += 1
        stream += size
        start += 1
