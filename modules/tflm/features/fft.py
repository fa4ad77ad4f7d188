# tflm.features: power spectra of real numbers with 28 bits, by an FFT in integers.
# MIT license; Copyright (c) 2026 the tflm authors

# Real numbers are integers below 2 ** 28. Every stage of the FFT halves its results, so they stay
# below 2 ** 29, and the error of a bin is a few units: less than with float32. Products have 28
# fractional bits and are sums of products of 14 bits.
#
# Positions in the work memory are numbers of 32-bit words.

import micropython

from ..kernels.machine_code import use_machine_code

try:
    from .armv6m.stage import run_power, run_stage
except (ImportError, SyntaxError):  # another core, or firmware without the inline assembler
    run_stage = None

_ARGUMENT = bytearray(4 * 10)  # of run_stage() and run_power()


@micropython.viper
def transform(work, source: int, count: int, data: int, pairs: int, table):
    """Transform 2 * pairs real numbers as `pairs` complex ones; store them at `data`.

    source, count: the numbers; those after `count` are 0. table: of tables.fft_table().

    1. The first stage combines pairs that are half the length apart and stores them in the order
       of reversed indices.
    2. Each other stage combines groups of 2 * span numbers. The inner loop has one twiddle.
    """
    _load_pairs(work, source, count, data, pairs, table)
    _run_stages(work, data, pairs, table)


# Step 1 of transform().
@micropython.viper
def _load_pairs(work: ptr32, source: int, count: int, data: int, pairs: int, table: ptr16):
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64-bit words, where loads zero-extend; 0 with 32-bit words
    base = int(work)
    x = ptr32(base + 4 * source)
    y = ptr32(base + 4 * data)
    i = 0
    while i < pairs:
        k = 2 * table[i]
        a = 0
        b = 0
        if k < count:
            a = (x[k] << sign) >> sign
            if k + 1 < count:
                b = (x[k + 1] << sign) >> sign
        k += pairs
        c = 0
        d = 0
        if k < count:
            c = (x[k] << sign) >> sign
            if k + 1 < count:
                d = (x[k + 1] << sign) >> sign
        y[0] = a + c >> 1
        y[1] = b + d >> 1
        y[2] = a - c >> 1
        y[3] = b - d >> 1
        y = ptr32(int(y) + 16)
        i += 2


# Step 2 of transform() with the assembler.
@micropython.viper
def _run_stages_armv6m(work: ptr32, data: int, pairs: int, table: ptr16):
    stage = ptr32(_ARGUMENT)
    data = int(work) + 4 * data
    span = 2
    while span < pairs:
        stage[0] = data
        stage[1] = data + 8 * pairs
        stage[2] = 8 * span
        stage[3] = int(table) + 2 * pairs
        stage[4] = 8 * pairs // span
        stage[5] = 16 * span
        stage[6] = data + 8 * span
        run_stage(_ARGUMENT)
        span = 2 * span


# Step 2 of transform() without the assembler.
@micropython.viper
def _run_stages(work: ptr32, data: int, pairs: int, table: ptr16):
    sign = 0x20000000
    sign = sign << 3 >> 27
    data = int(work) + 4 * data
    end = data + 8 * pairs
    span = 2
    while span < pairs:
        gap = 8 * span
        step = 4 * pairs // span
        k = 0
        w = ptr16(int(table) + 2 * pairs)
        while k < span:
            cos = w[0] - 16384
            cos_low = w[1]
            sin = w[2] - 16384
            sin_low = w[3]
            w = ptr16(int(w) + 2 * step)
            i = data + 8 * k
            while i < end:
                x = ptr32(i)
                y = ptr32(i + gap)
                a = (y[0] << sign) >> sign
                b = (y[1] << sign) >> sign
                c = a & 0x3FFF
                d = b & 0x3FFF
                a = a >> 14
                b = b >> 14
                e = a * cos_low + c * cos + b * sin_low + d * sin >> 14
                f = b * cos_low + d * cos - a * sin_low - c * sin >> 14
                e += a * cos + b * sin
                f += b * cos - a * sin
                a = (x[0] << sign) >> sign
                b = (x[1] << sign) >> sign
                x[0] = a + e >> 1
                x[1] = b + f >> 1
                y[0] = a - e >> 1
                y[1] = b - f >> 1
                i += 2 * gap
            k += 1
        span = 2 * span


@micropython.viper
def power(work: ptr32, data: int, pairs: int, table: ptr16, target: int, exponent: int, hold: int):
    """Store the power of the pairs + 1 bins of transform() as float32 at `target`.

    exponent: exponent of a float32 (biased) that stands for 2 ** 29 squares of a unit, divided by
        2 ** 28. hold: 1 to keep larger values that `target` has.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    base = int(work)
    z = ptr32(base + 4 * data)
    out = ptr32(base + 4 * target)
    w = ptr16(int(table) + 2 * pairs)
    k = 0
    while 2 * k <= pairs:
        # Bins k and pairs - k from the transforms of the even and the odd numbers.
        j = pairs - k
        i = 2 * k
        a = (z[i] << sign) >> sign
        b = (z[i + 1] << sign) >> sign
        c = a
        d = b
        if k:
            c = (z[2 * j] << sign) >> sign
            d = (z[2 * j + 1] << sign) >> sign
        even = a + c >> 1
        even_i = b - d >> 1
        odd = b + d >> 1
        odd_i = c - a >> 1
        cos = w[4 * k] - 16384
        cos_low = w[4 * k + 1]
        sin = w[4 * k + 2] - 16384
        sin_low = w[4 * k + 3]
        a = odd & 0x3FFF
        b = odd_i & 0x3FFF
        odd = odd >> 14
        odd_i = odd_i >> 14
        c = odd * cos_low + a * cos + odd_i * sin_low + b * sin >> 14
        d = odd_i * cos_low + b * cos - odd * sin_low - a * sin >> 14
        c += odd * cos + odd_i * sin
        d += odd_i * cos - odd * sin
        # The second bin is the conjugate of even - odd.
        i = 0
        while i < 2:
            j = pairs - k if i else k
            a = even - c if i else even + c
            b = even_i - d if i else even_i + d
            if a < 0:
                a = 0 - a
            if b < 0:
                b = 0 - b
            e = exponent
            m = a | b
            if m < 0x8000:
                a = a << 13
                b = b << 13
                m = m << 13
                e -= 26
            if m < 0x200000:
                a = a << 6
                b = b << 6
                m = m << 6
                e -= 12
            if m < 0x1000000:
                a = a << 3
                b = b << 3
                m = m << 3
                e -= 6
            while m and m < 0x8000000:
                a = a << 1
                b = b << 1
                m = m << 1
                e -= 2
            # Squares in units of 2 ** 28, at most 2 ** 30 together.
            m = (a >> 14) * (a & 0x3FFF) + (b >> 14) * (b & 0x3FFF) >> 13
            m += (a >> 14) * (a >> 14) + (b >> 14) * (b >> 14)
            if m >> 30:
                m = m >> 1
                e += 1
            while m and not m >> 29:
                m = m << 1
                e -= 1
            m = (e - 1 << 23) + (m + 31 + (m >> 6 & 1) >> 6) if m and e > 0 else 0
            if not hold or m > out[j]:
                out[j] = m
            i += 1
        k += 1


# power() with the assembler.
@micropython.viper
def _power_armv6m(work: ptr32, data: int, pairs: int, table: ptr16, target: int, exponent: int,
                  hold: int):  # fmt: skip
    argument = ptr32(_ARGUMENT)
    argument[0] = int(work) + 4 * data
    argument[1] = int(table) + 2 * pairs
    argument[2] = int(work) + 4 * target
    argument[3] = pairs
    argument[4] = exponent
    argument[5] = hold
    argument[6] = 0
    run_power(_ARGUMENT)


if run_stage is not None:
    _run_stages = _run_stages_armv6m
    power = _power_armv6m
use_machine_code(globals(), "features_fft_asm")


@micropython.viper
def max_hold(work, source: int, count: int, step: int, data: int, pairs: int, table, target: int,
             exponent: int):  # fmt: skip
    """Store the largest power of each bin of all segments of `count` numbers.

    A segment of 2 * pairs numbers begins at each `step`-th number and after the last one; numbers
    that are missing are 0. Other arguments: see transform() and power().
    """
    at = 0
    while at <= count:
        transform(work, source + at, count - at, data, pairs, table)
        power(work, data, pairs, table, target, exponent, 1 if at else 0)
        at += step
