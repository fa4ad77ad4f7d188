# int32 vectors with 31 fractional bits, as kissfft's fixed-point FFT computes with them
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words and steps are explained in float32.py; ADD and SUB have the same names there.

_ADD = const(2)  # a + b; all results wrap around
_SUB = const(3)  # a - b
_DOT = const(4)  # (a[0] * b[0] + a[1] * b[1]) / 2**31, rounded to nearest, halves up
_HALVE = const(5)  # a / 2, rounded down


# The loop of every operation above.
#
# Of the 64 bits of two products, `high` holds the upper 32 and `middle` the 16 below; the lower
# bits matter only by their carry.
@micropython.viper
def combine31(arena, rom, dst: int, a: int, b: int, n: int, steps: int, kind: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = ptr32(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + gap * (a & 1))
    p_b = ptr32(base + (b >> 2) + gap * (b & 1))
    step_dst = (steps & 0x3FF) << 2
    step_a = (steps >> 10 & 0x3FF) << 2
    step_b = (steps >> 20 & 0x3FF) << 2
    while n:
        if kind == _ADD:
            v = p_a[0] + p_b[0]
        elif kind == _SUB:
            v = p_a[0] - p_b[0]
        elif kind == _HALVE:
            v = (p_a[0] << sign) >> sign + 1
        else:
            high = 0
            middle = 0
            low = 0
            k = 0
            while k < 2:
                x = (p_a[k] << sign) >> sign
                y = (p_b[k] << sign) >> sign
                v = (x & 0xFFFF) * (y & 0xFFFF)
                low += v & 0xFFFF
                middle += v >> 16 & 0xFFFF
                v = (x & 0xFFFF) * (y >> 16)
                middle += v & 0xFFFF
                high += v >> 16
                v = (x >> 16) * (y & 0xFFFF)
                middle += v & 0xFFFF
                high += v >> 16
                high += (x >> 16) * (y >> 16)
                k += 1
            middle += low >> 16
            high += middle >> 16
            v = (high << 1) + ((middle & 0xFFFF) + 0x4000 >> 15)
        p_dst[0] = v
        p_dst = ptr32(int(p_dst) + step_dst)
        p_a = ptr32(int(p_a) + step_a)
        p_b = ptr32(int(p_b) + step_b)
        n -= 1
