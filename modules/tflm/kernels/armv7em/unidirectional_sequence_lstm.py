# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM, int8 and int16: for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..armv6m.unidirectional_sequence_lstm import OTHER_SIZES
from .gen.lstm_asm import run_rows, run_wide_rows

_INPUT_GATE_BIAS = const(15)
_INPUT_SIZE = const(19)
_STATE_SIZE = const(20)
_BLOCK = const(23)  # elements of the state that fit the scratch buffer
_WIDE = const(24)
_INPUT_GATE_OFFSETS = const(26)  # of 4 gates: offsets, multiplier, shift for input and recurrent
_FORGET_MULTIPLIER = const(50)  # FIXED_POINT blocks
_OUTPUT_ZERO_POINT = const(56)
_ACTIVATION = const(80)  # 0: the cell gate has no activation

_SYMMETRIC = const(0x80)  # in the upper half of offsets: weights without a zero point
_MIN_SHIFT = const(18)  # 32 less than a shift to the right, which is at most 14
_WIDE_OFFSETS = const(0x1808000)  # int16 and weights without a zero point
_TAPS = const(64)  # words of the scratch buffer after the accumulators, at most
_COUNT = const(1023)  # elements of a call


# Units are elements of the output. The machine code uses the accumulators of the scratch buffer
# for taps, too. Other records use the machine code for Cortex-M0+.
@micropython.viper
def eval_integers(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    longest = r[_INPUT_SIZE]
    shortest = longest
    if r[_STATE_SIZE] > longest:
        longest = r[_STATE_SIZE]
    else:
        shortest = r[_STATE_SIZE]
    words = longest if longest < _TAPS else _TAPS
    is_plain = r[_ACTIVATION] != 0 and shortest >= 4
    is_wide = r[_WIDE] != 0
    if (longest + 3) >> 2 > (r[_BLOCK] + words) >> 1 or stop >> 20:
        is_plain = False
    n = 0
    while n < 8:
        block = ptr32(int(r) + 4 * _INPUT_GATE_OFFSETS + 12 * n)
        if is_wide:
            if block[0] != _WIDE_OFFSETS:
                is_plain = False
        elif block[0] >> 16 != _SYMMETRIC or block[2] > 32 or block[2] < _MIN_SHIFT:
            is_plain = False
        n += 1
    n = _FORGET_MULTIPLIER + 1
    while n < _OUTPUT_ZERO_POINT:
        if r[n] > 32:
            is_plain = False
        n += 2
    n = _INPUT_GATE_BIAS
    while n < _INPUT_GATE_BIAS + 4:
        if r[n] == 1:
            is_plain = False
        n += 1
    if not is_plain:
        OTHER_SIZES[0](op, arena, rom, start, stop)
        return
    while start < stop:
        n = stop - start
        if n > _COUNT:
            n = _COUNT
        if is_wide:
            run_wide_rows(op, arena, rom, start << 10 | n)
        else:
            run_rows(op, arena, rom, start << 10 | n)
        start += n
