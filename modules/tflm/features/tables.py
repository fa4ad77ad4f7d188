# tflm.features: tables of the blocks: twiddles, mel filters, a DCT, digital filters, wavelets.
# MIT license; Copyright (c) 2026 the tflm authors

# Floats of boards have 24 bits, which are too few for filters. So the tables are computed with
# Python's integers in units of 2 ** -62, and are the same on boards and computers.

from array import array

from ..errors import InputError

_BITS = 62
_ONE = 1 << _BITS
_PI = 14488038916154245684  # pi
_LN2 = 3196577161300663914  # log(2)

# sinh(m) and cosh(m) with m = asinh(1 / sqrt(10 ** 0.005 - 1)) / 8: the axes of the ellipse of
# poles of the reference's decimation filter, Chebyshev of order 8 with 0.05 dB of ripple.
_SINH, _COSH = 1724146542235346291, 4923446885227945131
_CHEBYSHEV_ORDER = 8
_CHEBYSHEV_GAIN = 4585215281729430933  # at 0 Hz, 10 ** -0.0025


def _mul(a, b):
    return a * b >> _BITS


def _div(a, b):
    return (a << _BITS) // b


# Return a float as a number of this file, exactly.
def _fixed(value):
    shift = 0
    while value != int(value):
        value, shift = value * 2, shift + 1
    return (int(value) << _BITS) >> shift


# Return (cos, sin) of an angle from 0 to pi / 2, by their Taylor series.
def cos_sin(angle):
    square = _mul(angle, angle)
    cos = term = _ONE
    sin = odd = angle
    k = 1
    while term or odd:
        term = 0 - _mul(term, square) // (k * (k + 1))
        odd = 0 - _mul(odd, square) // ((k + 1) * (k + 2))
        cos, sin, k = cos + term, sin + odd, k + 2
        if abs(term) <= 1 and abs(odd) <= 1:
            break
    return cos, sin


# Return exp(x) for x >= 0.
def _exp(x):
    power = x // _LN2
    x -= power * _LN2
    total = term = _ONE
    k = 1
    while term:
        term = _mul(term, x) // k
        total, k = total + term, k + 1
    return total << power


# Return log(x) for x >= 1: with Newton's method, from a power of two.
def _log(x):
    power = 0
    while x >> power > _ONE:
        power += 1
    y = power * _LN2
    for _ in range(6):
        e = _exp(y)
        y += 2 * _div(x - e, x + e)
    return y


def _sqrt(x):
    root = _ONE
    for _ in range(60):
        better = (root + _div(x, root)) >> 1
        if abs(better - root) <= 1:
            break
        root = better
    return root


# Yield (cos, sin) of the angles 2 * pi * k / count for k = 0 .. end - 1.
def _circle(count, end):
    step_cos, step_sin = _ONE, 0
    if count >= 4:
        step_cos, step_sin = cos_sin(2 * _PI // count)
    cos, sin = _ONE, 0
    for _ in range(end):
        yield cos, sin
        cos, sin = (
            _mul(cos, step_cos) - _mul(sin, step_sin),
            _mul(sin, step_cos) + _mul(cos, step_sin),
        )


def fft_table(size):
    """Return the table (array "H") of an FFT of `size` real numbers: see fft.py.

    size / 2 reversed indices, then 4 numbers for each angle 2 * pi * k / size, k < size / 2: the
    upper and lower 14 bits of the cosine in units of 2 ** -28, and of the sine. 16384 is added to
    the upper bits.
    """
    pairs = size // 2
    table = array("H", bytes(2 * 5 * pairs))
    for i in range(pairs):
        bit, index, rest = 1, 0, i
        while bit < pairs:
            index, rest, bit = 2 * index + (rest & 1), rest >> 1, 2 * bit
        table[i] = index
    at = pairs
    for cos, sin in _circle(size, pairs):
        for value in (cos, sin):
            value = (value + (1 << _BITS - 29)) >> _BITS - 28
            table[at] = (value >> 14) + 16384
            table[at + 1] = value & 0x3FFF
            at += 2
    return table


def mel_table(settings):
    """Return (ranges, weights) of the mel filters.

    ranges: array "H" with the first bin and the number of bins of each filter. weights: array "f"
    with the weights of these bins, filter by filter.
    Source: the reference's filterbanks(), triangles between bins of equal steps in mel.
    """
    size, count = settings.values["fft_length"], settings.values["num_filters"]
    # Versions up to 3 use the number of bins where the later ones use the length.
    points = size // 2 + 1 if settings.version <= 3 else size
    rate = _fixed(settings.rate)
    low = _log(_ONE + _fixed(settings.values["low_frequency"]) // 700)
    high = _log(_ONE + _fixed(settings.high_frequency) // 700)
    edges = []
    for i in range(count + 2):
        hertz = 700 * (_exp(low + (high - low) * i // (count + 1)) - _ONE)
        if i == count + 1:
            hertz -= _ONE // 1000
        edges.append((points + 1) * hertz // rate)
    ranges, weights = array("H"), array("f")
    for i in range(count):
        left, middle, right = edges[i : i + 3]
        row = []
        for k in range(left, right + 1):
            if middle <= k < right:
                row.append((right - k) / (right - middle))
            elif left < k <= middle:
                row.append((k - left) / (middle - left))
            else:
                row.append(0.0)
        if not any(row):
            raise InputError(
                "mel filter %d has no bin; use at most %d filters or a longer fft_length"
                % (i, (size // 2 + 1) // 4)
            )
        while not row[0]:
            row, left = row[1:], left + 1
        while not row[-1]:
            row = row[:-1]
        ranges.append(left)
        ranges.append(len(row))
        weights.extend(array("f", row))
    return ranges, weights


def dct_table(filters, count):
    """Return the first `count` rows of the orthonormal DCT-II of `filters` numbers, array "f"."""
    circle = [cos for cos, _ in _circle(4 * filters, 4 * filters)]
    table = array("f", bytes(4 * filters * count))
    first, others = _sqrt(_ONE // filters), _sqrt(2 * _ONE // filters)
    for k in range(count):
        scale = others if k else first
        for j in range(filters):
            value = _mul(circle[(2 * j + 1) * k % (4 * filters)], scale)
            table[k * filters + j] = value / _ONE
    return table


# Return a number with the 24 bits of a float32.
def _to_float32(value):
    size, shift = abs(value), 0
    while size >> shift >= 1 << 24:
        shift += 1
    size = ((size + (1 << shift >> 1)) >> shift) << shift
    return size if value >= 0 else 0 - size


# Return the words of a section for biquad.py: a sign, the gain (upper and lower 14 bits, shift),
# then a1 and a2 in units of 2 ** -28.
def _section(is_high, gain, a1, a2):
    shift = 0
    while gain << shift < _ONE >> 1:
        shift += 1
    words = [0 - 1 if is_high else 1]
    for value in (gain << shift, a1, a2):
        value = (value + (1 << _BITS - 29)) >> _BITS - 28
        words += [value >> 14, value & 0x3FFF]
    words.insert(3, shift)
    return words


# Return the tangent of pi * ratio.
def _tangent(ratio):
    cos, sin = cos_sin(_mul(_PI, ratio))
    return _div(sin, cos)


def butterworth_table(kind, order, cutoff, rate):
    """Return the sections (array "i", 8 words each) of a Butterworth filter, for biquad.py.

    kind: "low" or "high". cutoff, rate: Hz. The poles are rounded to float32 as the reference's.
    """
    k = _tangent(_div(_fixed(cutoff), _fixed(rate)))
    words = []
    for cos, sin in _poles(order):
        gain, a1, a2 = _bilinear(_mul(sin, k), _mul(cos, k), kind == "high")
        words += _section(kind == "high", gain, _to_float32(a1), _to_float32(a2))
    return array("i", words)


def decimation_table(ratio):
    """Return the sections of the reference's filter before it keeps each `ratio`-th sample."""
    k = _tangent(4 * _ONE // (10 * ratio))
    words = []
    for cos, sin in _poles(_CHEBYSHEV_ORDER):
        sin, cos = _mul(_mul(sin, k), _SINH), _mul(_mul(cos, k), _COSH)
        gain, a1, a2 = _bilinear(sin, cos, False)
        words += _section(False, gain if words else _mul(gain, _CHEBYSHEV_GAIN), a1, a2)
    return array("i", words)


# Yield (cos, sin) of the angles of a filter's poles in the upper half plane. Poles far from the
# unit circle come first, so that the signal has no high peaks between sections.
def _poles(order):
    for i in range(order // 2):
        yield cos_sin(_PI * (order - 2 * i - 1) // (2 * order))


# Return (gain, a1, a2) of the section with the analog poles -real +- i * imaginary, by the
# bilinear transform. The gain makes the response 1 at 0 Hz, or at half the rate if `is_high`.
def _bilinear(real, imaginary, is_high):
    square = _mul(real, real) + _mul(imaginary, imaginary)
    a0 = _ONE + 2 * real + square
    a1 = _div(2 * (square - _ONE), a0)
    a2 = _div(_ONE - 2 * real + square, a0)
    return _div(_ONE if is_high else square, a0), a1, a2


def low_pass_filters(name):
    """Return the low-pass filters (of decomposition, of reconstruction) of a wavelet.

    They are arrays "i" in units of 2 ** -28. Returns None for an unknown name.
    """
    from .wavelet_filters import FILTERS

    family = name[:4]
    if family == "rbio":  # has the filters of bior in reversed roles and order
        decomposition, reconstruction = low_pass_filters("bior" + name[4:]) or ((), ())
        filters = array("i", reversed(reconstruction)), array("i", reversed(decomposition))
        return filters if decomposition else None
    data = FILTERS.get({"sym2": "db2", "sym3": "db3"}.get(name, name))
    if data is None:
        return None
    values = array("i", data)
    if family == "bior":
        half = len(values) // 2
        return values[:half], values[half:]
    return values, array("i", reversed(values))


def wavelet_table(name):
    """Return the table (array "i") of a wavelet: see wavelet.decompose().

    4 numbers for each tap: the coefficient of the low-pass filter as a * 2 ** 14 + b in units of
    2 ** -28, with b from -8192 to 8192, then the coefficient of the high-pass filter. Opposite
    coefficients have opposite numbers, so that equal samples cancel each other exactly.
    """
    decomposition, reconstruction = low_pass_filters(name)
    words = array("i")
    for i in range(len(decomposition)):
        for value in (decomposition[i], reconstruction[i] if i & 1 else 0 - reconstruction[i]):
            high = (abs(value) + 0x2000) >> 14
            if value < 0:
                high = 0 - high
            words.append(high)
            words.append(value - (high << 14))
    return words
