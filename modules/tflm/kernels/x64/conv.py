# tflm: CONV_2D, int8, for words of 64 bits: two pixels in one multiplication
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
from micropython import const

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_TAPS = const(5)
_ACCUMULATORS = const(6)
_INPUT_HEIGHT = const(7)
_INPUT_WIDTH = const(8)
_INPUT_CHANNELS = const(9)
_OUTPUT_HEIGHT = const(10)
_OUTPUT_WIDTH = const(11)
_OUTPUT_CHANNELS = const(12)
_FILTER_HEIGHT = const(13)
_FILTER_WIDTH = const(14)
_STRIDE_HEIGHT = const(15)
_STRIDE_WIDTH = const(16)
_DILATION_HEIGHT = const(17)
_DILATION_WIDTH = const(18)
_PADDING_HEIGHT = const(19)
_PADDING_WIDTH = const(20)
_FILTER_CHANNELS = const(21)
_INPUT_OFFSET = const(22)
_OUTPUT_ZERO_POINT = const(23)
_ACTIVATION_MIN = const(24)
_ACTIVATION_MAX = const(25)
_PER_CHANNEL = const(26)
_CHANNELS = const(27)
_TABLE = const(28)
_BLOCK = const(64)  # taps that fit the scratch buffer
_PAIRS = const(32)  # channels whose accumulators for two pixels fit the scratch buffer


# Units are rows of the output. As in kernels/conv.py, but the taps t of a pixel and u of its
# neighbour share a word, t + (u << 23), so that one multiplication serves both. 64 products of
# 255 * 255 stay below 2**22: a sum of 64 taps comes apart again, its low 23 bits being the sum
# for t. Four channels share the taps; where fewer are left the last one is computed again.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    _rows(0, 0, 0, op, arena, rom, start, stop)


# `xv`, `xw` and `x` come first because the first locals live in registers.
@micropython.viper
def _rows(xv: int, xw: int, x: ptr32, op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = r[_BIAS]
    bias = 0
    if word != 1:
        bias = (flash if word & 1 else base) + (word >> 2)
    word = r[_WEIGHTS]
    weights = (flash if word & 1 else base) + (word >> 2)
    word = r[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    taps = base + (r[_TAPS] >> 2)
    sums = ptr32(base + (r[_ACCUMULATORS] >> 2))
    offset = r[_INPUT_OFFSET]
    offsets = offset + (offset << 23)
    depth = r[_INPUT_CHANNELS]
    channels = r[_OUTPUT_CHANNELS]
    width = r[_INPUT_WIDTH]
    zero_point = (r[_OUTPUT_ZERO_POINT] << 32) >> 32
    low = ((r[_ACTIVATION_MIN] << 32) >> 32) - zero_point
    high = ((r[_ACTIVATION_MAX] << 32) >> 32) - zero_point
    step = r[_PER_CHANNEL]
    multipliers = int(r) + 4 * _TABLE
    shifts = multipliers + 4 * r[_CHANNELS]
    # A row of the window is one run of bytes, or one for each column where these do not touch.
    run = r[_FILTER_CHANNELS]
    runs = r[_FILTER_WIDTH]
    group_channels = channels // (depth // run)  # filters for each group of input channels
    merged = 0
    if run == depth and r[_DILATION_WIDTH] == 1:
        merged = 1
        run = run * runs
        runs = 1
    window_row = run * runs
    filter_size = window_row * r[_FILTER_HEIGHT]
    to_neighbour = r[_STRIDE_WIDTH] * depth
    to = base + (r[_OUTPUT] >> 2) + start * r[_OUTPUT_WIDTH] * channels
    batch = start // r[_OUTPUT_HEIGHT]
    y = start - batch * r[_OUTPUT_HEIGHT]
    while start < stop:
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
        size = (last - first) * window_row
        filters = weights + first * window_row
        line = source + (batch * r[_INPUT_HEIGHT] + in_y) * width * depth
        in_x = 0 - r[_PADDING_WIDTH]
        pixels = r[_OUTPUT_WIDTH]
        while pixels:
            neighbours = 1 if pixels > 1 else 0
            group = 0
            channel = 0
            while channel < channels:
                # Channels channel..end-1 of one group share the taps.
                end = (group + 1) * group_channels
                if size > _BLOCK and end - channel > _PAIRS:
                    end = channel + _PAIRS
                row = line + in_x * depth
                if run != depth:
                    row += group * r[_FILTER_CHANNELS]
                if end == (group + 1) * group_channels:
                    group += 1
                cell = row
                column = in_x
                at = 0
                left_runs = runs
                done = 0
                left = size
                more = 1
                while more:
                    # Gather up to 64 taps of the pixel and its neighbour.
                    n = left
                    if n > _BLOCK:
                        n = _BLOCK
                    left -= n
                    x = ptr32(taps)
                    total = 0
                    room = n
                    while room:
                        # Bytes low_0..high_0-1 of the run are in the image, for the neighbour
                        # bytes low_1..high_1-1.
                        if merged:
                            low_0 = 0 - column * depth
                            high_0 = (width - column) * depth
                            low_1 = low_0 - to_neighbour
                            high_1 = high_0 - to_neighbour
                        else:
                            low_0 = 0
                            high_0 = 0
                            low_1 = 0
                            high_1 = 0
                            if column >= 0 and column < width:
                                high_0 = run
                            k = column + r[_STRIDE_WIDTH]
                            if k >= 0 and k < width:
                                high_1 = run
                        if not neighbours:
                            high_1 = 0
                        k = run
                        use = 0
                        if at < low_0:
                            k = low_0
                        elif at < high_0:
                            use = 1
                            if high_0 < k:
                                k = high_0
                        if at < low_1:
                            if low_1 < k:
                                k = low_1
                        elif at < high_1:
                            use += 2
                            if high_1 < k:
                                k = high_1
                        k -= at
                        if k > room:
                            k = room
                        room -= k
                        p = ptr8(cell + at)
                        at += k
                        if use == 3:
                            q = ptr8(int(p) + to_neighbour)
                            if k & 1:
                                xv = (p[0] ^ 0x80) + (((q[0] ^ 0x80) << 23) - offsets)
                                x[0] = xv
                                total = xv + total
                                p = ptr8(int(p) + 1)
                                q = ptr8(int(q) + 1)
                                x = ptr32(int(x) + 4)
                            k = k >> 1
                            while k:
                                xv = (p[0] ^ 0x80) + (((q[0] ^ 0x80) << 23) - offsets)
                                x[0] = xv
                                total = xv + total
                                xv = (p[1] ^ 0x80) + (((q[1] ^ 0x80) << 23) - offsets)
                                x[1] = xv
                                total = xv + total
                                p = ptr8(int(p) + 2)
                                q = ptr8(int(q) + 2)
                                x = ptr32(int(x) + 8)
                                k -= 1
                        elif use:
                            e = 0
                            if use == 2:
                                p = ptr8(int(p) + to_neighbour)
                                e = 23
                            while k:
                                xv = (p[0] ^ 0x80) - offset << e
                                x[0] = xv
                                total = xv + total
                                p = ptr8(int(p) + 1)
                                x = ptr32(int(x) + 4)
                                k -= 1
                        else:
                            while k:
                                x[0] = 0
                                x = ptr32(int(x) + 4)
                                k -= 1
                        if at == run:
                            # The next column of the window, or its next row.
                            at = 0
                            left_runs -= 1
                            cell += r[_DILATION_WIDTH] * depth
                            column += r[_DILATION_WIDTH]
                            if not left_runs:
                                left_runs = runs
                                row += r[_DILATION_HEIGHT] * width * depth
                                cell = row
                                column = in_x
                    xv = total << 41 >> 41
                    neighbour_total = total - xv >> 23 << 7
                    total = xv << 7
                    # Multiply them with the filters of four channels at a time.
                    c = channel
                    f = filters + channel * filter_size + done
                    done += n
                    fours = n >> 2
                    rest = n & 3
                    while c < end:
                        count = end - c
                        w0 = ptr8(f)
                        w1 = w0
                        w2 = w0
                        w3 = w0
                        if count > 1:
                            w1 = ptr8(f + filter_size)
                        if count > 2:
                            w2 = ptr8(f + 2 * filter_size)
                        if count > 3:
                            w3 = ptr8(f + 3 * filter_size)
                            count = 4
                        a0 = 0
                        a1 = 0
                        a2 = 0
                        a3 = 0
                        x = ptr32(taps)
                        k = fours
                        while k:
                            xv = x[0] << 32 >> 32
                            xw = x[1] << 32 >> 32
                            a0 = (w0[0] ^ 0x80) * xv + ((w0[1] ^ 0x80) * xw + a0)
                            a1 = (w1[0] ^ 0x80) * xv + ((w1[1] ^ 0x80) * xw + a1)
                            a2 = (w2[0] ^ 0x80) * xv + ((w2[1] ^ 0x80) * xw + a2)
                            a3 = (w3[0] ^ 0x80) * xv + ((w3[1] ^ 0x80) * xw + a3)
                            xv = x[2] << 32 >> 32
                            xw = x[3] << 32 >> 32
                            a0 = (w0[2] ^ 0x80) * xv + ((w0[3] ^ 0x80) * xw + a0)
                            a1 = (w1[2] ^ 0x80) * xv + ((w1[3] ^ 0x80) * xw + a1)
                            a2 = (w2[2] ^ 0x80) * xv + ((w2[3] ^ 0x80) * xw + a2)
                            a3 = (w3[2] ^ 0x80) * xv + ((w3[3] ^ 0x80) * xw + a3)
                            w0 = ptr8(int(w0) + 4)
                            w1 = ptr8(int(w1) + 4)
                            w2 = ptr8(int(w2) + 4)
                            w3 = ptr8(int(w3) + 4)
                            x = ptr32(int(x) + 16)
                            k -= 1
                        k = rest
                        while k:
                            xv = x[0] << 32 >> 32
                            a0 = (w0[0] ^ 0x80) * xv + a0
                            a1 = (w1[0] ^ 0x80) * xv + a1
                            a2 = (w2[0] ^ 0x80) * xv + a2
                            a3 = (w3[0] ^ 0x80) * xv + a3
                            w0 = ptr8(int(w0) + 1)
                            w1 = ptr8(int(w1) + 1)
                            w2 = ptr8(int(w2) + 1)
                            w3 = ptr8(int(w3) + 1)
                            x = ptr32(int(x) + 4)
                            k -= 1
                        f += 4 * filter_size
                        x = sums
                        if size > _BLOCK:
                            x = ptr32(int(sums) + 8 * (c - channel))
                        while count:
                            # The sums of the two pixels.
                            xv = a0 << 41 >> 41
                            xw = (a0 - xv >> 23) - neighbour_total
                            xv = xv - total
                            a0 = a1
                            a1 = a2
                            a2 = a3
                            if done > n:
                                xv += x[0]
                                xw += x[1]
                            elif bias:
                                k = ptr32(bias)[c]
                                xv += k
                                xw += k
                            if left:
                                x[0] = xv
                                x[1] = xw
                                x = ptr32(int(x) + 8)
                            else:
                                # MultiplyByQuantizedMultiplier, see kernels/requantize.py.
                                x = ptr32(int(x) + 8)
                                xv = xv << 32 >> 32
                                xw = xw << 32 >> 32
                                k = c * step
                                e = 32 - ptr8(shifts)[k]
                                m = ptr32(multipliers)[k]
                                if e < 0:
                                    e = 0 - e
                                    limit = 0x3FFFFFFF >> e | 1
                                    if xv > limit:
                                        xv = limit
                                    if xv < 0 - limit:
                                        xv = 0 - limit
                                    if xw > limit:
                                        xw = limit
                                    if xw < 0 - limit:
                                        xw = 0 - limit
                                    xv = xv << e
                                    xw = xw << e
                                    e = 0
                                xv = (xv * m >> 30) + 1 >> 1
                                xw = (xw * m >> 30) + 1 >> 1
                                if e:
                                    e -= 1
                                    xv = ((xv >> 63) + xv >> e) + 1 >> 1
                                    xw = ((xw >> 63) + xw >> e) + 1 >> 1
                                if xv < low:
                                    xv = low
                                if xv > high:
                                    xv = high
                                ptr8(to)[c] = xv + zero_point
                                if neighbours:
                                    if xw < low:
                                        xw = low
                                    if xw > high:
                                        xw = high
                                    ptr8(to + channels)[c] = xw + zero_point
                            c += 1
                            count -= 1
                    more = left
                channel = end
            in_x += r[_STRIDE_WIDTH] << neighbours
            to += channels << neighbours
            pixels -= 1 + neighbours
        y += 1
        if y == r[_OUTPUT_HEIGHT]:
            y = 0
            batch += 1
        start += 1
