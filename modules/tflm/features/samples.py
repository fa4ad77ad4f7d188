# tflm.features: samples as integers of 28 bits: load, scale, emphasize, filter, sum.
# MIT license; Copyright (c) 2026 the tflm authors

# Positions in the work memory are numbers of 32-bit words. Integers of a signal share a scale: a
# value is integer * 2 ** -scale.

import micropython

INT16, FLOAT32 = 0, 1


# Return the scale of the integers of load().
def scale_of(kind, exponent):
    return 153 - exponent if kind else 12


@micropython.viper
def largest(samples: ptr32, start: int, step: int, count: int) -> int:
    """Return the largest biased exponent of float32 samples, 0 if all are 0."""
    found = 0
    i = 0
    while i < count:
        e = samples[start] >> 23 & 0xFF
        if e > found:
            found = e
        start += step
        i += 1
    return found


@micropython.viper
def load(work: ptr32, at: int, samples: ptr8, kind: int, start: int, step: int, count: int,
         exponent: int):  # fmt: skip
    """Store samples as integers below 2 ** 27.

    kind: INT16, or FLOAT32 with the largest exponent. start, step: elements of `samples`.
    """
    narrow = ptr16(samples)
    wide = ptr32(samples)
    end = at + count
    while at < end:
        if kind:
            bits = wide[start]
            e = bits >> 23 & 0xFF
            value = 0
            if e:
                e = exponent - e
                if e < 27:
                    value = ((bits & 0x7FFFFF | 0x800000) << 3) + (1 << e >> 1) >> e
                if bits >> 31 & 1:
                    value = 0 - value
        else:
            value = (narrow[start] ^ 0x8000) - 0x8000 << 12
        work[at] = value
        start += step
        at += 1


@micropython.viper
def normalize(work: ptr32, at: int, count: int, bits: int) -> int:
    """Shift integers so that the largest has `bits` bits; return the shift, 0 if all are 0."""
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64-bit words, where loads zero-extend; 0 with 32-bit words
    end = at + count
    all_bits = 0
    i = at
    while i < end:
        value = (work[i] << sign) >> sign
        if value < 0:
            value = 0 - value
        all_bits = all_bits | value
        i += 1
    if not all_bits:
        return 0
    shift = 0
    while all_bits >> bits:
        all_bits = all_bits >> 1
        shift -= 1
    while not all_bits >> bits - 1:
        all_bits = all_bits << 1
        shift += 1
    i = at
    if shift > 0:
        while i < end:
            work[i] = work[i] << shift
            i += 1
    elif shift < 0:
        down = 0 - shift
        half = 1 << down >> 1
        while i < end:
            work[i] = ((work[i] << sign) >> sign) + half >> down
            i += 1
    return shift


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


@micropython.viper
def add_constant(work: ptr32, at: int, count: int, step: int, value: int):
    """Keep each step-th of `count` integers and add a number below 2 ** 28 to it."""
    source = at
    end = at + count
    while source < end:
        work[at] = work[source] + value
        source += step
        at += 1


@micropython.viper
def decimated(value: int) -> int:
    """Return what the filter of tables.decimation_table() makes of a constant below 2 ** 28."""
    high = value >> 14
    low = value & 0x3FFF
    return high * 16289 + (high * 15680 + low * 16289 >> 14)


@micropython.viper
def is_above_one(samples: ptr32, kind: int, count: int) -> int:
    """Return 1 if a sample is above 1 or below -1, else 0."""
    narrow = ptr16(samples)
    i = 0
    while i < count:
        if kind:
            # The bits of 1.0 without the sign are 127 << 23.
            if samples[i] >> 23 & 0xFF > 127:
                return 1
            if samples[i] >> 23 & 0xFF == 127 and samples[i] & 0x7FFFFF:
                return 1
        elif narrow[i] + 1 & 0xFFFF > 2:
            return 1
        i += 1
    return 0


@micropython.viper
def mean(work: ptr32, at: int, count: int) -> int:
    """Return the mean of integers below 2 ** 28."""
    sign = 0x20000000
    sign = sign << 3 >> 27
    high = 0
    low = 0
    i = 0
    while i < count:
        value = (work[at + i] << sign) >> sign
        high += value >> 14
        low += value & 0x3FFF
        i += 1
    value = high // count
    high = high - value * count << 14
    return (value << 14) + (high + low) // count


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


@micropython.viper
def integer_at(work: ptr32, position: int) -> int:
    """Return an integer below 2 ** 29."""
    sign = 0x20000000
    sign = sign << 3 >> 27
    return (work[position] << sign) >> sign


@micropython.viper
def is_set(work: ptr32, position: int) -> int:
    """Return 1 if a word is not 0, else 0."""
    return 1 if work[position] else 0


@micropython.viper
def put(work: ptr32, position: int, value: int):
    """Store an integer."""
    work[position] = value


# Store the mean of `count` numbers as float32: high * 2 ** 14 + low is their sum, in units of
# 2 ** -28. The division has as many bits as fit into an int.
@micropython.viper
def _store_mean(work: ptr32, target: int, high: int, low: int, count: int):
    high += low >> 14
    low = low & 0x3FFF
    sign = high >> 31 & 1
    limit = 0x20000000
    if count < 0x4000:
        limit = count << 15
    e = 128
    size = 0 - high if sign else high
    if size < limit:
        shift = 0
        while shift < 14 and size << shift + 1 < limit:
            shift += 1
        high = (high << shift) + (low >> 14 - shift)
        low = low << shift & 0x3FFF
        e -= shift
    value = high // count
    value = (value << 14) + ((high - value * count << 14) + low) // count
    if sign:
        value = 0 - value
    if value <= 0:
        work[target] = 0
    else:
        while not value >> 29:
            value = value << 1
            e -= 1
        if value >> 30:
            value = value >> 1
            e += 1
        work[target] = sign << 31 | (e - 1 << 23) + (value + 31 + (value >> 6 & 1) >> 6)


@micropython.viper
def moments(work: ptr32, at: int, count: int, target: int) -> int:
    """Store the means of the second to fourth powers of integers below 2 ** 28, as float32.

    A number is integer * 2 ** -28. Returns 0 if all are 0.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    h2 = 0
    l2 = 0
    h3 = 0
    l3 = 0
    h4 = 0
    l4 = 0
    end = at + count
    while at < end:
        x = (work[at] << sign) >> sign
        low = x & 0x3FFF
        x = x >> 14
        y = x * x + (x * low >> 13)
        y_low = y & 0x3FFF
        l2 += y_low
        y = y >> 14
        h2 += y
        x = x * y + (x * y_low + y * low >> 14)
        h3 += x >> 14
        l3 += x & 0x3FFF
        y = y * y + (y * y_low >> 13)
        h4 += y >> 14
        l4 += y & 0x3FFF
        at += 1
    if not h2 | l2:
        return 0
    _store_mean(work, target, h2, l2, count)
    _store_mean(work, target + 1, h3, l3, count)
    _store_mean(work, target + 2, h4, l4, count)
    return 1


@micropython.viper
def centre(work: ptr32, at: int, count: int) -> int:
    """Subtract the mean of integers below 2 ** 28, and use all 28 bits; return the shift.

    After a large shift the mean is subtracted again: with more bits, it is exact for small
    deviations from a large mean.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    end = at + count
    high = 0
    low = 0
    i = at
    while i < end:
        value = (work[i] << sign) >> sign
        high += value >> 14
        low += value & 0x3FFF
        i += 1
    shift = 0
    turn = 0
    while turn < 2:
        value = high // count
        mean = (value << 14) + ((high - value * count << 14) + low) // count
        all_bits = 0
        i = at
        while i < end:
            value = ((work[i] << sign) >> sign) - mean
            work[i] = value
            all_bits = all_bits | (value ^ value >> 31)
            i += 1
        turn += 1
        if not all_bits:
            return shift
        if turn == 1:
            while all_bits >> 28:
                all_bits = all_bits >> 1
                shift -= 1
            while not all_bits >> 27:
                all_bits = all_bits << 1
                shift += 1
            if shift < 6:
                turn = 2
            high = 0
            low = 0
            i = at
            while i < end:
                value = (work[i] << sign) >> sign
                value = value << shift if shift > 0 else value >> 0 - shift
                work[i] = value
                if turn == 1:
                    high += value >> 14
                    low += value & 0x3FFF
                i += 1
    return shift


@micropython.viper
def extremes(work: ptr32, at: int, count: int, target: int):
    """Store the least and the greatest integer at `target`."""
    sign = 0x20000000
    sign = sign << 3 >> 27
    low = (work[at] << sign) >> sign
    high = low
    i = 1
    while i < count:
        value = (work[at + i] << sign) >> sign
        if value < low:
            low = value
        if value > high:
            high = value
        i += 1
    work[target] = low
    work[target + 1] = high
