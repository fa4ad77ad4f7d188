# tflm: x86-64: DEPTHWISE_CONV_2D, int8, whose window is a line of pixels: four channels at a time
# MIT license; Copyright (c) 2026 the tflm authors

# A record of columns.py's; what are called places are byte offsets in it.
_INPUT = const(1)
_OUTPUT = const(2)
_CHANNELS = const(3)
_TAPS = const(4)
_TAP_STEP = const(5)
_PIXEL_STEP = const(6)
_OUTPUT_ZERO_POINT = const(7)
_ACTIVATION_MIN = const(8)
_ACTIVATION_MAX = const(9)
_SUMS = const(10)
_CONSTANTS = const(11)
_WEIGHTS = const(12)


# Units are pixels: rows of the output.
@micropython.viper
def run_pixels(op, arena, rom, start: int, stop: int):
    _run(0, 0, 0, op, arena, rom, start, stop)


# Units are channels of the only pixel there is; all are done together with the last one.
@micropython.viper
def run_channels(op, arena, rom, start: int, stop: int):
    if stop == ptr32(op)[_CHANNELS]:
        _run(0, 0, 0, op, arena, rom, 0, 1)


# The constants of a channel: what its sum begins with, multiplier, right shift. The first locals
# live in registers: `v` is a value, or how many taps are left.
@micropython.viper
def _run(v: int, x: ptr8, w: ptr32, op, arena, rom, pixel: int, pixels: int):
    r = ptr32(op)
    me = int(r)
    channels = r[_CHANNELS]
    taps = r[_TAPS]
    tap_step = r[_TAP_STEP]
    word = r[_INPUT]
    source = int(ptr8(rom)) if word & 1 else int(ptr8(arena))
    source += (word >> 2) + pixel * r[_PIXEL_STEP]
    y = ptr8(int(ptr8(arena)) + (r[_OUTPUT] >> 2) + pixel * channels)
    low = r[_ACTIVATION_MIN] << 32 >> 32
    zero_point = (r[_OUTPUT_ZERO_POINT] << 32 >> 32) - low
    span = uint((r[_ACTIVATION_MAX] << 32 >> 32) - low)
    one = 1
    half = one << 30
    while pixel < pixels:
        w = ptr32(me + r[_WEIGHTS])
        q = ptr32(me + r[_CONSTANTS])
        s = ptr32(me + r[_SUMS])
        at = source
        n = channels >> 2
        while n:
            x = ptr8(at)
            a0 = q[0]
            a1 = q[3]
            a2 = q[6]
            a3 = q[9]
            v = taps
            while v:
                a0 = (x[0] ^ 0x80) * w[0] + a0
                a1 = (x[1] ^ 0x80) * w[1] + a1
                a2 = (x[2] ^ 0x80) * w[2] + a2
                a3 = (x[3] ^ 0x80) * w[3] + a3
                x = ptr8(int(x) + tap_step)
                w = ptr32(int(w) + 16)
                v -= 1
            s[0] = a0
            s[1] = a1
            s[2] = a2
            s[3] = a3
            s = ptr32(int(s) + 16)
            q = ptr32(int(q) + 48)
            at += 4
            n -= 1
        w = ptr32(me + r[_CONSTANTS])
        s = ptr32(me + r[_SUMS])
        n = channels
        while n:
            v = (s[0] << 32 >> 32) * w[1] + half >> 31
            e = w[2]
            if e:
                v = (v >> 63) + v + (one << e - 1) >> e
            v = v + zero_point
            if uint(v) > span:
                v = ((v >> 63) ^ -1) & int(span)
            y[0] = v + low
            y = ptr8(int(y) + 1)
            s = ptr32(int(s) + 4)
            w = ptr32(int(w) + 12)
            n -= 1
        source += r[_PIXEL_STEP]
        pixel += 1
