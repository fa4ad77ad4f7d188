# tflm: LOGISTIC and TANH, int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package core; check sigmoid; units independent; order elements

_INPUT = const(1)
_ENTRIES = const(2)
_OUTPUT = const(3)
_MULTIPLIER = const(4)  # the CURVE block

# Words of the CURVE block.
_CURVE_MULTIPLIER = const(0)
_CURVE_SHIFT = const(1)
_CURVE_FRACTION_BITS = const(2)
_CURVE_SATURATED = const(3)
_CURVE_POSITIVE_OFFSET = const(4)
_CURVE_NEGATIVE_OFFSET = const(5)
_CURVE_OUTPUT_SHIFT = const(6)

_LAST = const(255)  # the last interval of the table


# Units are elements.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    source = r[_INPUT] + (start << 3)
    target = (r[_OUTPUT] >> 2) + (start << 1)
    curve(op, arena, rom, _MULTIPLIER, r[_ENTRIES], source, target, stop - start)


# `count` int16 from operand word `source` on to byte offset `target` of the arena, by the table at
# operand word `entries`. `block` is the number of the record's first word of CURVE. The magnitude
# is looked up with interpolation; then the sign is applied, because both functions are symmetric
# about their value at 0. The target may be the source.
@micropython.viper
def curve(op, arena, rom, block: int, entries: int, source: int, target: int, count: int):
    q = ptr32(int(ptr32(op)) + 4 * block)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    x = ptr16((flash if source & 1 else base) + (source >> 2))
    table = (flash if entries & 1 else base) + (entries >> 2)
    y = ptr16(base + target)
    multiplier = q[_CURVE_MULTIPLIER]
    shift = q[_CURVE_SHIFT]
    half = 0
    if shift:
        half = 1
        half = half << shift - 1
    bits = q[_CURVE_FRACTION_BITS]
    positive = (q[_CURVE_POSITIVE_OFFSET] << sign) >> sign
    negative = q[_CURVE_NEGATIVE_OFFSET]
    output_shift = q[_CURVE_OUTPUT_SHIFT]
    while count:
        v = ((x[0] ^ 0x8000) - 0x8000) * multiplier + half >> shift
        minus = v >> 31
        v = (v ^ minus) - minus
        i = v >> bits
        if i < _LAST:
            v -= i << bits
            p = ptr16(table + 2 * i)
            i = p[0]
            v = v * (p[1] - i) + (i << bits)
        else:
            v = q[_CURVE_SATURATED]
        if minus:
            v = negative - v
        else:
            v = positive + v
        y[0] = v >> output_shift
        x = ptr16(int(x) + 2)
        y = ptr16(int(y) + 2)
        count -= 1
