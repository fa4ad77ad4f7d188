# tflm: FLOOR_MOD: int64
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int64; package types; check binary_wide

from ..errors import InputError
from .broadcast import expand

_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_ROW1 = const(4)
_ROW2 = const(5)
_STEP1 = const(7)
_STEP2 = const(8)
_EXPAND1 = const(9)
_EXPAND2 = const(10)
_BLOCK = const(11)


# Units are elements. A divisor of zero is an error, as in LiteRT.
def eval_int64(op, arena, rom, start, stop):
    if _divide(op, arena, rom, start, stop):
        raise InputError("FLOOR_MOD by zero; check the second input")


# Return 1 if a divisor is zero. The remainder of the magnitudes is computed by binary long
# division: `rest` stays below the divisor, so that doubling it loses no bit. If the signs differ,
# the result is the divisor minus the remainder, with the divisor's sign.
@micropython.viper
def _divide(op, arena, rom, start: int, stop: int) -> int:
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    middle = 0x20000000
    middle = middle << 2
    middle = (middle << sign) >> sign
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    failed = 0
    z = ptr32(base + (r[_OUTPUT] >> 2) + 8 * start)
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        x = ptr32(input1 + start * step1)
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = ptr32(base + (r[_ROW1] >> 2))
        y = ptr32(input2 + start * step2)
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = ptr32(base + (r[_ROW2] >> 2))
        start += count
        while count:
            low = (x[0] << sign) >> sign
            high = (x[1] << sign) >> sign
            below = (y[0] << sign) >> sign
            above = (y[1] << sign) >> sign
            differ = (high ^ above) < 0
            negative = above < 0
            if high < 0:
                high = (high ^ -1) + (0 if low else 1)
                low = 0 - low
            if negative:
                above = (above ^ -1) + (0 if below else 1)
                below = 0 - below
                above = (above << sign) >> sign
                below = (below << sign) >> sign
            if not below | above:
                failed = 1
            rest = 0
            carry = 0
            # A dividend of one word has 32 bits.
            bits = 64
            if not high:
                high = low
                bits = 32
            while bits:
                bits -= 1
                carry = ((carry << 1 | rest >> 31 & 1) << sign) >> sign
                rest = ((rest << 1 | high >> 31 & 1) << sign) >> sign
                high = high << 1 | low >> 31 & 1
                low <<= 1
                # Unsigned words are compared as signed ones, both moved by 2**31.
                more = (carry ^ middle) > (above ^ middle)
                if more or carry == above and (rest ^ middle) >= (below ^ middle):
                    carry -= above
                    if (rest ^ middle) < (below ^ middle):
                        carry -= 1
                    rest = (rest - below << sign) >> sign
                    carry = (carry << sign) >> sign
            if differ and rest | carry:
                carry = above - carry
                if (below ^ middle) < (rest ^ middle):
                    carry -= 1
                rest = below - rest
            if negative:
                carry = (carry ^ -1) + (0 if rest else 1)
                rest = 0 - rest
            z[0] = rest
            z[1] = carry
            x = ptr32(int(x) + step1)
            y = ptr32(int(y) + step2)
            z = ptr32(int(z) + 8)
            count -= 1
    return failed
