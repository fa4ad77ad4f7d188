# tflm: cos() and sin() in exact integers, because boards have single precision only
# MIT license; Copyright (c) 2026 the tflm authors

_BITS = 112  # fractional bits of the computation
_HALF_PI = 0x1921FB54442D18469898CC51701B839A252049C1114CF98E >> (188 - _BITS)  # pi / 2
PI = 0x1921FB54442D18, -51  # pi as a double, a number of scale.py


# Return (cos, sin) of a number of scale.py below 2**16, as numbers with errors below 2**-100:
# multiples of pi / 2 are subtracted, then Taylor series are used.
def cos_sin(number):
    m, e = number
    up = e + _BITS
    x = m << up if up >= 0 else m >> (0 - up)
    quarter = (x + (_HALF_PI >> 1)) // _HALF_PI
    x -= quarter * _HALF_PI
    sums = [1 << _BITS, 0]
    term = sums[0]
    n = 1
    while term and term != -1:
        term = (term * x >> _BITS) // n
        sums[n & 1] += 0 - term if n & 2 else term
        n += 1
    cos, sin = sums
    if quarter & 1:
        cos, sin = 0 - sin, cos
    if quarter & 2:
        cos, sin = 0 - cos, 0 - sin
    return (cos, 0 - _BITS), (sin, 0 - _BITS)
