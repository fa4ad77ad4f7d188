# tflm.speech: integer kernels of log-mel features: window, mel filters, logarithm, normalization.
# MIT license; Copyright (c) 2026 the tflm authors

# A position in the work memory is a number of 32-bit words. Logarithms are natural, int16 in units
# of 2 ** -10 (see LogMel).

import micropython

from ..kernels.machine_code import use_machine_code


@micropython.viper
def load_frame(work: ptr32, at: int, samples: ptr16, first: int, edges: ptr32, window: ptr16,
               count: int):  # fmt: skip
    """Store `count` samples times the window, below 2 ** 27.

    samples: a ring. first: the frame's first sample in the clip, which may be negative. edges: the
    ring's position of the clip's first sample; the clip's length; 1 to mirror the clip at its
    ends, 0 for silence; the ring's length. window: in units of 2 ** -16.
    """
    begin = edges[0]
    length = edges[1]
    mirrors = edges[2]
    size = edges[3]
    i = 0
    while i < count:
        j = first + i
        if mirrors:
            if j < 0:
                j = 0 - j
            if j >= length:
                j = 2 * (length - 1) - j
        # Samples until the end of the frame, of the clip or of the ring.
        end = i + 1
        if j >= 0 and j < length:
            if j == first + i:
                end = i + length - j
                if end > count:
                    end = count
            j += begin
            if j >= size:
                j -= size
            if end - i > size - j:
                end = i + size - j
            while i < end:
                work[at + i] = ((samples[j] ^ 0x8000) - 0x8000) * window[i] >> 4
                i += 1
                j += 1
        else:
            work[at + i] = 0
            i += 1


@micropython.viper
def align(work: ptr32, at: int, count: int) -> int:
    """Replace float32 numbers, 0 or more, by integers below 2 ** 30; return their exponent.

    A number is integer * 2 ** (exponent - 156). Less than 2 ** -29 of the largest number is 0.
    """
    end = at + count
    largest = 0
    i = at
    while i < end:
        if work[i] > largest:
            largest = work[i]
        i += 1
    exponent = largest >> 23
    i = at
    while i < end:
        bits = work[i]
        shift = exponent - (bits >> 23)
        value = 0
        if shift < 30:
            if bits >> 23:
                value = (bits & 0x7FFFFF | 0x800000) << 6 >> shift
        work[i] = value
        i += 1
    return exponent


@micropython.viper
def filter_mels(work: ptr32, target: int, source: int, ranges: ptr16, weights: ptr16, count: int):
    """Store the weighted sums of powers below 2 ** 30 for `count` filters.

    ranges: first power and number of powers of each filter. weights: in units of 2 ** -15; a
    filter's weights are at most 1 in all.
    """
    row = 0
    k = 0
    while row < count:
        i = source + ranges[2 * row]
        end = i + ranges[2 * row + 1]
        total = 0
        while i < end:
            power = work[i]
            weight = weights[k]
            total += (power >> 15) * weight + ((power & 0x7FFF) * weight >> 15)
            i += 1
            k += 1
        work[target + row] = total
        row += 1


@micropython.viper
def log_mels(target: ptr16, column: int, work: ptr32, source: int, filters: ptr32, exponent: int,
             logs: ptr16, count: int):  # fmt: skip
    """Store log(energy * scale + eps) for `count` filters.

    work: energies below 2 ** 30, in units of 2 ** exponent. filters: three words for each filter:
    eps / scale as a mantissa of 16 bits and its exponent; log(scale) in units of 2 ** -15. logs:
    log(1 + i / 64) in units of 2 ** -15 for i = 0 .. 64.

    1. Add eps / scale: shift the smaller number to the unit of the larger one.
    2. Shift the sum to 2 ** 30 and above.
    3. Interpolate between two entries of `logs`; add the exponents.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64-bit words, where loads zero-extend; 0 with 32-bit words
    row = 0
    while row < count:
        value = work[source + row]
        eps = filters[3 * row]
        e = (filters[3 * row + 1] << sign) >> sign
        offset = (filters[3 * row + 2] << sign) >> sign
        shift = e - exponent
        e = exponent
        if shift > 13:
            e = exponent + shift - 13
            shift -= 13
            value = value >> shift if shift < 31 else 0
            value += eps << 13
        elif shift >= 0:
            value += eps << shift
        elif shift > 0 - 17:
            value += eps >> 0 - shift
        if not value:
            value = 1
        while not value >> 22:
            value = value << 8
            e -= 8
        while not value >> 30:
            value = value << 1
            e -= 1
        i = (value >> 24) & 63
        low = logs[i]
        value = low + ((logs[i + 1] - low) * ((value >> 8) & 0xFFFF) >> 16)
        value += (e + 30) * 22713 + offset
        target[column + row] = value + 16 >> 5
        row += 1


@micropython.viper
def add_up(values: ptr16, count: int) -> int:
    """Return the sum of at most 32768 int16."""
    total = 0
    i = 0
    while i < count:
        total += (values[i] ^ 0x8000) - 0x8000
        i += 1
    return total


@micropython.viper
def add_squares(values: ptr16, count: int, mean: int, sums: ptr32):
    """Add up squares of differences from the mean.

    sums: for multiples of 2 ** 15, and for the rest.
    """
    high = 0
    low = 0
    i = 0
    while i < count:
        value = ((values[i] ^ 0x8000) - 0x8000) - mean
        value = value * value
        high += value >> 15
        low += value & 0x7FFF
        i += 1
    sums[0] = high
    sums[1] = low


@micropython.viper
def quantize(target: ptr8, values: ptr16, first: int, columns: int, rows: int, settings: ptr32):
    """Store normalized columns in an int8 input, rounded with halves away from zero.

    values: a ring of `columns` columns, each with `rows` int16. first: the oldest column.
    settings: the mean; factor and shift of an element; the zero point; the bytes from one row to
    the next and from one column to the next; the factor times what the mean was rounded by.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    mean = (settings[0] << sign) >> sign
    factor = settings[1]
    shift = settings[2]
    zero = (settings[3] << sign) >> sign
    half = 1 << shift - 1
    row_step = settings[4]
    step = settings[5]
    rest = (settings[6] << sign) >> sign
    column = 0
    while column < columns:
        at = column * step
        i = first * rows
        end = i + rows
        while i < end:
            value = (((values[i] ^ 0x8000) - 0x8000) - mean) * factor + rest
            if value < 0:
                value = 0 - (0 - value + half >> shift)
            else:
                value = value + half >> shift
            value += zero
            if value < 0 - 128:
                value = 0 - 128
            if value > 127:
                value = 127
            target[at] = value
            at += row_step
            i += 1
        first += 1
        if first == columns:
            first = 0
        column += 1


@micropython.viper
def fill(target: ptr16, count: int, value: int):
    """Store `count` equal int16."""
    i = 0
    while i < count:
        target[i] = value
        i += 1


use_machine_code(globals(), "speech_mel_asm")
