# tflm: CONV_2D, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package cnn; check convolution; units independent; order rows

from .requantize import store_int8

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
_OUTPUT_ZERO_POINT = const(23)  # the REQUANTIZE block
_BLOCK = const(64)  # taps, and accumulators, that fit the scratch buffers


# Units are rows of the output. Bytes are read unsigned with the top bit flipped (w', x'):
#   sum w * (x - zero point) = sum w' * t - 128 * sum t   with t = x' - input_offset
# For each pixel the taps t under the window are gathered as words, up to 64 at a time. Taps at the
# left and right of the image are 0; rows of the window above and below the image are skipped. The
# taps are in the filter's order, so that each output channel is one dot product of two rows, and
# sum t is the same for all channels. 64 accumulators are collected for one call of store_int8.
@micropython.viper
def eval_int8(op, arena, rom, start, stop):
    _rows(0, 0, 0, op, arena, rom, start, stop)


# `acc`, `x` and `w` come first because the first locals are in registers.
@micropython.viper
def _rows(acc: int, x: ptr32, w: ptr8, op, arena, rom, start: int, stop: int):
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
    sums = base + (r[_ACCUMULATORS] >> 2)
    offset = r[_INPUT_OFFSET]
    depth = r[_INPUT_CHANNELS]
    channels = r[_OUTPUT_CHANNELS]
    width = r[_INPUT_WIDTH]
    # A row of the window is one run of bytes, or one run for each column if columns do not touch.
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
    done = 0
    out = (r[_OUTPUT] >> 2) + start * r[_OUTPUT_WIDTH] * channels
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
            if merged:
                # Bytes low..high-1 of the run are in the image.
                low = 0
                if in_x < 0:
                    low = 0 - in_x * depth
                high = (width - in_x) * depth
                if high > run:
                    high = run
            channel = 0
            while channel < channels:
                # A block of channels of one group.
                group = channel // group_channels
                count = (group + 1) * group_channels - channel
                if count > _BLOCK:
                    count = _BLOCK
                if done + count > _BLOCK:
                    acc = channel - done
                    while acc < 0:
                        acc += channels
                    store_int8(
                        op, arena, _OUTPUT_ZERO_POINT, r[_ACCUMULATORS] >> 2, out, acc, done
                    )
                    out += done
                    done = 0
                accumulators = sums + 4 * done
                values = bias
                if bias:
                    values = bias + 4 * channel
                else:
                    # Without a bias the sums start at 0.
                    x = ptr32(accumulators)
                    values = accumulators
                    k = count
                    while k:
                        x[0] = 0
                        x = ptr32(int(x) + 4)
                        k -= 1
                row = line + in_x * depth
                if run != depth:
                    row += group * r[_FILTER_CHANNELS]
                cell = row
                column = in_x
                at = 0
                left_runs = runs
                left = size
                f = filters + channel * filter_size
                more = 1
                while more:
                    # Gather up to 64 taps.
                    n = left
                    if n > _BLOCK:
                        n = _BLOCK
                    left -= n
                    x = ptr32(taps)
                    total = 0
                    missing = n
                    while missing:
                        if not merged:
                            low = 0
                            high = 0
                            if column >= 0 and column < width:
                                high = run
                        k = run - at
                        if at < low:
                            k = low - at
                        elif at < high:
                            k = high - at
                        if k > missing:
                            k = missing
                        missing -= k
                        w = ptr8(cell + at)
                        at += k
                        if at <= low or at > high:
                            while k:
                                x[0] = 0
                                x = ptr32(int(x) + 4)
                                k -= 1
                        else:
                            acc = k >> 2
                            k = k & 3
                            while acc:
                                t = (w[0] ^ 0x80) - offset
                                x[0] = t
                                total += t
                                t = (w[1] ^ 0x80) - offset
                                x[1] = t
                                total += t
                                t = (w[2] ^ 0x80) - offset
                                x[2] = t
                                total += t
                                t = (w[3] ^ 0x80) - offset
                                x[3] = t
                                total += t
                                w = ptr8(int(w) + 4)
                                x = ptr32(int(x) + 16)
                                acc -= 1
                            while k:
                                t = (w[0] ^ 0x80) - offset
                                x[0] = t
                                total += t
                                w = ptr8(int(w) + 1)
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
                    # Multiply the taps by the filters.
                    total = total << 7
                    eights = n >> 3
                    fours = n & 4
                    ones = n & 3
                    m = count
                    k = accumulators
                    filter = f
                    while m:
                        acc = ptr32(values)[0] - total
                        x = ptr32(taps)
                        w = ptr8(filter)
                        t = eights
                        while t:
                            acc = (w[0] ^ 0x80) * x[0] + acc
                            acc = (w[1] ^ 0x80) * x[1] + acc
                            acc = (w[2] ^ 0x80) * x[2] + acc
                            acc = (w[3] ^ 0x80) * x[3] + acc
                            acc = (w[4] ^ 0x80) * x[4] + acc
                            acc = (w[5] ^ 0x80) * x[5] + acc
                            acc = (w[6] ^ 0x80) * x[6] + acc
                            acc = (w[7] ^ 0x80) * x[7] + acc
                            w = ptr8(int(w) + 8)
                            x = ptr32(int(x) + 32)
                            t -= 1
                        if fours:
                            acc = (w[0] ^ 0x80) * x[0] + acc
                            acc = (w[1] ^ 0x80) * x[1] + acc
                            acc = (w[2] ^ 0x80) * x[2] + acc
                            acc = (w[3] ^ 0x80) * x[3] + acc
                            w = ptr8(int(w) + 4)
                            x = ptr32(int(x) + 16)
                        t = ones
                        while t:
                            acc = (w[0] ^ 0x80) * x[0] + acc
                            w = ptr8(int(w) + 1)
                            x = ptr32(int(x) + 4)
                            t -= 1
                        ptr32(k)[0] = acc
                        values += 4
                        k += 4
                        filter += filter_size
                        m -= 1
                    values = accumulators
                    f += n
                    more = left
                done += count
                channel += count
            in_x += r[_STRIDE_WIDTH]
            pixels -= 1
        y += 1
        if y == r[_OUTPUT_HEIGHT]:
            y = 0
            batch += 1
        start += 1
    acc = 0 - done
    while acc < 0:
        acc += channels
    store_int8(op, arena, _OUTPUT_ZERO_POINT, r[_ACCUMULATORS] >> 2, out, acc, done)
