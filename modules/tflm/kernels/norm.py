# tflm: RMS norm of rows, int8: MUL, MEAN, ADD, RSQRT, MUL and MUL as one step
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package more; check norm; order place

from .requantize import store_int8

_INPUT = const(1)
_OUTPUT = const(2)
_SQUARES = const(3)  # for each input byte its square, less the zero point of squares
_ROOTS = const(4)  # for each byte of a mean, what ADD and RSQRT make of it
_WEIGHTS = const(5)
_SUMS = const(6)  # scratch: the sum of a row, then its mean, a byte
_DEPTH = const(7)
_MEAN_ZERO_POINT = const(8)  # a REQUANTIZE block with its multiplier and shift
_PRODUCT_OFFSET1 = const(15)  # zero points + 128 of both factors, then such a block
_OUTPUT_OFFSET1 = const(24)  # the same for the product with the weights

# Words from an offset on.
_TO_ZERO_POINT = const(2)
_TO_MULTIPLIER = const(7)
_ABSENT = const(1)


# Units are rows. The mean of the squares selects the factor of the row. A row times this factor is
# multiplied by the weights in the output, which may be the input.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_SQUARES]
    squares = ptr8((int(ptr8(rom)) if word & 1 else base) + (word >> 2))
    depth = r[_DEPTH]
    sums = r[_SUMS] >> 2
    acc = ptr32(base + sums)
    while start < stop:
        total = 0
        x = ptr8(source + start * depth)
        i = 0
        while i < depth:
            total += squares[x[i]]
            i += 1
        acc[0] = total
        store_int8(op, arena, _MEAN_ZERO_POINT, sums, sums + 4, 0, 1)
        word = r[_ROOTS]
        factors = (int(ptr8(rom)) if word & 1 else base) + (word >> 2) + ptr8(base + sums)[4]
        step = 0
        products = 1 if r[_WEIGHTS] == _ABSENT else 2
        target = base + (r[_OUTPUT] >> 2) + start * depth
        q = ptr32(int(r) + 4 * _PRODUCT_OFFSET1)
        while products:
            y = ptr8(factors)
            z = ptr8(target)
            end = target + depth
            offset1 = q[0] - 0x80
            offset2 = q[1] - 0x80
            zero_point = (q[_TO_ZERO_POINT] << sign) >> sign
            low = ((q[_TO_ZERO_POINT + 1] << sign) >> sign) - zero_point
            high = ((q[_TO_ZERO_POINT + 2] << sign) >> sign) - zero_point
            m = q[_TO_MULTIPLIER]
            m_low = m & 0xFFFF
            m_high = m >> 16
            left = (q[_TO_MULTIPLIER + 1] & 0xFF) - 32
            shift = 0 - left - 1  # the right shift without its last step
            if left < 0:
                left = 0
            limit = 0x3FFFFFFF >> left | 1
            while int(z) < end:
                v = (x[0] ^ 0x80) - 0x80 - offset1
                v = v * ((y[0] ^ 0x80) - 0x80 - offset2)
                if left:
                    if v > limit:
                        v = limit
                    if v < 0 - limit:
                        v = 0 - limit
                    v = v << left
                if sign:
                    v = (m * v >> 30) + 1 >> 1
                else:
                    h = v >> 16
                    v = v & 0xFFFF
                    a = v * m_high
                    b = h * m_low + (v * m_low >> 16 & 0xFFFF)
                    v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (h * m_high << 1)
                if shift >= 0:
                    v = ((v >> 31) + v >> shift) + 1 >> 1
                if v < low:
                    v = low
                if v > high:
                    v = high
                z[0] = v + zero_point
                x = ptr8(int(x) + 1)
                y = ptr8(int(y) + step)
                z = ptr8(int(z) + 1)
            products -= 1
            word = r[_WEIGHTS]
            factors = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
            step = 1
            x = ptr8(target)
            q = ptr32(int(r) + 4 * _OUTPUT_OFFSET1)
        start += 1
