# float32 multiply and add on bit patterns: exact IEEE-754, integers only, nothing allocated
# MIT license; Copyright (c) 2026 the tflm authors
#
# Floats are boxed objects in viper, and their precision differs between boards. Here a float32 is
# a word in memory, and results are the same as for C's `float`: rounded to nearest even, with
# signed zeros, subnormals and infinities. A NaN is some quiet NaN.
#
# Operands are words `byte_offset << 2 | base`, base 0 = arena and 1 = rom; dst is in the arena.
# `steps` says how many elements (0 to 1023) each operand advances after one result: dst | a << 10
# | b << 20. A step of 0 is a broadcast, or a sum if it is dst's. dst may be a or b. Values are
# never arguments or results of functions: from 2**30 on they would be heap objects on boards.

from .machine_code import use_machine_code

# Operations of `combine`.
_MAC = const(0)  # dst + a * b, the product rounded first
_MUL = const(1)  # a * b
_ADD = const(2)  # a + b
_SUB = const(3)  # a - b

_STEP_A = const(1 << 10)
_STEP_B = const(1 << 20)


# dst += a[i] * b[i] for i = 0 .. n - 1, in this order: a dot product onto dst.
@micropython.viper
def mac(arena, rom, dst, a, b, n):
    combine(arena, rom, dst, a, b, n, _STEP_A | _STEP_B, _MAC)


# dst[i] += a[i] * b[i], or dst[i] += a[0] * b[i] when a_step is 0.
@micropython.viper
def mac_each(arena, rom, dst, a, b, n, a_step: int):
    combine(arena, rom, dst, a, b, n, 1 | a_step << 10 | _STEP_B, _MAC)


# dst = a + b; dst = a with step 0 for both sums up b.
@micropython.viper
def add(arena, rom, dst, a, b, n, steps):
    combine(arena, rom, dst, a, b, n, steps, _ADD)


# dst = a - b.
@micropython.viper
def sub(arena, rom, dst, a, b, n, steps):
    combine(arena, rom, dst, a, b, n, steps, _SUB)


# dst = a * b.
@micropython.viper
def mul(arena, rom, dst, a, b, n, steps):
    combine(arena, rom, dst, a, b, n, steps, _MUL)


# The loop of every operation above; kernels may call it directly in their own hot loops.
#
# 1. Product of two normal numbers: 24 x 24 bits in four products of 12 x 12, so that nothing
#    exceeds 31 bits. `high` has the upper 24 bits of 48 and `low` the lower 24; the leading bit is
#    bit 47 (carry = 1) or 46. Half a unit is added; on a tie the last bit is cleared.
# 2. Sum: x has the larger magnitude; y is shifted right to x's exponent with three more bits, the
#    last of which collects all dropped bits. Then y is added or subtracted, and the result is
#    normalised and rounded to nearest even. From a distance of 26 bits on y changes nothing.
# 3. Other operands (subnormal, infinite, NaN, out of range) are left to `_combine_one`.
@micropython.viper
def combine(arena, rom, dst: int, a: int, b: int, n: int, steps: int, kind: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = ptr32(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + gap * (a & 1))
    p_b = ptr32(base + (b >> 2) + gap * (b & 1))
    step_dst = (steps & 0x3FF) << 2
    step_a = (steps >> 10 & 0x3FF) << 2
    step_b = (steps >> 20 & 0x3FF) << 2
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    flip = kind & 1
    done = 0
    while done < n:
        x = p_a[0]
        y = p_b[0]
        sign = (x ^ y) >> 31 & 1
        known = 1
        if kind < _ADD:
            e = x >> 23 & 0xFF
            f = y >> 23 & 0xFF
            if e * f * (255 - e) * (255 - f):
                exponent = e + f - 128
                e = x >> 12 & 0x7FF | 0x800
                f = y >> 12 & 0x7FF | 0x800
                x = x & 0xFFF
                y = y & 0xFFF
                low = x * y
                middle = (low >> 12) + e * y + x * f
                high = (middle >> 12) + e * f
                low = (middle & 0xFFF) << 12 | low & 0xFFF
                carry = high >> 23
                half = 0x400000 << carry
                high = (high << 1 >> carry) + (low + half >> 23 >> carry)
                if not (low ^ half) & half + half - 1:
                    high = high >> 1 << 1
                exponent = exponent + carry
                y = (exponent << 23) + high
                if exponent < 0 or exponent > 252:
                    known = 0
            elif e == 255 or f == 255:
                known = 0
            elif x & magnitude:
                # The product is zero only if the other factor is.
                if y & magnitude:
                    known = 0
                y = 0
            else:
                y = 0
            x = p_dst[0]
        else:
            sign = y >> 31 & 1 ^ flip
            y = y & magnitude
        if known:
            if kind == _MUL:
                p_dst[0] = sign << 31 | y
            else:
                sign_x = x >> 31 & 1
                x = x & magnitude
                opposite = sign ^ sign_x
                if x < y:
                    e = x
                    x = y
                    y = e
                    sign_x = sign
                e = x >> 23
                f = y >> 23
                if e > 252:
                    known = 0
                elif f:
                    f = e - f
                    if f < 26:
                        y = (y & 0x7FFFFF | 0x800000) << 3
                        x = (x & 0x7FFFFF | 0x800000) << 3
                        middle = y >> f
                        if middle << f != y:
                            middle = middle | 1
                        f = 0 - opposite
                        x = x + (middle ^ f) - f
                        if not x >> 26:
                            if x:
                                while not x >> 26:
                                    x = x << 1
                                    e -= 1
                            else:
                                # An exact zero is positive.
                                sign_x = 0
                                e = 1
                        carry = x >> 27
                        x = x + (4 << carry) - 1 + (x >> 3 >> carry & 1) >> 3 >> carry
                        if e < 1:
                            known = 0
                        x = (e + carry - 1 << 23) + x
                elif y:
                    known = 0
                elif not x:
                    sign_x = sign_x & (opposite ^ 1)
                if known:
                    p_dst[0] = sign_x << 31 | x
        if not known:
            e = step_dst << 2
            f = step_a << 2
            x = step_b << 2
            _combine_one(arena, rom, dst + done * e, a + done * f, b + done * x, kind)
        p_dst = ptr32(int(p_dst) + step_dst)
        p_a = ptr32(int(p_a) + step_a)
        p_b = ptr32(int(p_b) + step_b)
        done += 1


# One result of `combine` for any operands: dst is one element.
@micropython.viper
def _combine_one(arena, rom, dst: int, a: int, b: int, kind: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = ptr32(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + gap * (a & 1))
    p_b = ptr32(base + (b >> 2) + gap * (b & 1))
    one = 1
    magnitude = (one << 31) - 1
    infinity = magnitude >> 23 << 23
    nan = infinity | 0x400000
    acc = p_dst[0]
    x = p_a[0]
    y = p_b[0]
    if kind < _ADD:
        sign = (x ^ y) >> 31 & 1
        x = x & magnitude
        y = y & magnitude
        if x < y:
            e = x
            x = y
            y = e
        e = x >> 23
        f = y >> 23
        if x > infinity:
            y = nan
        elif e == 255:
            y = sign << 31 | (infinity if y else nan)
        elif not y:
            y = sign << 31
        else:
            x = x & 0x7FFFFF | (0x800000 if e else 0)
            y = y & 0x7FFFFF | (0x800000 if f else 0)
            e = e if e else 1
            f = f if f else 1
            while not x >> 23:
                x = x << 1
                e -= 1
            while not y >> 23:
                y = y << 1
                f -= 1
            low = (x & 0xFFF) * (y & 0xFFF)
            middle = (low >> 12) + (x >> 12) * (y & 0xFFF) + (x & 0xFFF) * (y >> 12)
            x = (x >> 12) * (y >> 12) + (middle >> 12) << 6 | middle >> 6 & 0x3F
            if low & 0xFFF | middle & 0x3F:
                x = x | 1
            store_rounded(arena, dst, sign, e + f - 126, x)
            y = p_dst[0]
        if kind == _MUL:
            p_dst[0] = y
            return
        x = acc
    elif kind == _SUB:
        y = y ^ (one << 31)
    sign = x >> 31 & 1
    opposite = (x ^ y) >> 31 & 1
    x = x & magnitude
    y = y & magnitude
    if x < y:
        e = x
        x = y
        y = e
        sign = sign ^ opposite
    e = x >> 23
    f = y >> 23
    if x > infinity:
        p_dst[0] = nan
    elif e == 255:
        p_dst[0] = nan if opposite and y == infinity else sign << 31 | infinity
    else:
        x = x & 0x7FFFFF | (0x800000 if e else 0)
        y = y & 0x7FFFFF | (0x800000 if f else 0)
        e = e if e else 1
        f = e - (f if f else 1)
        f = f if f < 30 else 30
        x = x << 5
        y = y << 5
        low = y >> f
        if low << f != y:
            low = low | 1
        x = x - low if opposite else x + low
        if x:
            store_rounded(arena, dst, sign, e + 1, x)
        else:
            p_dst[0] = (sign & (opposite ^ 1)) << 31


# Store sign * x * 2**(e - 156), rounded to nearest even, at dst. 0 < x < 2**30, and its last bit
# stands for all bits dropped before. e is the biased exponent of the result if x >= 2**29.
@micropython.viper
def store_rounded(arena, dst: int, sign: int, e: int, x: int):
    p_dst = ptr32(int(ptr8(arena)) + (dst >> 2))
    infinity = 255
    infinity = infinity << 23
    while not x >> 29:
        x = x << 1
        e -= 1
    if e < 1:
        # Subnormal: the exponent is 1 without the leading bit.
        e = 1 - e
        e = e if e < 30 else 30
        y = x >> e
        if y << e != x:
            y = y | 1
        x = y
        e = 1
    x = x + 31 + (x >> 6 & 1) >> 6
    if e > 254:
        x = infinity
    else:
        x = (e - 1 << 23) + x
    p_dst[0] = sign << 31 | x


use_machine_code(globals(), "float32")
