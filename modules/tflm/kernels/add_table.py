# tflm: ADD and SUB, int8, with a table for one input (prepare/add_table.py)
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package core; check binary; units independent; order elements; weights table

_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_LOOKUP = const(4)
_FACTOR = const(6)
_OUTPUT_ZERO_POINT = const(7)
_ACTIVATION_MIN = const(8)
_ACTIVATION_MAX = const(9)
_MULTIPLIER = const(12)
_SHIFT = const(13)


# Units are elements.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    _add(0, 0, op, arena, rom, start, stop - start)


# Add the `count` elements from `start` on. `v` and `x` are the first parameters because these stay
# in registers. The rounding is explained in lanes_multiply.py.
@micropython.viper
def _add(v: int, x: ptr8, op, arena, rom, start: int, count: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    v = r[_INPUT1]
    x = ptr8((flash if v & 1 else base) + (v >> 2) + start)
    v = r[_INPUT2]
    other = ptr8((flash if v & 1 else base) + (v >> 2) + start)
    v = r[_LOOKUP]
    lookup = ptr32((flash if v & 1 else base) + (v >> 2))
    y = ptr8(base + (r[_OUTPUT] >> 2) + start)
    end = int(y) + count
    factor = r[_FACTOR]
    low = (r[_ACTIVATION_MIN] << sign) >> sign
    zero_point = ((r[_OUTPUT_ZERO_POINT] << sign) >> sign) - low
    span = uint(((r[_ACTIVATION_MAX] << sign) >> sign) - low)
    m = r[_MULTIPLIER]
    m_low = m & 0xFFFF
    m_high = m >> 16
    shift = 31 - (r[_SHIFT] & 0xFF)  # the right shift without its last step; -1: no shift
    while int(y) < end:
        v = (((x[0] ^ 0x80) - 0x80) * factor + lookup[other[0]] << sign) >> sign
        if sign:
            v = (m * v >> 30) + 1 >> 1
        else:
            h = v >> 15
            v = v & 0x7FFF
            v = (m_high * v + ((m_low * v >> 15) + m_low * h >> 1) + 0x4000 >> 15) + m_high * h
        if shift >= 0:
            v = ((v >> 31) + v >> shift) + 1 >> 1
        v = v + zero_point
        if uint(v) > span:
            v = ((v >> 31) ^ -1) & int(span)
        y[0] = v + low
        x = ptr8(int(x) + 1)
        other = ptr8(int(other) + 1)
        y = ptr8(int(y) + 1)
