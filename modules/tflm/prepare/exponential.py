# tflm: exp() in exact integers: boards have single precision only
# MIT license; Copyright (c) 2026 the tflm authors

BITS = 80  # fractional bits of the computation
LN_2 = 0xB17217F7D1CF79ABC9E3B39803F2F6AF >> (128 - BITS)  # ln(2) with these bits


# Return exp(number) for a number of scale.py, with relative errors below 2**-70: k * ln(2) is
# subtracted, a Taylor series gives exp() of the rest, and the result is multiplied by 2**k.
def exp(number):
    m, e = number
    up = e + BITS
    x = m << up if up >= 0 else m >> (0 - up)
    k = x // LN_2
    x -= k * LN_2
    term = total = 1 << BITS
    n = 1
    while term:
        term = (term * x >> BITS) // n
        total += term
        n += 1
    return total, k - BITS
