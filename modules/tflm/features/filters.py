# tflm.features: filters of samples: pre-emphasis, recursive filters, means of windows.
# MIT license; Copyright (c) 2026 the tflm authors

# samples.py says what the integers stand for.

import micropython

try:
    from .armv6m.stage import run_section
except (ImportError, SyntaxError):  # another core, or firmware without the inline assembler
    run_section = None

_ARGUMENT = bytearray(4 * 12)  # of run_section()


@micropython.viper
def emphasize(work: ptr32, at: int, count: int, shift: int, high: int, low: int):
    """Store x[i + shift] - coefficient * x[i] for `count` integers below 2 ** 27.

    high, low: the coefficient, (high + low / 2 ** 14) / 2 ** 14.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    end = at + count
    while at < end:
        a = (work[at] << sign) >> sign
        b = a & 0x3FFF
        a = a >> 14
        work[at] = work[at + shift] - (a * high + (a * low + b * high >> 14))
        at += 1


@micropython.viper
def filter_section(work: ptr32, at: int, count: int, table: ptr32, section: int):
    """Filter integers below 2 ** 28 by a section of tables.butterworth_table(), in place.

    y[i] = gain * (x[i] +- 2 * x[i - 1] + x[i - 2]) - a1 * y[i - 1] - a2 * y[i - 2].
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    section = 8 * section
    negative = table[section] >> 31 & 1
    gain = table[section + 1]
    gain_low = table[section + 2]
    shift = table[section + 3]
    a1 = (table[section + 4] << sign) >> sign
    a1_low = table[section + 5]
    a2 = (table[section + 6] << sign) >> sign
    a2_low = table[section + 7]
    x1 = 0
    x2 = 0
    y1 = 0
    y1_low = 0
    y2 = 0
    y2_low = 0
    half = 1 << shift >> 1
    end = at + count
    while at < end:
        x0 = (work[at] << sign) >> sign
        u = x0 + x2
        x2 = x1
        x1 = x0
        u = u - (x2 << 1) if negative else u + (x2 << 1)
        low = u & 0x3FFF
        u = u >> 14
        u = u * gain + (u * gain_low + low * gain + 0x2000 >> 14) + half >> shift
        low = y1 * a1_low + y1_low * a1 + y2 * a2_low + y2_low * a2 + 0x2000 >> 14
        u = u - y1 * a1 - y2 * a2 - low
        y2 = y1
        y2_low = y1_low
        y1 = u >> 14
        y1_low = u & 0x3FFF
        work[at] = u
        at += 1


# filter_section() with the assembler.
@micropython.viper
def _filter_section_armv6m(work: ptr32, at: int, count: int, table: ptr32, section: int):
    argument = ptr32(_ARGUMENT)
    table = ptr32(int(table) + 32 * section)
    argument[0] = int(work) + 4 * at
    argument[1] = int(work) + 4 * (at + count)
    argument[2] = table[0] >> 31 & 1
    i = 1
    while i < 8:
        argument[2 + i] = table[i]
        i += 1
    argument[10] = 1 << table[3] >> 1
    argument[11] = 0x2000
    run_section(_ARGUMENT)


if run_section is not None:
    filter_section = _filter_section_armv6m


@micropython.viper
def decimated(value: int) -> int:
    """Return what the filter of tables.decimation_table() makes of a constant below 2 ** 28."""
    high = value >> 14
    low = value & 0x3FFF
    return high * 16289 + (high * 15680 + low * 16289 >> 14)


@micropython.viper
def window_means(work: ptr32, at: int, count: int, window: int, target: int, is_squared: int):
    """Store the mean of `window` integers, or of their squares * 2 ** -28, around each integer.

    Integers before the first and after the last one are mirrored.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    first = 0 - (window >> 1)
    while first < 0:
        first += 2 * count
    last = first
    high = 0
    low = 0
    i = 0 - window
    while i < count:
        # Store a mean and subtract the first integer of its window, then add the one after it.
        # The first `window` rounds only add.
        k = 0 if i >= 0 else 1
        while k < 2:
            if k:
                j = last
                last += 1
                if last == 2 * count:
                    last = 0
            else:
                value = high // window
                rest = high - value * window << 14
                work[target + i] = (value << 14) + (rest + low) // window
                j = first
                first += 1
                if first == 2 * count:
                    first = 0
            if j >= count:
                j = 2 * count - 1 - j
            value = (work[at + j] << sign) >> sign
            if is_squared:
                rest = value & 0x3FFF
                value = value >> 14
                value = value * value + (value * rest >> 13)
            if k:
                high += value >> 14
                low += value & 0x3FFF
            else:
                high -= value >> 14
                low -= value & 0x3FFF
            k += 1
        i += 1


@micropython.viper
def subtract(work: ptr32, at: int, other: int, count: int):
    """Subtract integers from integers."""
    i = 0
    while i < count:
        work[at + i] = work[at + i] - work[other + i]
        i += 1


@micropython.viper
def subtract_squares(work: ptr32, at: int, other: int, count: int):
    """Subtract squares * 2 ** -28 of integers from integers; negative results are 0."""
    sign = 0x20000000
    sign = sign << 3 >> 27
    i = 0
    while i < count:
        value = (work[other + i] << sign) >> sign
        rest = value & 0x3FFF
        value = value >> 14
        value = work[at + i] - value * value - (value * rest >> 13)
        work[at + i] = 0 if value < 0 else value
        i += 1
