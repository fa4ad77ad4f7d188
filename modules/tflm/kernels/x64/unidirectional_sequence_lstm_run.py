# tflm: x86-64: UNIDIRECTIONAL_SEQUENCE_LSTM, int8: all gates of a step at once
# MIT license; Copyright (c) 2026 the tflm authors

from .pairs_multiply import multiply_pairs

# Words of a record of unidirectional_sequence_lstm.py; the last ones are byte offsets in it.
_INPUT = const(1)
_HIDDEN_STATE = const(2)
_CELL_STATE = const(3)
_OUTPUT = const(4)
_INPUT_SIZE = const(6)
_STATE_SIZE = const(7)
_STEPS = const(8)  # steps of a batch; then the next batch begins
_BATCHES = const(9)
_CLIP = const(10)
_OUTPUT_ZERO_POINT = const(11)
_ACTIVATION_MIN = const(12)
_ACTIVATION_MAX = const(13)
_GATE_MULTIPLIERS = const(14)  # of 4 gates: multiplier, shift for input and recurrent
_FORGET_MULTIPLIER = const(30)
_UPDATE_MULTIPLIER = const(32)
_HIDDEN_MULTIPLIER = const(34)
_TAPS = const(36)
_GATES = const(37)
_SUMS = const(38)
_STARTS = const(39)
_WEIGHTS = const(40)
_RECURRENT_SUMS = const(41)
_RECURRENT_STARTS = const(42)
_RECURRENT_WEIGHTS = const(43)
_SIGMOID = const(44)
_TANH = const(45)
_CELL_TANH = const(46)

_CELL_GATE = const(2)  # number of gates left when the cell gate is next
_NO_LIMIT = const(0x8000)


# Units are elements of the output, step by step; the last unit of a step computes all of it. Sums
# of all gates come first, in the order of TFLM's gates: input, forget, cell, output. Values are
# rescaled as in fixed_point.py, with products of 64 bits; the curves are tables of all int16.
@micropython.viper
def run_integers(op, arena, rom, start: int, stop: int):
    size = ptr32(op)[_STATE_SIZE]
    _run(0, 0, 0, op, arena, rom, start // size, stop // size)


# `v`, `s` and `t` come first because the first locals are in registers.
@micropython.viper
def _run(v: int, s: ptr32, t: ptr32, op, arena, rom, step: int, last: int):
    r = ptr32(op)
    me = int(r)
    base = int(ptr8(arena))
    size = r[_STATE_SIZE]
    depth = r[_INPUT_SIZE]
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    y = ptr8(base + (r[_OUTPUT] >> 2) + step * size)
    zero_point = r[_OUTPUT_ZERO_POINT] << 32 >> 32
    lowest = r[_ACTIVATION_MIN] << 32 >> 32
    highest = r[_ACTIVATION_MAX] << 32 >> 32
    limit = r[_CLIP]
    low = 0 - limit
    if limit == _NO_LIMIT:
        limit -= 1
    one = 1
    half = one << 30
    while step < last:
        batch = step // r[_STEPS]
        batch -= batch // r[_BATCHES] * r[_BATCHES]
        h = base + (r[_HIDDEN_STATE] >> 2) + batch * size
        multiply_pairs(
            source + step * depth,
            me + r[_WEIGHTS],
            me + r[_TAPS],
            depth,
            32 * depth,
            4 * size,
            me + r[_STARTS],
            me + r[_SUMS],
        )
        multiply_pairs(
            h,
            me + r[_RECURRENT_WEIGHTS],
            me + r[_TAPS],
            size,
            32 * size,
            4 * size,
            me + r[_RECURRENT_STARTS],
            me + r[_RECURRENT_SUMS],
        )
        s = ptr32(me + r[_SUMS])
        t = ptr32(me + r[_RECURRENT_SUMS])
        g = ptr16(me + r[_GATES])
        q = ptr32(me + 4 * _GATE_MULTIPLIERS)
        gate = 4
        while gate:
            m1 = q[0]
            e1 = 32 - q[1]
            half1 = (one << e1) >> 1
            m2 = q[2]
            e2 = 32 - q[3]
            half2 = (one << e2) >> 1
            # Without a shift nothing is rounded a second time.
            ties1 = 0 - half1 >> 63
            ties2 = 0 - half2 >> 63
            q = ptr32(int(q) + 16)
            curve = ptr16(me + r[_TANH if gate == _CELL_GATE else _SIGMOID])
            n = size
            while n:
                v = (s[0] << 32 >> 32) * m1 + half >> 31
                a = (v >> 63 & ties1) + v + half1 >> e1
                v = (t[0] << 32 >> 32) * m2 + half >> 31
                v = (v >> 63 & ties2) + v + half2 >> e2
                if (v + 0x8000 | a + 0x8000) >> 16:
                    if v > 0x7FFF:
                        v = 0x7FFF
                    if v < 0 - 0x8000:
                        v = 0 - 0x8000
                    if a > 0x7FFF:
                        a = 0x7FFF
                    if a < 0 - 0x8000:
                        a = 0 - 0x8000
                v += a
                if v + 0x8000 >> 16:
                    v = 0x8000 if v < 0 else 0x7FFF
                g[0] = curve[v & 0xFFFF]
                g = ptr16(int(g) + 2)
                s = ptr32(int(s) + 4)
                t = ptr32(int(t) + 4)
                n -= 1
            gate -= 1
        # The cell state: forget gate * cell state + input gate * cell gate, clipped. The output:
        # tanh(cell state) * output gate, which is also the hidden state of the next step.
        m1 = r[_FORGET_MULTIPLIER]
        e1 = 32 - r[_FORGET_MULTIPLIER + 1]
        half1 = one << e1 - 1
        m2 = r[_UPDATE_MULTIPLIER]
        e2 = 32 - r[_UPDATE_MULTIPLIER + 1]
        half2 = one << e2 - 1
        m3 = r[_HIDDEN_MULTIPLIER]
        e3 = 32 - r[_HIDDEN_MULTIPLIER + 1]
        half3 = one << e3 - 1
        curve = ptr16(me + r[_CELL_TANH])
        g = ptr16(me + r[_GATES])
        cell = ptr16(base + (r[_CELL_STATE] >> 2) + 2 * batch * size)
        hidden = ptr8(h)
        n = size
        while n:
            v = ((g[size] ^ 0x8000) - 0x8000) * ((cell[0] ^ 0x8000) - 0x8000)
            v = v * m1 + half >> 31
            a = (v >> 63) + v + half1 >> e1
            v = ((g[0] ^ 0x8000) - 0x8000) * ((g[size + size] ^ 0x8000) - 0x8000)
            v = v * m2 + half >> 31
            v = (v >> 63) + v + half2 >> e2
            if (v + 0x8000 | a + 0x8000) >> 16:
                if v > 0x7FFF:
                    v = 0x7FFF
                if v < 0 - 0x8000:
                    v = 0 - 0x8000
                if a > 0x7FFF:
                    a = 0x7FFF
                if a < 0 - 0x8000:
                    a = 0 - 0x8000
            v += a
            if v > limit:
                v = limit
            if v < low:
                v = low
            cell[0] = v
            v = (curve[v & 0xFFFF] ^ 0x8000) - 0x8000
            v = v * ((g[size + size + size] ^ 0x8000) - 0x8000)
            v = v * m3 + half >> 31
            v = ((v >> 63) + v + half3 >> e3) + zero_point
            if v < lowest:
                v = lowest
            if v > highest:
                v = highest
            y[0] = v
            hidden[0] = v
            y = ptr8(int(y) + 1)
            hidden = ptr8(int(hidden) + 1)
            cell = ptr16(int(cell) + 2)
            g = ptr16(int(g) + 2)
            n -= 1
        step += 1
