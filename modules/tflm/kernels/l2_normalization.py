# tflm: L2_NORMALIZATION, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package more; check softmax; order place

_INPUT = const(1)
_OUTPUT = const(2)
_DEPTH = const(3)
_OFFSET = const(4)

# sqrt(1/2) with 31 fractional bits, in two halves.
_ROOT_HALF_HIGH = const(0x5A82)
_ROOT_HALF_LOW = const(0x799A)

_THREE_HALVES = const(0x18000000)  # 28 fractional bits
_SATURATES = const(0x2000000)  # 64 times this does not fit a word


# Units are rows: the sum of squares, the reciprocal of its root, then the products with the
# reciprocal, of which 7 fractional bits are kept.
#
# The reciprocal of the root is TFLM's GetInvSqrtQuantizedMultiplierExp, as in prepare/rsqrt.py: 20
# products for five steps y = y * 3/2 - x/2 * y**3, and one product with sqrt(1/2). All products
# share the same code: each step of the loop chooses the factors and the target of the product.
@micropython.viper
def eval_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    depth = op[_DEPTH]
    offset = op[_OFFSET]
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2) + start * depth)
    z = ptr8(int(arena) + (op[_OUTPUT] >> 2) + start * depth)
    while start < stop:
        total = 0
        i = 0
        while i < depth:
            v = (x[i] ^ 0x80) - offset
            total += v * v
            i += 1
        total = (total << sign) >> sign
        y = 1
        y = (y << 31) - 1
        shift = 0
        if total > 1:
            shift = 11
            while total >> 29:
                total = total >> 2
                shift += 1
            while not total >> 27:
                total = total << 2
                shift -= 1
            total = (total >> 1) + 1 >> 1
            y = 0x10000000
            cube = 0
            step = 0
            while step < 21:
                v = y
                m = y
                if step == 20:
                    m = _ROOT_HALF_HIGH
                    m = m << 16 | _ROOT_HALF_LOW
                elif step & 3 == 1:
                    v = cube
                elif step & 3 == 2:
                    v = total
                    m = cube
                elif step & 3 == 3:
                    v = _THREE_HALVES
                if sign:
                    v = (v * m >> 30) + 1 >> 1
                else:
                    k = v >> 16
                    v = v & 0xFFFF
                    n = m & 0xFFFF
                    m = m >> 16
                    a = v * m
                    n = k * n + (v * n >> 16 & 0xFFFF)
                    v = ((a & n & 1) + (a >> 1) + (n >> 1) + 0x2000 >> 14) + (k * m << 1)
                if step == 20:
                    y = v
                elif step & 3 == 1:
                    if v >= _SATURATES:
                        cube = 1
                        cube = (cube << 31) - 1
                    else:
                        cube = v << 6
                elif step & 3 == 3:
                    y = v - cube << 3
                else:
                    cube = v
                step += 1
            if shift < 0:
                y = y << 0 - shift
                shift = 0
        shift = shift - 7
        i = 0
        while i < depth:
            v = (x[i] ^ 0x80) - offset
            if shift < 0:
                v = v << 0 - shift
            if sign:
                v = (v * y >> 30) + 1 >> 1
            else:
                k = v >> 16
                v = v & 0xFFFF
                n = y & 0xFFFF
                m = y >> 16
                a = v * m
                n = k * n + (v * n >> 16 & 0xFFFF)
                v = ((a & n & 1) + (a >> 1) + (n >> 1) + 0x2000 >> 14) + (k * m << 1)
            if shift > 0:
                v = ((v >> 31) + v >> shift - 1) + 1 >> 1
            if v < 0 - 128:
                v = 0 - 128
            if v > 127:
                v = 127
            z[i] = v
            i += 1
        x = ptr8(int(x) + depth)
        z = ptr8(int(z) + depth)
        start += 1
