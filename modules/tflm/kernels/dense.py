# tflm: one output pixel of CONV_2D, or FULLY_CONNECTED: weights of one byte, used once
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types packed; package cnn; check dense; units independent

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_DEPTH = const(5)
_OUTPUT_CHANNELS = const(6)
_OUTPUT_ZERO_POINT = const(7)
_ACTIVATION_MIN = const(8)
_ACTIVATION_MAX = const(9)


# Units are groups of four channels. `op` and `arena`, which are in registers, become the weights
# and the input. The rounding is explained in lanes_multiply.py.
@micropython.viper
def eval_bytes(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    depth = op[_DEPTH]
    word = op[_STREAM]
    stream = (int(rom) if word & 1 else int(arena)) + (word >> 2) + start * (4 * depth + 36)
    y = ptr8(int(arena) + (op[_OUTPUT] >> 2) + 4 * start)
    count = op[_OUTPUT_CHANNELS]
    if count > 4 * stop:
        count = 4 * stop
    count -= 4 * start
    low = (op[_ACTIVATION_MIN] << sign) >> sign
    zero_point = ((op[_OUTPUT_ZERO_POINT] << sign) >> sign) - low
    span = uint(((op[_ACTIVATION_MAX] << sign) >> sign) - low)
    arena = ptr8(source)
    total = 0
    n = depth
    while n:
        total += (arena[0] ^ 0x80) - 0x80
        arena = ptr8(int(arena) + 1)
        n -= 1
    total = total << 7
    channel = 0
    while count:
        a = ((ptr32(stream)[channel] << sign) >> sign) - total
        op = ptr32(stream + 16 + channel)
        arena = ptr8(source)
        n = depth >> 2
        while n:
            a = ptr8(op)[0] * ((arena[0] ^ 0x80) - 0x80) + a
            a = ptr8(op)[4] * ((arena[1] ^ 0x80) - 0x80) + a
            a = ptr8(op)[8] * ((arena[2] ^ 0x80) - 0x80) + a
            a = ptr8(op)[12] * ((arena[3] ^ 0x80) - 0x80) + a
            op = ptr32(int(op) + 16)
            arena = ptr8(int(arena) + 4)
            n -= 1
        q = ptr32(stream + 16 + 4 * depth)
        n = q[channel]
        high = n >> 16
        n = n & 0xFFFF
        v = a >> 15
        a = a & 0x7FFF
        v = (high * a + ((n * a >> 15) + n * v >> 1) + 0x4000 >> 15) + high * v
        n = ptr8(q)[16 + channel]
        if n:
            v = ((v >> 31) + v >> n - 1) + 1 >> 1
        v = v + zero_point
        if uint(v) > span:
            v = ((v >> 31) ^ -1) & int(span)
        y[0] = v + low
        y = ptr8(int(y) + 1)
        channel += 1
        if channel == 4:
            channel = 0
            stream += 4 * depth + 36
        count -= 1
