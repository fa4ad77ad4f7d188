# tflm: SOFTMAX, int8 to int8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 int16; package core; check softmax; units independent; order place

_INPUT = const(1)
_OUTPUT = const(2)
_EXPS = const(3)
_DEPTH = const(4)
_OUTPUT_BITS = const(5)
_MULTIPLIER = const(6)
_SHIFT = const(7)
_LARGEST_DIFFERENCE = const(8)
_SLOTS = const(9)

# The table after the record.
_EXP_MINUS_EIGHTH = const(10)
_ONE_THIRD = const(11)
_EXP_POWERS = const(12)
_NEWTON_START = const(19)
_NEWTON_SLOPE = const(20)

# The products that `_fill` computes, in this order; from _POWERS on one for each bit.
_SCALED = const(0)
_X2 = const(1)
_X3 = const(2)
_X4 = const(3)
_THIRD = const(4)
_SERIES = const(5)
_POWERS = const(6)
_FILLED = const(13)


# Units are rows. Two passes over a row: the sum of exps, then each exp divided by it. An exp
# depends only on the difference to the row's largest value, so that a slice computes it once and
# stores it in its own slot. Differences without a slot share the last one and are computed each
# time.
#
# scratch: word 0 is the sum, then its reciprocal; the slots follow, with bit 31 set while empty.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    word = r[_INPUT]
    source = int(ptr8(rom)) if word & 1 else int(ptr8(arena))
    source += (word >> 2) + start * depth
    bits = r[_OUTPUT_BITS]
    target = int(ptr8(arena)) + (r[_OUTPUT] >> 2) + start * depth * (bits >> 3)
    scratch = ptr32(int(ptr8(arena)) + (r[_EXPS] >> 2))
    largest = r[_LARGEST_DIFFERENCE]
    last = r[_SLOTS]
    empty = 1
    empty = empty << 31
    n = last
    while n:
        scratch[n] = empty
        n -= 1
    # The slot after the last difference is never shared.
    shared = last if largest >= last else last + 1
    while start < stop:
        x = ptr8(source)
        top = 0
        n = depth
        while n:
            v = x[0] ^ 0x80
            if v > top:
                top = v
            x = ptr8(int(x) + 1)
            n -= 1
        total = 0
        factor = 0
        shift = 0
        dividing = 0
        while dividing < 2:
            if dividing:
                scratch[0] = total
                # 31 fractional bits become the fractional bits of the output, without the
                # doubling.
                shift = 43 - bits - int(_invert(op, arena))
                factor = scratch[0]
                if shift > 31:
                    shift = 31
                    factor = 0
            x = ptr8(source)
            left = depth
            while left:
                difference = top - (x[0] ^ 0x80)
                x = ptr8(int(x) + 1)
                v = 0
                if difference <= largest:
                    n = difference + 1
                    if n >= shared:
                        n = shared
                        scratch[n] = empty
                    if scratch[n] >> 31 & 1:
                        _fill(op, arena, n, difference)
                    v = scratch[n]
                if not dividing:
                    total += (v >> 12) + (v >> 11 & 1)
                else:
                    n = v >> 16
                    v = v & 0xFFFF
                    m = factor >> 16
                    k = factor & 0xFFFF
                    a = v * m
                    b = n * k + (v * k >> 16 & 0xFFFF)
                    v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (n * m << 1)
                    v = (v >> shift - 1) + 1 >> 1
                    n = 1
                    n = n << bits
                    if v >= n:
                        v = n - 1
                    v -= n >> 1
                    if bits == 8:
                        ptr8(target)[0] = v
                    else:
                        ptr16(target)[0] = v
                    target += bits >> 3
                left -= 1
            dividing += 1
        source += depth
        start += 1


# Store exp(-difference) in a slot: gemmlowp's exp_on_negative_values, which prepare/fixed_point.py
# explains. All products share the same code; each step chooses the factors and the target of the
# product.
@micropython.viper
def _fill(op, arena, slot: int, difference: int):
    r = ptr32(op)
    scratch = ptr32(int(ptr8(arena)) + (r[_EXPS] >> 2))
    scaled = 0
    x = 0
    x2 = 0
    x3 = 0
    result = 0
    step = _SCALED
    while step < _FILLED:
        v = x2
        m = x
        if step == _SCALED:
            v = 0 - (difference << r[_SHIFT])
            m = r[_MULTIPLIER]
        elif step == _X2:
            v = x
        elif step == _X4:
            m = x2
        elif step == _THIRD:
            v = x3
            m = r[_ONE_THIRD]
        elif step == _SERIES:
            v = x
            m = r[_EXP_MINUS_EIGHTH]
        elif step >= _POWERS:
            v = result
            m = r[_EXP_POWERS - _POWERS + step]
        n = v >> 16
        v = v & 0xFFFF
        k = m & 0xFFFF
        m = m >> 16
        a = v * m
        b = n * k + (v * k >> 16 & 0xFFFF)
        v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (n * m << 1)
        if step == _SCALED:
            if not v:
                result = 1
                result = (result << 31) - 1
                step = _FILLED
            # The fraction below 1/4, less 1/4, plus 1/8: the argument of the series.
            x = (v & 0xFFFFFF) - 0x1000000
            scaled = x - v
            x = (x << 5) + 0x10000000
        elif step == _X2:
            x2 = v
        elif step == _X3:
            x3 = v
        elif step == _X4:
            # x**4 is not negative: a quarter of it, rounded.
            x3 = (v >> 2) + (v >> 1 & 1) + x3
        elif step == _THIRD:
            v = v + x2
            v = (v >> 31) + v
            x = (v >> 1) + (v & 1) + x
        elif step == _SERIES:
            result = r[_EXP_MINUS_EIGHTH] + v
        else:
            result = v
        step += 1
        while step >= _POWERS and step < _FILLED and not scaled >> 18 + step & 1:
            step += 1
    scratch[slot] = result


# Replace word 0 of the scratch buffer by its reciprocal, scaled to 1/2 .. 1, and return how often
# the sum was doubled. TFLM's GetReciprocal: Newton's division on half of the doubled sum, as in
# prepare/fixed_point.py.
@micropython.viper
def _invert(op, arena) -> int:
    r = ptr32(op)
    scratch = ptr32(int(ptr8(arena)) + (r[_EXPS] >> 2))
    sign = 0x20000000
    sign = sign << 3 >> 27
    half = scratch[0]
    doubled = 0
    if half >> 31 & 1:
        half = (half >> 1 & 0x3FFFFFFF) + 0x20000000 + 0x20000000
    else:
        doubled = 1
        while not half >> 30:
            half = half << 1
            doubled += 1
    x = 0
    rest = (r[_NEWTON_SLOPE] << sign) >> sign
    step = 0
    while step < 7:
        # Even steps multiply x, or half, by `rest`; odd steps compute a new `rest`.
        v = half
        m = rest
        if step & 1:
            m = x
        elif step:
            v = x
        n = v >> 16
        v = v & 0xFFFF
        k = m & 0xFFFF
        m = m >> 16
        a = v * m
        b = n * k + (v * k >> 16 & 0xFFFF)
        v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (n * m << 1)
        if not step:
            x = r[_NEWTON_START] + v
        elif step & 1:
            rest = 0x20000000 - v
        else:
            x = (v << 2) + x
        step += 1
    # One integer bit less; 1.0 itself saturates.
    m = 1
    m = (m << 31) - 1
    if x >> 30:
        x = m
    else:
        x = x << 1
    scratch[0] = x
    return doubled
