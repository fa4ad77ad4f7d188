# tflm: x86-64: FULLY_CONNECTED, int8: two channels in one multiplication
# MIT license; Copyright (c) 2026 the tflm authors

from .pairs_multiply import multiply_pairs

# A record of fully_connected.py's; what are called places are byte offsets in it.
_INPUT = const(1)
_OUTPUT = const(2)
_DEPTH = const(3)
_STEP = const(4)
_BATCHES = const(5)
_CHANNELS = const(6)
_BLOCK = const(7)
_CLAMP = const(8)
_CLAMP_HIGH = const(9)
_TIES = const(10)
_LOWEST = const(11)
_HIGHEST = const(12)
_IS_WIDE = const(13)
_TAPS = const(14)
_ZEROS = const(15)
_SUMS = const(16)
_WEIGHTS = const(17)
_CONSTANTS = const(18)


# Units are channels.
@micropython.viper
def run_int8(op, arena, rom, start: int, stop: int):
    _run(0, 0, 0, op, arena, rom, start, stop, 0, ptr32(op)[_BATCHES])


# Units are batches: rows of the output of a CONV_2D.
@micropython.viper
def run_batches(op, arena, rom, start: int, stop: int):
    _run(0, 0, 0, op, arena, rom, 0, ptr32(op)[_CHANNELS], start, stop)


# `xv`, `s` and `q` come first because the first locals live in registers.
@micropython.viper
def _run(
    xv: int,
    s: ptr32,
    q: ptr32,
    op,
    arena,
    rom,
    start: int,
    stop: int,
    batch: int,
    batches: int,
):
    r = ptr32(op)
    me = int(r)
    depth = r[_DEPTH]
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2) + batch * r[_STEP]
    out = int(ptr8(arena)) + (r[_OUTPUT] >> 2) + batch * r[_CHANNELS] + start
    clamp = ptr8((r[_CLAMP_HIGH] << 32) + r[_CLAMP])
    wide = r[_IS_WIDE]
    ties = r[_TIES]
    low = r[_LOWEST] << 32 >> 32
    high = r[_HIGHEST] << 32 >> 32
    # Channels before the first one are done with its sixteen.
    early = start & 15
    sums = me + r[_SUMS]
    first = me + r[_WEIGHTS] + (start - early) * depth * 2
    constants = me + r[_CONSTANTS] + 24 * start
    while batch < batches:
        x = source
        filters = first
        before = me + r[_ZEROS]
        left = depth
        while left:
            n = r[_BLOCK]
            if n > left:
                n = left
            multiply_pairs(
                x,
                filters,
                me + r[_TAPS],
                n,
                32 * depth,
                stop - start + early,
                before,
                sums,
            )
            before = sums
            x += n
            filters += 32 * n
            left -= n
        # Outputs: see fill_constants() in bound.py.
        s = ptr32(sums + 4 * early)
        q = ptr32(constants)
        p = ptr8(out)
        n = stop - start
        while n:
            xv = s[0] * q[0] + ((q[3] << 32) + q[2])
            if ties:
                xv = (xv - ((q[5] << 32) + q[4]) >> 63 << 31) + xv
            xv = xv >> q[1]
            if wide:
                if xv < low:
                    xv = low
                if xv > high:
                    xv = high
            p[0] = clamp[xv]
            p = ptr8(int(p) + 1)
            s = ptr32(int(s) + 4)
            q = ptr32(int(q) + 24)
            n -= 1
        source += r[_STEP]
        out += r[_CHANNELS]
        batch += 1
