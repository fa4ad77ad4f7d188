# tflm: x86-64: DEPTHWISE_CONV_2D, int8: three pixels of a channel in one multiplication
# MIT license; Copyright (c) 2026 the tflm authors

# Words of a record of depthwise_conv.py; the last ones are byte offsets in it.
_INPUT = const(1)
_OUTPUT = const(2)
_INPUT_HEIGHT = const(3)
_INPUT_WIDTH = const(4)
_CHANNELS = const(5)
_OUTPUT_HEIGHT = const(6)
_OUTPUT_WIDTH = const(7)
_FILTER_HEIGHT = const(9)
_FILTER_WIDTH = const(10)
_STRIDE_HEIGHT = const(11)
_STRIDE_WIDTH = const(12)
_PADDING_HEIGHT = const(15)
_PADDING_WIDTH = const(16)
_ROW_BYTES = const(17)
_COPIED = const(18)
_CLAMP = const(19)
_CLAMP_HIGH = const(20)
_TIES = const(21)
_STOP = const(22)  # the last call ended before this unit
_READY = const(23)
_ROWS = const(24)
_ROWS_AT = const(25)
_TAPS = const(26)
_CONSTANTS = const(27)
_TRASH = const(28)


# The rows of the input that a row of windows covers are copied to the record with their padding,
# each byte with its top bit flipped. As in conv_run.py a word has three neighbouring pixels, x0 +
# (x1 << 21) + (x2 << 42), here of one channel. With windows of three columns the word of the next
# column shares two of these pixels (stride 1) or one (stride 2).
@micropython.viper
def run_int8(op, arena, rom, start: int, stop: int):
    _run(0, 0, 0, op, arena, rom, start, stop)


# Copy `count` bytes with their top bits flipped.
@micropython.viper
def _flip(x: ptr32, y: ptr32, count: int):
    flip = 0x8080
    flip = (flip << 16) + flip
    k = count >> 4
    while k:
        y[0] = x[0] ^ flip
        y[1] = x[1] ^ flip
        y[2] = x[2] ^ flip
        y[3] = x[3] ^ flip
        x = ptr32(int(x) + 16)
        y = ptr32(int(y) + 16)
        k -= 1
    p = ptr8(x)
    q = ptr8(y)
    k = count & 15
    while k:
        q[0] = p[0] ^ 0x80
        p = ptr8(int(p) + 1)
        q = ptr8(int(q) + 1)
        k -= 1


# `p`, `xv` and `acc` come first because the first locals are in registers.
@micropython.viper
def _run(p: ptr8, xv: int, acc: int, op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    me = int(r)
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2)
    channels = r[_CHANNELS]
    width = r[_OUTPUT_WIDTH]
    to = int(ptr8(arena)) + (r[_OUTPUT] >> 2) + start * width * channels
    clamp = ptr8((r[_CLAMP_HIGH] << 32) + r[_CLAMP])
    height = r[_INPUT_HEIGHT]
    line = r[_INPUT_WIDTH] * channels
    copied = r[_COPIED] * channels
    rows = r[_FILTER_HEIGHT]
    columns = r[_FILTER_WIDTH]
    row_bytes = r[_ROW_BYTES]
    step = r[_STRIDE_WIDTH]
    three = 0
    if rows == 3 and columns == 3 and step < 3:
        three = step
    c1 = channels
    c2 = c1 + channels
    c3 = c2 + channels
    c4 = c3 + channels
    c5 = c4 + channels
    c6 = c5 + channels
    s1 = step * channels
    s2 = s1 + s1
    s3 = s2 + s1
    mask = 0x1FFFFF
    one = 1 << 20
    half = one + (one << 21) + (one << 42)
    trash = ptr8(me + r[_TRASH])
    ties = r[_TIES]
    rows_at = ptr32(me + r[_ROWS_AT])
    batch = start // r[_OUTPUT_HEIGHT]
    y = start - batch * r[_OUTPUT_HEIGHT]
    # Rows of the input before this one are copied already if the units before were computed in the
    # same invoke.
    ready = 0
    if start and start == r[_STOP]:
        ready = r[_READY]
    while start < stop:
        # Copy the rows of the input that enter the window, each to its slot.
        in_y = y * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
        k = in_y
        if k < ready:
            k = ready
        n = in_y + rows
        if n > height:
            n = height
        while k < n:
            at = me + r[_ROWS] + (k - k // rows * rows) * row_bytes
            at += r[_PADDING_WIDTH] * channels
            _flip(source + (batch * height + k) * line, at, copied)
            k += 1
        ready = n
        if ready < 0:
            ready = 0
        k = 0
        at = int(rows_at)
        while k < rows:
            n = rows
            if in_y >= 0 and in_y < height:
                n = in_y - in_y // rows * rows
            ptr32(at)[0] = r[_ROWS] + n * row_bytes
            at += 4
            in_y += 1
            k += 1
        w0 = 0
        w1 = 0
        w2 = 0
        w3 = 0
        w4 = 0
        w5 = 0
        w6 = 0
        w7 = 0
        w8 = 0
        p0 = 0
        p1 = 0
        p2 = 0
        t = ptr32(me + r[_TAPS])
        q = ptr32(me + r[_CONSTANTS])
        channel = 0
        if three:
            p0 = me + rows_at[0]
            p1 = me + rows_at[1]
            p2 = me + rows_at[2]
        while channel < channels:
            m = q[0]
            e = q[1]
            d = (q[3] << 32) + q[2]
            h = (q[5] << 32) + q[4]
            q = ptr32(int(q) + 24)
            if three:
                w0 = t[0] << 32 >> 32
                w1 = t[1] << 32 >> 32
                w2 = t[2] << 32 >> 32
                w3 = t[3] << 32 >> 32
                w4 = t[4] << 32 >> 32
                w5 = t[5] << 32 >> 32
                w6 = t[6] << 32 >> 32
                w7 = t[7] << 32 >> 32
                w8 = t[8] << 32 >> 32
            at = channel
            out = to + channel
            pixels = width
            while pixels > 0:
                if three == 1:
                    p = ptr8(p0 + at)
                    xv = p[0] + (p[c1] << 21) + (p[c2] << 42)
                    acc = w0 * xv + half
                    xv = (p[c3] << 42) + (xv >> 21)
                    acc = w1 * xv + acc
                    xv = (p[c4] << 42) + (xv >> 21)
                    acc = w2 * xv + acc
                    p = ptr8(p1 + at)
                    xv = p[0] + (p[c1] << 21) + (p[c2] << 42)
                    acc = w3 * xv + acc
                    xv = (p[c3] << 42) + (xv >> 21)
                    acc = w4 * xv + acc
                    xv = (p[c4] << 42) + (xv >> 21)
                    acc = w5 * xv + acc
                    p = ptr8(p2 + at)
                    xv = p[0] + (p[c1] << 21) + (p[c2] << 42)
                    acc = w6 * xv + acc
                    xv = (p[c3] << 42) + (xv >> 21)
                    acc = w7 * xv + acc
                    xv = (p[c4] << 42) + (xv >> 21)
                    acc = w8 * xv + acc
                elif three:
                    p = ptr8(p0 + at)
                    xv = p[c1] + (p[c3] << 21) + (p[c5] << 42)
                    acc = w1 * xv + half
                    xv = p[0] + (p[c2] << 21) + (p[c4] << 42)
                    acc = w0 * xv + acc
                    xv = (p[c6] << 42) + (xv >> 21)
                    acc = w2 * xv + acc
                    p = ptr8(p1 + at)
                    xv = p[c1] + (p[c3] << 21) + (p[c5] << 42)
                    acc = w4 * xv + acc
                    xv = p[0] + (p[c2] << 21) + (p[c4] << 42)
                    acc = w3 * xv + acc
                    xv = (p[c6] << 42) + (xv >> 21)
                    acc = w5 * xv + acc
                    p = ptr8(p2 + at)
                    xv = p[c1] + (p[c3] << 21) + (p[c5] << 42)
                    acc = w7 * xv + acc
                    xv = p[0] + (p[c2] << 21) + (p[c4] << 42)
                    acc = w6 * xv + acc
                    xv = (p[c6] << 42) + (xv >> 21)
                    acc = w8 * xv + acc
                else:
                    acc = half
                    taps = t
                    i = 0
                    while i < rows:
                        p = ptr8(me + rows_at[i] + at)
                        n = columns
                        while n:
                            xv = p[0] + (p[s1] << 21) + (p[s2] << 42)
                            acc = (taps[0] << 32 >> 32) * xv + acc
                            taps = ptr32(int(taps) + 4)
                            p = ptr8(int(p) + c1)
                            n -= 1
                        i += 1
                # Make outputs; see fill_constants().
                y1 = trash
                y2 = trash
                if pixels > 1:
                    y1 = ptr8(out + c1)
                if pixels > 2:
                    y2 = ptr8(out + c2)
                if ties:
                    xv = (acc & mask) * m + d
                    xv = (xv - h >> 63 << 31) + xv
                    ptr8(out)[0] = clamp[xv >> e]
                    xv = (acc >> 21 & mask) * m + d
                    xv = (xv - h >> 63 << 31) + xv
                    y1[0] = clamp[xv >> e]
                    xv = (acc >> 42 & mask) * m + d
                    xv = (xv - h >> 63 << 31) + xv
                    y2[0] = clamp[xv >> e]
                else:
                    ptr8(out)[0] = clamp[(acc & mask) * m + d >> e]
                    y1[0] = clamp[(acc >> 21 & mask) * m + d >> e]
                    y2[0] = clamp[(acc >> 42 & mask) * m + d >> e]
                out += c3
                at += s3
                pixels -= 3
            t = ptr32(int(t) + 4 * rows * columns)
            channel += 1
        to += width * channels
        y += 1
        if y == r[_OUTPUT_HEIGHT]:
            y = 0
            batch += 1
            ready = 0
        start += 1
    r[_STOP] = stop
    r[_READY] = ready
