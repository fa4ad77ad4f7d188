# tflm: int16 to int16 by a table of 513 entries with interpolation: GELU, EXP, LOG, RSQRT
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package more; check unary

_INPUT = const(1)
_ENTRIES = const(2)
_OUTPUT = const(3)


# Units are elements. An entry stands for 128 inputs. As in LiteRT's LUTLookup(), the difference of
# two entries wraps around to 16 bits.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2) + 2 * start)
    word = op[_ENTRIES]
    table = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr16(int(arena) + (op[_OUTPUT] >> 2) + 2 * start)
    left = stop - start
    while left:
        v = x[0] ^ 0x8000
        i = v >> 7
        base = table[i]
        slope = (table[i + 1] - base & 0xFFFF ^ 0x8000) - 0x8000
        y[0] = base + (slope * (v & 0x7F) + 64 >> 7)
        x = ptr16(int(x) + 2)
        y = ptr16(int(y) + 2)
        left -= 1
