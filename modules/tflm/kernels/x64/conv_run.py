# tflm: x86-64: CONV_2D, int8: three pixels in one multiplication
# MIT license; Copyright (c) 2026 the tflm authors

# Words of a record of conv.py; the last ones are byte offsets in it.
_INPUT = const(1)
_OUTPUT = const(2)
_INPUT_HEIGHT = const(3)
_INPUT_WIDTH = const(4)
_INPUT_CHANNELS = const(5)
_OUTPUT_HEIGHT = const(6)
_OUTPUT_WIDTH = const(7)
_OUTPUT_CHANNELS = const(8)
_FILTER_HEIGHT = const(9)
_FILTER_WIDTH = const(10)
_STRIDE_HEIGHT = const(11)
_STRIDE_WIDTH = const(12)
_DILATION_WIDTH = const(14)
_PADDING_HEIGHT = const(15)
_PADDING_WIDTH = const(16)
_TRIPLES = const(17)
_SEGMENT = const(18)
_SEGMENTS = const(19)
_UNTIL = const(20)
_CLAMP = const(21)
_CLAMP_HIGH = const(22)
_TIES = const(23)
_STOP = const(24)  # the last call ended before this unit
_READY = const(25)
_ROWS = const(26)
_ROWS_AT = const(27)
_SUMS = const(28)
_WEIGHTS = const(29)
_CONSTANTS = const(30)
_CELL = const(31)


# A word of 64 bits has the inputs x of three neighbouring pixels: x0 + (x1 << 21) + (x2 << 42), so
# that one multiplication by a weight serves three pixels. Sums may borrow from each other
# meanwhile; in the end each sum plus 2**20 must have less than 21 bits. Weights are bytes with the
# top bit flipped (w' = w + 128):
#   sum w * x = sum w' * x - 128 * sum x
#
# A row of the input is packed once: for each three pixels the taps of a row of their windows, in
# segments that end with the sum of their words. The record stores the rows of one window. Eight
# channels share a tap. Their sums are collected in the record; outputs are made of them as
# fill_constants() in bound.py explains.
@micropython.viper
def run_int8(op, arena, rom, start: int, stop: int):
    _run(0, 0, 0, op, arena, rom, start, stop)


# Pack a row of padding at an offset of the record.
@micropython.viper
def pack_padding(op, offset: int):
    _pack_row(0, 0, 0, op, offset, 0)


# Pack the row of the input at an address; 0 stands for padding. The first locals are in registers.
@micropython.viper
def _pack_row(xv: int, p: ptr8, x: ptr32, op, offset: int, line: int):
    r = ptr32(op)
    x = ptr32(int(r) + offset)
    flip = 1
    flip = (flip << 7) + (flip << 28) + (flip << 49)
    cell = int(r) + r[_CELL]
    depth = r[_INPUT_CHANNELS]
    width = r[_INPUT_WIDTH]
    step = r[_STRIDE_WIDTH]
    segment = r[_SEGMENT]
    triples = r[_TRIPLES]
    first = 0 - r[_PADDING_WIDTH]
    while triples:
        column = first
        missing = segment
        total = 0
        runs = r[_FILTER_WIDTH]
        while runs:
            at0 = cell
            at1 = cell
            at2 = cell
            if line:
                if column >= 0 and column < width:
                    at0 = line + column * depth
                k = column + step
                if k >= 0 and k < width:
                    at1 = line + k * depth
                k += step
                if k >= 0 and k < width:
                    at2 = line + k * depth
            n = depth
            while n:
                k = n
                if k > missing:
                    k = missing
                n -= k
                missing -= k
                p = ptr8(at0)
                q = ptr8(at1)
                s = ptr8(at2)
                at0 += k
                at1 += k
                at2 += k
                pairs = k >> 1
                if k & 1:
                    xv = (p[0] + (q[0] << 21) + (s[0] << 42) ^ flip) - flip
                    total = xv + total
                    x[0] = xv
                    x[1] = xv >> 32
                    p = ptr8(int(p) + 1)
                    q = ptr8(int(q) + 1)
                    s = ptr8(int(s) + 1)
                    x = ptr32(int(x) + 8)
                while pairs:
                    xv = (p[0] + (q[0] << 21) + (s[0] << 42) ^ flip) - flip
                    total = xv + total
                    x[0] = xv
                    x[1] = xv >> 32
                    xv = (p[1] + (q[1] << 21) + (s[1] << 42) ^ flip) - flip
                    total = xv + total
                    x[2] = xv
                    x[3] = xv >> 32
                    p = ptr8(int(p) + 2)
                    q = ptr8(int(q) + 2)
                    s = ptr8(int(s) + 2)
                    x = ptr32(int(x) + 16)
                    pairs -= 1
                if not missing:
                    x[0] = total
                    x[1] = total >> 32
                    x = ptr32(int(x) + 8)
                    missing = segment
                    total = 0
            column += r[_DILATION_WIDTH]
            runs -= 1
        if missing < segment:
            while missing:
                x[0] = 0
                x[1] = 0
                x = ptr32(int(x) + 8)
                missing -= 1
            x[0] = total
            x[1] = total >> 32
            x = ptr32(int(x) + 8)
        first += 3 * step
        triples -= 1


# `xv`, `xw` and `w` come first because the first locals are in registers.
@micropython.viper
def _run(xv: int, xw: int, w: ptr8, op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    me = int(r)
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2)
    channels = r[_OUTPUT_CHANNELS]
    width = r[_OUTPUT_WIDTH]
    to = int(ptr8(arena)) + (r[_OUTPUT] >> 2) + start * width * channels
    clamp = (r[_CLAMP_HIGH] << 32) + r[_CLAMP]
    height = r[_INPUT_HEIGHT]
    line = r[_INPUT_WIDTH] * r[_INPUT_CHANNELS]
    rows = r[_FILTER_HEIGHT]
    triple_bytes = 8 * r[_SEGMENTS] * (r[_SEGMENT] + 1)
    row_bytes = r[_TRIPLES] * triple_bytes
    fours = r[_SEGMENT] >> 2
    segments = r[_SEGMENTS]
    zeros = me + r[_SUMS]
    sums = ptr32(zeros + 96)
    trash = zeros + 192
    mask = 0x1FFFFF
    one = 1 << 20
    half = one + (one << 21) + (one << 42)
    batch = start // r[_OUTPUT_HEIGHT]
    y = start - batch * r[_OUTPUT_HEIGHT]
    # Rows of the input before this one are packed already if the units before were computed in the
    # same invoke.
    ready = 0
    if start and start == r[_STOP]:
        ready = r[_READY]
    while start < stop:
        # Pack the rows of the input that enter the window, each to its slot.
        in_y = y * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
        k = in_y
        if k < ready:
            k = ready
        n = in_y + rows
        if n > height:
            n = height
        while k < n:
            _pack_row(
                0,
                0,
                0,
                op,
                r[_ROWS] + (k - k // rows * rows) * row_bytes,
                source + (batch * height + k) * line,
            )
            k += 1
        ready = n
        if ready < 0:
            ready = 0
        k = 0
        x = ptr32(me + r[_ROWS_AT])
        while k < rows:
            n = rows
            if in_y >= 0 and in_y < height:
                n = in_y - in_y // rows * rows
            x[0] = r[_ROWS] + n * row_bytes
            x = ptr32(int(x) + 4)
            in_y += 1
            k += 1
        channel = 0
        filters = me + r[_WEIGHTS]
        constants = me + r[_CONSTANTS]
        while channel < channels:
            count = channels - channel
            if count > 8:
                count = 8
            triple = 0
            pixels = width
            out = to + channel
            while pixels > 0:
                a0 = 0
                a1 = 0
                a2 = 0
                a3 = 0
                a4 = 0
                a5 = 0
                a6 = 0
                a7 = 0
                total = 0
                before = ptr32(zeros)
                left = r[_UNTIL]
                w = ptr8(filters)
                at = ptr32(me + r[_ROWS_AT])
                i = rows
                while i:
                    x = ptr32(me + at[0] + triple)
                    at = ptr32(int(at) + 4)
                    k = segments
                    while k:
                        n = fours
                        while n:
                            xv = (x[1] << 32) + x[0]
                            xw = (x[3] << 32) + x[2]
                            a0 = w[0] * xv + (w[8] * xw + a0)
                            a1 = w[1] * xv + (w[9] * xw + a1)
                            a2 = w[2] * xv + (w[10] * xw + a2)
                            a3 = w[3] * xv + (w[11] * xw + a3)
                            a4 = w[4] * xv + (w[12] * xw + a4)
                            a5 = w[5] * xv + (w[13] * xw + a5)
                            a6 = w[6] * xv + (w[14] * xw + a6)
                            a7 = w[7] * xv + (w[15] * xw + a7)
                            xv = (x[5] << 32) + x[4]
                            xw = (x[7] << 32) + x[6]
                            a0 = w[16] * xv + (w[24] * xw + a0)
                            a1 = w[17] * xv + (w[25] * xw + a1)
                            a2 = w[18] * xv + (w[26] * xw + a2)
                            a3 = w[19] * xv + (w[27] * xw + a3)
                            a4 = w[20] * xv + (w[28] * xw + a4)
                            a5 = w[21] * xv + (w[29] * xw + a5)
                            a6 = w[22] * xv + (w[30] * xw + a6)
                            a7 = w[23] * xv + (w[31] * xw + a7)
                            w = ptr8(int(w) + 32)
                            x = ptr32(int(x) + 32)
                            n -= 1
                        total += (x[1] << 32) + x[0]
                        x = ptr32(int(x) + 8)
                        left -= 1
                        if not left:
                            # Separate the lanes and add them to the sums.
                            xv = half - (total << 7)
                            xw = a0 + xv
                            sums[0] = (xw & mask) + before[0]
                            sums[8] = (xw >> 21 & mask) + before[8]
                            sums[16] = (xw >> 42 & mask) + before[16]
                            xw = a1 + xv
                            sums[1] = (xw & mask) + before[1]
                            sums[9] = (xw >> 21 & mask) + before[9]
                            sums[17] = (xw >> 42 & mask) + before[17]
                            xw = a2 + xv
                            sums[2] = (xw & mask) + before[2]
                            sums[10] = (xw >> 21 & mask) + before[10]
                            sums[18] = (xw >> 42 & mask) + before[18]
                            xw = a3 + xv
                            sums[3] = (xw & mask) + before[3]
                            sums[11] = (xw >> 21 & mask) + before[11]
                            sums[19] = (xw >> 42 & mask) + before[19]
                            xw = a4 + xv
                            sums[4] = (xw & mask) + before[4]
                            sums[12] = (xw >> 21 & mask) + before[12]
                            sums[20] = (xw >> 42 & mask) + before[20]
                            xw = a5 + xv
                            sums[5] = (xw & mask) + before[5]
                            sums[13] = (xw >> 21 & mask) + before[13]
                            sums[21] = (xw >> 42 & mask) + before[21]
                            xw = a6 + xv
                            sums[6] = (xw & mask) + before[6]
                            sums[14] = (xw >> 21 & mask) + before[14]
                            sums[22] = (xw >> 42 & mask) + before[22]
                            xw = a7 + xv
                            sums[7] = (xw & mask) + before[7]
                            sums[15] = (xw >> 21 & mask) + before[15]
                            sums[23] = (xw >> 42 & mask) + before[23]
                            before = sums
                            left = r[_UNTIL]
                            total = 0
                            a0 = 0
                            a1 = 0
                            a2 = 0
                            a3 = 0
                            a4 = 0
                            a5 = 0
                            a6 = 0
                            a7 = 0
                        k -= 1
                    i -= 1
                # Make outputs; see fill_constants().
                y0 = ptr8(out)
                y1 = ptr8(trash)
                y2 = y1
                if pixels > 1:
                    y1 = ptr8(out + channels)
                if pixels > 2:
                    y2 = ptr8(out + 2 * channels)
                s = sums
                q = ptr32(constants)
                w = ptr8(clamp)
                n = count
                if r[_TIES]:
                    while n:
                        xw = (q[3] << 32) + q[2]
                        m = q[0]
                        e = q[1]
                        h = (q[5] << 32) + q[4]
                        xv = s[0] * m + xw
                        xv = (xv - h >> 63 << 31) + xv
                        y0[0] = w[xv >> e]
                        xv = s[8] * m + xw
                        xv = (xv - h >> 63 << 31) + xv
                        y1[0] = w[xv >> e]
                        xv = s[16] * m + xw
                        xv = (xv - h >> 63 << 31) + xv
                        y2[0] = w[xv >> e]
                        y0 = ptr8(int(y0) + 1)
                        y1 = ptr8(int(y1) + 1)
                        y2 = ptr8(int(y2) + 1)
                        s = ptr32(int(s) + 4)
                        q = ptr32(int(q) + 24)
                        n -= 1
                else:
                    while n:
                        xw = (q[3] << 32) + q[2]
                        xv = q[0]
                        e = q[1]
                        y0[0] = w[s[0] * xv + xw >> e]
                        y1[0] = w[s[8] * xv + xw >> e]
                        y2[0] = w[s[16] * xv + xw >> e]
                        y0 = ptr8(int(y0) + 1)
                        y1 = ptr8(int(y1) + 1)
                        y2 = ptr8(int(y2) + 1)
                        s = ptr32(int(s) + 4)
                        q = ptr32(int(q) + 24)
                        n -= 1
                out += 3 * channels
                pixels -= 3
                triple += triple_bytes
            filters += 32 * fours * segments * rows
            constants += 8 * 24
            channel += 8
        to += width * channels
        y += 1
        if y == r[_OUTPUT_HEIGHT]:
            y = 0
            batch += 1
            ready = 0
        start += 1
    r[_STOP] = stop
    r[_READY] = ready
