# tflm: scale and zero point of int8 inputs of hybrid operators, computed at run time
# MIT license; Copyright (c) 2026 the tflm authors

from .float32 import sub
from .float32_divide import div

# Words of QUANTIZE in prepare/hybrid.py.
_INPUT = const(1)
_QUANTIZED = const(2)
_SCALES = const(3)  # a float32 for each batch
_OFFSETS = const(4)  # an int32 for each batch: the zero point
_EXTREMES = const(5)  # scratch: two words
_STEPS = const(6)  # a float32: the number of steps of the range
_DEPTH = const(7)
_ASYMMETRIC = const(8)

_ONE = const(0x3F800000)
_IMPLICIT_BIT = const(0x800000)  # of a mantissa of 24 bits


# Store the scale and the zero point of a batch. `extremes` has its largest input, or 0, and its
# smallest one, or 0; the factor that makes int8 of inputs takes the place of the first one.
# Symmetric: the largest magnitude becomes 127. Asymmetric: the range including zero becomes
# -128 .. 127.
@micropython.viper
def set_scale(op, arena, rom, batch: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    extremes = r[_EXTREMES]
    p = ptr32(base + (extremes >> 2))
    high = p[0] & magnitude
    low = p[1] & magnitude
    scale = r[_SCALES] + (batch << 4)
    p_scale = ptr32(base + (scale >> 2))
    # Bits of floats without their signs are in the order of their magnitudes.
    p_scale[0] = high if high > low else low
    if r[_ASYMMETRIC]:
        sub(arena, rom, scale, extremes, extremes + 16, 1, 0)
    size = p_scale[0] & magnitude
    div(arena, rom, scale, scale, r[_STEPS], 1, 0)
    dividend = r[_STEPS]
    p[1] = size
    if r[_ASYMMETRIC] or not p_scale[0]:
        if not p_scale[0]:
            p_scale[0] = _ONE
        dividend = extremes
        p[0] = _ONE
        p[1] = p_scale[0]
    div(arena, rom, extremes, dividend, extremes + 16, 1, 0)
    zero_point = 0
    if r[_ASYMMETRIC]:
        zero_point = int(find_zero_point(high, low, size))
    ptr32(base + (r[_OFFSETS] >> 2))[batch] = zero_point


# Return the zero point of a range, 127 - q or q - 128 rounded, halves away from zero. q is 255
# times an end of the range, divided by the size of the range. Arguments are bits of magnitudes of
# float32. LiteRT takes the highest input unless the lowest one is nearer to zero, and computes in
# double: first size / 255, then q.
@micropython.viper
def find_zero_point(high: int, low: int, size: int) -> int:
    is_low = 1 if high - low >> 15 > 0 else 0
    end = low if is_low else high
    shift = size >> 23
    if shift == 0xFF or not size:
        return 0
    shift = (shift if shift else 1) - (end >> 23 if end >> 23 else 1)
    x = end & 0x7FFFFF | (_IMPLICIT_BIT if end >> 23 else 0)
    size = size & 0x7FFFFF | (_IMPLICIT_BIT if size >> 23 else 0)
    y = size
    q = 0
    if shift < 10:  # q is at least 1/2
        if shift > 5:
            x = x >> shift - 5
            shift = 5
        y = y << shift
        rest = 0
        bits = 8  # of 255
        while bits:
            rest += rest + x
            q += q
            while rest >= y:
                rest -= y
                q += 1
            bits -= 1
        rest += rest
        if rest == y:
            # q + 1/2 is exact, but size / 255 may have been rounded by error / 255 of its last
            # bit. The quotient then differs if it is not nearest to q + 1/2 among doubles.
            rest = y + 1 if q - is_low > 126 else 0
            shift = 5
            bits = 16
            if size >= 0xFF0000:
                shift = 4
                bits = 17
            error = (size << shift) % 255
            odd = 2 * q + 1
            while odd >> 17 - bits:
                bits -= 1
            is_less = error > 127
            if odd * (255 - error if is_less else error) > size >> bits:
                rest = 0 if is_less else y + 1
        if rest > y:
            q += 1
    return q - 128 if is_low else 127 - q


# Inputs of a batch to int8: dst = clamp(round(input * factor) + zero point), halves away from
# zero, where `factor` is the first word of the extremes. LiteRT for x86 and Arm rounds products
# to float32 and then to integers. Of a NaN the result is the zero point.
@micropython.viper
def quantize_batch(op, arena, rom, batch: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    first = batch * r[_DEPTH]
    to = base + (r[_QUANTIZED] >> 2) + first
    factor = ptr32(base + (r[_EXTREMES] >> 2))[0]
    zero_point = ptr32(base + (r[_OFFSETS] >> 2))[batch]
    quantize_products(source + 4 * first, to, r[_DEPTH], factor, zero_point)


# A product of mantissas has 47 or 48 bits: `top` are those from bit 24 on. What rounding the
# product to float32 adds decides only if it carries into bit 24.
@micropython.viper
def quantize_products(source: int, to: int, n: int, factor: int, zero_point: int):
    p_a = ptr32(source)
    p_dst = ptr8(to)
    # Correct for words of any size.
    zero_point = ((zero_point & 0xFF) ^ 0x80) - 0x80
    f = factor >> 23 & 0xFF
    y = factor & 0x7FFFFF
    if f == 0xFF:
        f = 0x1FF
        y = _IMPLICIT_BIT
    elif f:
        y = y | _IMPLICIT_BIT
    else:
        f = 1
        while y and not y >> 23:
            y = y << 1
            f -= 1
    y_low = y & 0xFFF
    y = y >> 12
    while n:
        x = p_a[0]
        sign = x >> 31 & 1
        e = x >> 23 & 0xFF
        x = x & 0x7FFFFF
        if e == 0xFF:
            x = 0 if x else _IMPLICIT_BIT
            e = 0x1FF
        elif e:
            x = x | _IMPLICIT_BIT
        else:
            e = 1
            while x and not x >> 23:
                x = x << 1
                e -= 1
        x_low = x & 0xFFF
        x = x >> 12
        middle = x * y_low + x_low * y + (x_low * y_low >> 12)
        top = x * y + (middle >> 12)
        middle = middle >> 10 & 3
        if middle == 3 or middle == 2 and top >> 23:
            top += 1
        e = 276 - e - f
        q = 0
        if e < 10:
            q = 0x100 if top else 0
        elif e < 26:
            q = top + (1 << e - 1) >> e
        q = (q ^ 0 - sign) + sign + zero_point
        if q > 0x7F:
            q = 0x7F
        if q < 0 - 0x80:
            q = 0 - 0x80
        p_dst[0] = q
        p_dst = ptr8(int(p_dst) + 1)
        p_a = ptr32(int(p_a) + 4)
        n -= 1
