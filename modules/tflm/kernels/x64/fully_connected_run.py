# tflm: x86-64: FULLY_CONNECTED, int8: two channels in one multiplication
# MIT license; Copyright (c) 2026 the tflm authors

# A record of fully_connected.py's; what are called places are byte offsets in it.
_INPUT = const(1)
_OUTPUT = const(2)
_DEPTH = const(3)
_BATCHES = const(4)
_CHANNELS = const(5)
_BLOCK = const(6)
_CLAMP = const(7)
_CLAMP_HIGH = const(8)
_TIES = const(9)
_LOWEST = const(10)
_HIGHEST = const(11)
_IS_WIDE = const(12)
_TAPS = const(13)
_SUMS = const(14)
_WEIGHTS = const(15)
_CONSTANTS = const(16)


# A word holds the weights of two channels, w0 + (w1 << 24), as bytes with the top bit flipped
# (w' = w + 128); so are inputs (x' = x + 128):
#   sum w * x' = sum w' * x' - 128 * sum x'
# First the taps with x' > 0 are listed, as x' and the way to their weights from those of the tap
# before; behind a RELU many are 0. Each block of taps begins with how many are listed and sum x'.
# Then 16 channels at a time go over the list.
@micropython.viper
def run_int8(op, arena, rom, start: int, stop: int):
    _run(0, 0, 0, op, arena, rom, start, stop)


# `xv`, `w` and `x` come first because the first locals live in registers.
@micropython.viper
def _run(xv: int, w: ptr32, x: ptr32, op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    me = int(r)
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2)
    out = int(ptr8(arena)) + (r[_OUTPUT] >> 2)
    depth = r[_DEPTH]
    taps = me + r[_TAPS]
    block = r[_BLOCK]
    clamp = ptr8((r[_CLAMP_HIGH] << 32) + r[_CLAMP])
    zeros = ptr32(me + r[_SUMS])
    sums = ptr32(int(zeros) + 64)
    wide = r[_IS_WIDE]
    ties = r[_TIES]
    low = r[_LOWEST] << 32 >> 32
    high = r[_HIGHEST] << 32 >> 32
    mask = 0xFFFFFF
    half = 1 << 23
    half = half + (half << 24)
    first = start >> 4
    batches = r[_BATCHES]
    while batches:
        # List the taps.
        p = ptr8(source)
        x = ptr32(taps)
        left = depth
        while left:
            n = block
            if n > left:
                n = left
            left -= n
            head = x
            total = 0
            way = 0
            while n:
                xv = p[0] ^ 0x80
                p = ptr8(int(p) + 1)
                if xv:
                    x = ptr32(int(x) + 8)
                    x[0] = xv
                    x[1] = way
                    total += xv
                    way = 0
                way += 32
                n -= 1
            head[0] = (int(x) - int(head)) >> 3
            head[1] = total
            x = ptr32(int(x) + 8)
        channel = first << 4
        filters = me + r[_WEIGHTS] + first * depth * 32
        while channel < stop:
            x = ptr32(taps)
            before = zeros
            left = depth
            while left > 0:
                n = x[0]
                total = half - ((x[1] << 7) + (x[1] << 31))
                x = ptr32(int(x) + 8)
                w = ptr32(filters)
                a0 = total
                a1 = total
                a2 = total
                a3 = total
                a4 = total
                a5 = total
                a6 = total
                a7 = total
                while n:
                    xv = x[0]
                    w = ptr32(int(w) + x[1])
                    a0 = w[0] * xv + a0
                    a1 = w[1] * xv + a1
                    a2 = w[2] * xv + a2
                    a3 = w[3] * xv + a3
                    a4 = w[4] * xv + a4
                    a5 = w[5] * xv + a5
                    a6 = w[6] * xv + a6
                    a7 = w[7] * xv + a7
                    x = ptr32(int(x) + 8)
                    n -= 1
                sums[0] = (a0 & mask) + before[0]
                sums[1] = (a0 >> 24 & mask) + before[1]
                sums[2] = (a1 & mask) + before[2]
                sums[3] = (a1 >> 24 & mask) + before[3]
                sums[4] = (a2 & mask) + before[4]
                sums[5] = (a2 >> 24 & mask) + before[5]
                sums[6] = (a3 & mask) + before[6]
                sums[7] = (a3 >> 24 & mask) + before[7]
                sums[8] = (a4 & mask) + before[8]
                sums[9] = (a4 >> 24 & mask) + before[9]
                sums[10] = (a5 & mask) + before[10]
                sums[11] = (a5 >> 24 & mask) + before[11]
                sums[12] = (a6 & mask) + before[12]
                sums[13] = (a6 >> 24 & mask) + before[13]
                sums[14] = (a7 & mask) + before[14]
                sums[15] = (a7 >> 24 & mask) + before[15]
                before = sums
                n = block
                if n > left:
                    n = left
                left -= n
                filters += 32 * n
            # Outputs: see fill_constants() in bound.py.
            s = sums
            c = channel
            if c < start:
                c = start
                s = ptr32(int(s) + 4 * (start - channel))
            channel += 16
            n = channel
            if n > stop:
                n = stop
            n -= c
            x = ptr32(me + r[_CONSTANTS] + 24 * c)
            p = ptr8(out + c)
            while n:
                xv = s[0] * x[0] + ((x[3] << 32) + x[2])
                if ties:
                    xv = (xv - ((x[5] << 32) + x[4]) >> 63 << 31) + xv
                xv = xv >> x[1]
                if wide:
                    if xv < low:
                        xv = low
                    if xv > high:
                        xv = high
                p[0] = clamp[xv]
                p = ptr8(int(p) + 1)
                s = ptr32(int(s) + 4)
                x = ptr32(int(x) + 24)
                n -= 1
        source += depth
        out += r[_CHANNELS]
        batches -= 1
