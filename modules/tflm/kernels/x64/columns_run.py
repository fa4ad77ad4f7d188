# tflm: x86-64: DEPTHWISE_CONV_2D, int8, whose window is a line of pixels: four channels at a time
# MIT license; Copyright (c) 2026 the tflm authors

# Words of a record of columns.py; the last ones are byte offsets in it.
_INPUT = const(1)
_OUTPUT = const(2)
_UNITS = const(3)  # units of a pixel; the last one computes it
_CHANNELS = const(4)
_TAPS = const(5)
_TAP_STEP = const(6)
_PIXEL_STEP = const(7)
_OUTPUT_ZERO_POINT = const(8)
_ACTIVATION_MIN = const(9)
_ACTIVATION_MAX = const(10)
_SUMS = const(11)
_CONSTANTS = const(12)
_WEIGHTS = const(13)


# Units are pixels, or channels of the only pixel. The constants of a channel: initial value of the
# sum, multiplier, right shift. `op`, `arena` and `rom`, which are in registers, become the weights
# or constants, the input and the output.
@micropython.viper
def run_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    r = op
    me = int(op)
    channels = op[_CHANNELS]
    taps = op[_TAPS]
    tap_step = op[_TAP_STEP]
    pixel = start // op[_UNITS]
    pixels = stop // op[_UNITS]
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2) + pixel * op[_PIXEL_STEP]
    rom = ptr8(int(arena) + (op[_OUTPUT] >> 2) + pixel * channels)
    low = op[_ACTIVATION_MIN] << 32 >> 32
    zero_point = (op[_OUTPUT_ZERO_POINT] << 32 >> 32) - low
    span = uint((op[_ACTIVATION_MAX] << 32 >> 32) - low)
    one = 1
    half = one << 30
    while pixel < pixels:
        op = ptr32(me + r[_WEIGHTS])
        q = ptr32(me + r[_CONSTANTS])
        s = ptr32(me + r[_SUMS])
        at = source
        n = channels >> 2
        while n:
            arena = ptr8(at)
            a0 = q[0]
            a1 = q[3]
            a2 = q[6]
            a3 = q[9]
            k = taps
            while k:
                a0 = (arena[0] ^ 0x80) * op[0] + a0
                a1 = (arena[1] ^ 0x80) * op[1] + a1
                a2 = (arena[2] ^ 0x80) * op[2] + a2
                a3 = (arena[3] ^ 0x80) * op[3] + a3
                arena = ptr8(int(arena) + tap_step)
                op = ptr32(int(op) + 16)
                k -= 1
            s[0] = a0
            s[1] = a1
            s[2] = a2
            s[3] = a3
            s = ptr32(int(s) + 16)
            q = ptr32(int(q) + 48)
            at += 4
            n -= 1
        op = ptr32(me + r[_CONSTANTS])
        s = ptr32(me + r[_SUMS])
        n = channels
        while n:
            v = (s[0] << 32 >> 32) * op[1] + half >> 31
            k = op[2]
            if k:
                v = (v >> 63) + v + (one << k - 1) >> k
            v = v + zero_point
            if uint(v) > span:
                v = ((v >> 63) ^ -1) & int(span)
            rom[0] = v + low
            rom = ptr8(int(rom) + 1)
            s = ptr32(int(s) + 4)
            op = ptr32(int(op) + 12)
            n -= 1
        source += r[_PIXEL_STEP]
        pixel += 1
