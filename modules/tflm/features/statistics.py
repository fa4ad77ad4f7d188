# tflm.features: statistics of samples: extremes, mean, moments.
# MIT license; Copyright (c) 2026 the tflm authors

# samples.py says what the integers stand for.

import micropython


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
