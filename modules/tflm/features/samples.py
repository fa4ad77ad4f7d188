# tflm.features: samples as integers of 28 bits: load, scale, copy.
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
def add_constant(work: ptr32, at: int, count: int, step: int, value: int):
    """Keep each step-th of `count` integers and add a number below 2 ** 28 to it."""
    source = at
    end = at + count
    while source < end:
        work[at] = work[source] + value
        source += step
        at += 1


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
def has_nonzero(work: ptr32, at: int, count: int) -> int:
    """Return 1 if one of `count` integers is not 0, else 0."""
    end = at + count
    while at < end:
        if work[at]:
            return 1
        at += 1
    return 0


@micropython.viper
def negate(work: ptr32, at: int, count: int):
    """Negate integers."""
    end = at + count
    while at < end:
        work[at] = 0 - work[at]
        at += 1


@micropython.viper
def put(work: ptr32, position: int, value: int):
    """Store an integer."""
    work[position] = value
