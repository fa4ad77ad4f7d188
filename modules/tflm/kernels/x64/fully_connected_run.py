# tflm: x86-64: FULLY_CONNECTED, int8: two channels in one multiplication
# MIT license; Copyright (c) 2026 the tflm authors

from .pairs_multiply import multiply_pairs

# Words of a record of fully_connected.py; the last ones are byte offsets in it.
_INPUT = const(1)
_OUTPUT = const(2)
_DEPTH = const(3)
_STEP = const(4)
_UNITS = const(5)  # units of a group of rows; the last one computes it
_BATCHES = const(6)  # rows of a group
_CHANNELS = const(7)
_BLOCK = const(8)
_CLAMP = const(9)
_CLAMP_HIGH = const(10)
_TIES = const(11)
_LOWEST = const(12)
_HIGHEST = const(13)
_IS_WIDE = const(14)
_TAPS = const(15)
_ZEROS = const(16)
_SUMS = const(17)
_WEIGHTS = const(18)
_CONSTANTS = const(19)


# Units are channels, or batches: rows of the output of a CONV_2D. `op`, `arena` and `rom`, which
# are in registers, become the constants of a channel, its output and the table that clamps.
@micropython.viper
def run_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    r = op
    me = int(op)
    depth = op[_DEPTH]
    step = op[_STEP]
    channels = op[_CHANNELS]
    n = op[_BATCHES]
    batch = start // op[_UNITS] * n
    batches = stop // op[_UNITS] * n
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2) + batch * step
    arena = ptr8(int(arena) + (op[_OUTPUT] >> 2) + batch * channels)
    rom = ptr8((op[_CLAMP_HIGH] << 32) + op[_CLAMP])
    wide = op[_IS_WIDE]
    ties = op[_TIES]
    low = op[_LOWEST] << 32 >> 32
    high = op[_HIGHEST] << 32 >> 32
    while batch < batches:
        x = source
        filters = me + r[_WEIGHTS]
        before = me + r[_ZEROS]
        left = depth
        while left:
            n = r[_BLOCK]
            if n > left:
                n = left
            sums = me + r[_SUMS]
            multiply_pairs(x, filters, me + r[_TAPS], n, 32 * depth, channels, before, sums)
            before = sums
            x += n
            filters += 32 * n
            left -= n
        # Make outputs; see fill_constants() in bound.py.
        s = ptr32(me + r[_SUMS])
        op = ptr32(me + r[_CONSTANTS])
        n = channels
        while n:
            v = s[0] * op[0] + ((op[3] << 32) + op[2])
            if ties:
                v = (v - ((op[5] << 32) + op[4]) >> 63 << 31) + v
            v = v >> op[1]
            if wide:
                if v < low:
                    v = low
                if v > high:
                    v = high
            arena[0] = rom[v]
            arena = ptr8(int(arena) + 1)
            s = ptr32(int(s) + 4)
            op = ptr32(int(op) + 24)
            n -= 1
        source += step
        batch += 1
