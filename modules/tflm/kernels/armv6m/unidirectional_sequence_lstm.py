# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM, int8 and int16: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..unidirectional_sequence_lstm import ALL
from .gen.lstm_asm import run_rows, run_wide_rows

_INPUT_GATE_BIAS = const(15)
_INPUT_SIZE = const(19)
_STATE_SIZE = const(20)
_WIDE = const(24)
_INPUT_GATE_OFFSETS = const(26)  # of 4 gates: offsets, multiplier, shift for input and recurrent
_FORGET_MULTIPLIER = const(50)  # FIXED_POINT blocks
_OUTPUT_ZERO_POINT = const(56)
_ACTIVATION = const(80)  # 0: the cell gate has no activation

_SYMMETRIC = const(0x80)  # in the upper half of offsets: weights without a zero point
_WIDE_OFFSETS = const(0x1808000)  # int16 and weights without a zero point
_MAX_PRODUCTS = const(511)  # of int16 and int8 whose sum fits a word
_COUNT = const(1023)  # elements of a call


# Units are elements of the output.
@micropython.viper
def eval_integers(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    is_plain = r[_ACTIVATION] != 0 and r[_INPUT_SIZE] != 0
    is_wide = r[_WIDE] != 0
    if is_wide and (r[_INPUT_SIZE] > _MAX_PRODUCTS or r[_STATE_SIZE] > _MAX_PRODUCTS):
        is_plain = False
    if stop >> 20:
        is_plain = False
    n = 0
    while n < 8:
        block = ptr32(int(r) + 4 * _INPUT_GATE_OFFSETS + 12 * n)
        if is_wide:
            if block[0] != _WIDE_OFFSETS:
                is_plain = False
        elif block[0] >> 16 != _SYMMETRIC or block[2] > 32:
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
        ALL[0](op, arena, rom, start, stop)
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


OTHER_SIZES = (eval_integers,)  # that the DSP extension does not take
