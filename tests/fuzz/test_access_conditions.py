# Tests of modules/tflm/access_checks: changing one number of a small record makes it invalid
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from types import SimpleNamespace

import pytest
from fuzz.kernel_tracer import Machine
from tflm.access_checks import check_of, softmax
from tflm.access_checks.record import Record

_BLOCK = 4096  # bytes between operands
_BLOCKS = 16


# Operand word of block `i` of the arena.
def _arena(i):
    return i * _BLOCK << 2


# Operand word of block `i` of the model: zeros, but block _ONES has ones, block _STEPS halfwords
# above 0, which tables of int16 need, and block _REQUANTIZE a block of prepare/common.py.
def _rom(i):
    return _arena(i) | 1


_ONES = 12
_REQUANTIZE = 13
_STEPS = 14
_SIZE = _BLOCK * _BLOCKS
_MACHINES = (Machine(32), Machine(64))
_ONE = struct.pack("<7i", 0, -128, 127, 0, 1, 1 << 30, 32)
_DATA = bytes(_BLOCK) * _ONES + b"\xff" * _BLOCK + _ONE.ljust(_BLOCK, b"\0")
_DATA += b"\1" * _BLOCK + bytes(_BLOCK)
_MODEL = SimpleNamespace(head_bytes=_SIZE, arena_bytes=_SIZE, buffer=memoryview(_DATA))
_A, _B, _C, _D, _E, _F = map(_arena, range(6))
_P, _Q, _R, _S = map(_rom, range(4))
_BAD = _rom(_ONES)
_END = _arena(_BLOCKS)
_ROM_END = _rom(_BLOCKS)
_TABLE = _rom(_STEPS)
_LAST_STEP = 512 * 2 << 2  # from the first step of a table to its last one
_TWIDDLED = (16383, 0, 16383, 0x3F000000)
_LIMITED = (0, 0xFFFFFF80, 127, 0, 1, 1 << 30, 32)  # a block of prepare/common.py
_CURVE = (24576, 15, 9, 0, 0, 0, 10)

# {kernel: (operands, words of a record, [changes {word: value} that must be refused])}
_RECORDS = {
    "copy.eval_bytes": (2, (40, _A, _B), {2: _P}, {0: 1 << 20}),
    "fill.eval": (2, (5, _P, _A, 4), {3: 3}, {3: 0}, {3: 16}, {2: _P}, {0: 1 << 20}),
    "strided_copy.eval": (
        2, (6, _A, _B, 0, 0, 2, 2, 3, 4, 2, 2, 12, 6),
        {5: 0}, {6: 1, 0: 3}, {6: 17}, {7: 0}, {0: 7}, {2: _P}, {8: 1 << 20}, {9: 1 << 20},
        {8: 0xFFFFFFFC}, {11: 0xFFFFFFFC}, {3: 1 << 20}, {4: 1 << 20},
    ),
    "arithmetic_float.eval_float32": (
        6, (4, _A, _B, _C, 0, 0, 0, 4, 4, 0, 0, 4, 3, 0, 0),
        {12: 4}, {12: 8}, {12: 1 << 30}, {7: 8}, {11: 0}, {3: _P}, {0: 1 << 20},
    ),
    "comparisons_float.eval_float32": (
        6, (4, _A, _B, _C, 0, 0, 0, 4, 4, 0, 0, 4, 3),
        {12: 4}, {12: 8}, {12: 1 << 30}, {7: 8}, {11: 0}, {3: _P}, {0: 1 << 20},
    ),
    "pad.eval": (
        3, (4, _A, _B, _P, 1, 2, 4, 1, 1, 4, 2, 1),
        {4: 0}, {4: 3}, {4: 5}, {3: _P | 4, 4: 2}, {8: 9}, {9: 0}, {10: 1 << 15}, {2: _P},
        {6: 1 << 16}, {5: 1 << 20},
    ),
    "resize_nearest_neighbor.eval": (
        2, (2, _A, _B, 2, 3, 2, 3, 2, 2, 1 << 16, 1 << 16, 2),
        {9: 2}, {9: 2 << 16}, {10: 3}, {10: 3 << 16}, {11: 3}, {8: 9}, {7: 0}, {0: 1 << 20},
        {2: _P}, {3: 1 << 15},
    ),
    "softmax.eval_int8": (
        3, (2, _A, _B, _C, 8, 8, 1 << 30, 0, 255, 256, *struct.unpack("<11I", softmax._EXP)),
        {5: 4}, {5: 32}, {8: 256}, {9: 0}, {9: 257}, {10: 5}, {20: 0}, {3: _P}, {3: _A},
        {2: _A | 16}, {4: 8192}, {4: 0}, {3: _C | 4}, {2: _P},
    ),
    "softmax_int16.eval_int16": (
        4, (2, _A, _TABLE, _TABLE, _B, 8, 1 << 30, 0),
        {2: _P}, {2: _BAD}, {2: _A}, {2: _TABLE - _LAST_STEP}, {2: _TABLE | 4}, {3: _TABLE | 4},
        {2: _rom(_STEPS + 1) - _LAST_STEP}, {4: _P}, {4: _A | 32}, {5: 1 << 16}, {5: 0},
        {6: 1 << 31}, {7: 32}, {7: 0xFFFFFFE0}, {3: _rom(_BLOCKS) - 4096}, {1: _A | 4},
    ),
    "log_softmax.eval_int8": (
        3,
        (
            2, _A, _B, _C, 8, 1 << 30, 0, 255, 0, *struct.unpack("<9I", softmax._LOGARITHM), 0,
            *[1 << 19] * 255, 0,
        ),
        {7: 256}, {9: 0}, {17: 0}, {19: 0}, {20: (1 << 19) + 1}, {274: 1 << 20}, {3: _A},
        {3: _P}, {4: 4096}, {2: _A | 16}, {3: _C | 4},
    ),
    "l2_normalization.eval_int8": (2, (2, _A, _B, 8, 128), {4: 256}, {3: 0}, {2: _P}),
    "local_response_normalization_float.eval_float32": (
        3, (2, _A, _B, _C, 3, 2, 0, 0x3F800000, 0x3F800000, 0xBF000000),
        {4: 0}, {5: 0xFFFFFFFF}, {2: _P}, {3: _P}, {0: 1 << 20}, {1: _A | 4}, {3: _C | 4},
    ),
    "random_float.eval_uniform": (
        3, (2, _A, _B, _C, 7, 1, 0, 2, 0, 0xC0000000, 0x40C90FDB),
        {4: 9}, {4: 4}, {1: _P}, {2: _P}, {3: _P}, {1: _A | 4}, {2: _B | 4}, {3: _END - 16},
    ),
    "random_float.eval_normal": (
        3, (2, _A, _B, _C, 7, 1, 0, 2, 0, 0xC0000000, 0x40C90FDB), {0: 3}, {2: _END - 64},
    ),
    "complex_abs_float.eval_float32": (
        3, (2, _A, _B, _C, 0x5F800000, 0x1F800000),
        {0: 1 << 20}, {2: _P}, {3: _P}, {1: _A | 4}, {3: _C | 4},
    ),
    "softmax_float.eval_float32": (
        3, (2, _A, _B, _C, 8, 0x3F800000, 0xFF7FFFFF, 0), {3: _P}, {3: _C | 4}, {4: 0}, {2: _P},
    ),
    "conv_float.eval_float32": (
        4,
        (
            24, _A, _P, 1, _B, 3, 2, 4, 3, 2, 4, 1, 1, 1, 1, 1, 1, 0, 0, 2, 2, 0xFF7FFFFF,
            0x7F7FFFFF,
        ),
        {20: 3}, {20: 8}, {20: 1}, {20: 0}, {19: 3}, {19: 0}, {2: _P | 8}, {4: _P}, {0: 1 << 20},
    ),
    "fully_connected_int16.eval_int16": (
        5,
        (
            5, _A, _P, 1, _B, _C, 10, 2, 5, 1, 0x01808000, 0xFFFF8000, 0xFFFF8000, 32767, 0, 1,
            23891, 26,
        ),
        {8: 10}, {8: 4}, {0: 4}, {7: 0}, {1: _A | 4}, {4: _P}, {4: _B | 4}, {7: 1 << 16},
        {1: _SIZE - 38 << 2},
    ),
    # Inputs end at the end of the arena, so that one element more is refused.
    "arg_min_max.eval_int8": (
        2, (6, _END - (24 << 2), _A, 4, 2, 128),
        {1: _END - (23 << 2)}, {3: 0}, {4: 0}, {3: 5}, {2: _P}, {2: _B | 4}, {2: _END - (20 << 2)},
    ),
    "topk.eval": (
        3, (2, _END - (12 << 2), _A, _B, 4, 3, 2),
        {1: _END - (10 << 2)}, {4: 5}, {6: 4}, {6: 0}, {5: 0}, {2: _P}, {3: _P}, {2: _A | 4},
        {3: _B | 8}, {2: _END - (16 << 2)}, {3: _END - (16 << 2)}, {3: _END - (12 << 2)},
    ),
    "cumsum_float.eval_float32": (
        2, (12, _END - (48 << 2), _A, 3, 2, 0, 0),
        {1: _END - (44 << 2)}, {1: _A | 8}, {3: 0}, {4: 0}, {2: _P}, {2: _END - (44 << 2)},
    ),
    "signal_delay.eval_int16": (3, (2, _A, _B, _C, 16, 3, 12), {5: 5}, {6: 8}, {6: 14}),
    "signal_framer.eval_int16": (
        4, (1, _A, _B, _C, _D, 2, 6, 4, 1, 4, 12), {6: 9}, {9: 5}, {10: 13}, {10: 8},
    ),
    "signal_overlap_add.eval_int16": (3, (1, _A, _B, _C, 2, 8, 4), {6: 9}, {6: 0}),
    "signal_stacker.eval_int16": (
        4, (1, _A, _B, _C, _D, 4, 1, 3, 2), {0: 2}, {6: 3}, {8: 4}, {4: _P},
    ),
    "circular_buffer.eval_int8": (3, (1, _A, _B, _C, 6, 3, 2), {0: 2}, {5: 0}, {3: _P}),
    "signal_energy.eval_int16": (2, (8, _A, _B, 0, 8), {2: _P}, {1: _A | 4}, {2: _B | 8}),
    "signal_fft_auto_scale.eval_bits": (3, (1, _A, _B, _C, 60, 65536), {0: 2}, {3: _P}),
    "signal_fft_auto_scale.eval_scaled": (3, (60, _A, _B, _C, 60), {3: _P}),
    "signal_window.eval_int16": (3, (2, _A, _P, _B, 4, 15), {4: 0}, {5: 32}),
    "signal_filter_bank_log.eval_uint32": (3, (4, _A, _P, _B, 3, 64), {4: 32}),
    "signal_filter_bank_spectral_subtraction.eval_uint32": (
        4, (4, _A, _B, _C, _D, 1, 2, 3, 4, 5, 10, 14, 0), {10: 32}, {11: 64}, {4: _P},
    ),
    "signal_pcan.eval_uint32": (4, (2, _A, _B, _P, _C, 6, 3), {5: 64}, {6: 1}, {6: 33}),
    "signal_fft.eval_load": (
        3, (4, _A, _P, _B, 4, 8, 10, 1), {7: 3}, {2: _C}, {2: _BAD}, {4: 0},
    ),
    "signal_fft_int16.eval_stage": (
        3, (4, _P, _A, _B, 4, 16, 2, 2, 2, 1, 2, 1, 0, 0, *_TWIDDLED),
        {6: 3}, {6: 5}, {5: 15}, {7: 3}, {7: 0},
    ),
    "signal_fft_odd_int16.eval_three": (
        3, (4, _P, _A, _B, 4, 24, 3, 2, 2, 1, 2, 1, 0, 0, *_TWIDDLED), {6: 5}, {5: 23},
    ),
    "signal_fft_wide.eval_stage_int32": (
        3, (4, _P, _A, _B, 4, 16, 2, 2, 2, 1, 4, 1, 0, 0, *_TWIDDLED),
        {6: 3}, {8: 3}, {9: 512}, {10: 5}, {11: 256}, {3: _P}, {3: _B | 8},
    ),
    "signal_fft_odd_wide.eval_stage_float32": (
        3, (4, _P, _A, _B, 4, 24, 3, 2, 2, 1, 4, 1, 0, 0, *_TWIDDLED), {6: 2}, {5: 19}, {7: 6},
    ),
    "signal_fft_int16.eval_split": (
        5, (3, 1, 1, _P, _A, 1, 4, 8, 10, *_TWIDDLED), {8: 9}, {4: _Q},
    ),
    "signal_fft_int16.eval_join": (
        5, (3, _A, _P, _Q, _B, 1, 4, 10, 8, *_TWIDDLED), {7: 9}, {2: _BAD}, {2: _C},
    ),
    "signal_fft_wide_real.eval_join_int32": (
        5, (3, _A, _P, _Q, _B, _C, 4, 10, 8, *_TWIDDLED), {7: 9}, {2: _BAD}, {2: _D}, {5: _P},
    ),
    "signal_fft_wide_real.eval_length_float32": (1, (8, _A, 8, 8, 0x41000000), {3: 7}, {2: 0}),
    "sigmoid_int16.eval_int16": (
        3, (4, _A, _P, _B, *_CURVE), {4: 1 << 16}, {5: 32}, {4: 40000, 5: 31},
    ),
    "svdf.eval_int8": (
        7, (2, _A, _P, _Q, _R, _B, _C, _D, 8, 4, 1, 2, 1, 0x800080, 0, 16, *(1 << 30, 32) * 3, 0),
        {15: 12}, {13: 0x1800080}, {13: 1 << 24}, {13: 0x800180}, {12: 0}, {5: _P}, {7: _P},
        {1: _END - 7 * 4}, {2: _ROM_END - 15 * 4}, {3: _ROM_END - 14 * 4}, {3: _Q | 4},
        {4: _ROM_END - 4 * 4}, {4: _R | 8}, {5: _END - 14 * 4}, {5: _B | 4}, {6: _END - 4},
        {7: _END - 32 * 4}, {7: _D | 8},
    ),
    "attention_float.eval_float32": (
        6,
        (
            4, _A, _B, _C, _D, _E, _F, 6, 8, 2, 48, 48, 8, 1, 1, 6, 0, 0x3F800000, 0x3F800000, 0,
            0xFF7FFFFF, 0x7F7FFFFF, 0x3F800000,
        ),
        {7: 0}, {8: 0}, {9: 0}, {16: 2}, {22: 0x40000000, 12: 1, 13: 8},
        {22: 0x40000000, 2: _P}, {1: _END - 31 * 4 * 4}, {2: _END - 95 * 4 * 4},
        {3: _END - 95 * 4 * 4}, {4: _END - 23 * 4}, {5: _END - 31 * 4 * 4}, {6: _END - 59 * 4},
        {10: 1 << 20}, {12: 1 << 20}, {12: 0}, {13: 2}, {15: 0}, {14: 2}, {5: _P}, {6: _P},
        {1: _A | 8}, {2: _B | 8}, {3: _C | 8}, {4: _D | 8}, {5: _E | 8}, {6: _F | 8},
    ),
    "norm.eval_int8": (
        6,
        (
            2, _A, _B, _P, _Q, _R, _C, 4, *_LIMITED, 0x80, 0x80, *_LIMITED, 0x80, 0x80, *_LIMITED,
        ),
        {7: 0}, {7: 1 << 21}, {8: 128}, {11: 1}, {12: 2}, {13: 1 << 31}, {14: 63}, {15: 256},
        {16: 256}, {21: 2}, {24: 256}, {25: 256}, {29: 1}, {32: 0}, {1: _END - 7 * 4},
        {2: _END - 7 * 4}, {3: _ROM_END - 255 * 4}, {4: _ROM_END - 255 * 4},
        {5: _ROM_END - 3 * 4}, {6: _END - 4 * 4}, {2: _P}, {6: _P}, {6: _C | 4},
    ),
    "norm_float.eval_float32": (
        4, (2, _A, _B, _C, _P, 4, 0xFF7FFFFF, 0x7F7FFFFF, 1, 9, 5, 4, 14),
        {5: 0}, {8: 0}, {8: 2}, {9: 6}, {9: 64}, {9: 5}, {10: 4}, {10: 7}, {10: 13}, {11: 12},
        {1: _END - 28 * 4}, {2: _END - 28 * 4}, {3: _END - 16 * 4}, {2: _P}, {3: _P}, {1: _A | 8},
        {2: _B | 8}, {3: _C | 8}, {12: 7, 4: _ROM_END - 12 * 4}, {12: 7, 4: _P | 8},
        {9: 16, 10: 2, 12: 4, 3: _END - 4 * 4}, {12: 1 << 30},
    ),
    "gru_float.eval_float32": (
        8, (3, _A, _B, _C, _D, _P, _Q, _R, _Q, 5, 4, 0xFF7FFFFF, 0x7F7FFFFF, 0x3F800000),
        {9: 0}, {10: 0}, {3: _P}, {4: _P}, {1: _END - 56 * 4}, {2: _END - 12 * 4},
        {3: _END - 12 * 4}, {4: _END - 92 * 4}, {5: _ROM_END - 236 * 4}, {6: _ROM_END - 44 * 4},
        {7: _ROM_END - 188 * 4}, {8: _ROM_END - 44 * 4}, {1: _A | 8}, {2: _B | 8}, {3: _C | 8},
        {4: _D | 8}, {5: _P | 8}, {6: _Q | 8}, {7: _R | 8}, {8: _Q | 8},
    ),
    "svdf_float.eval_float32": (
        7, (4, _A, _P, _Q, _R, _B, _C, _D, 3, 5, 2, 2, 0, 0xFF7FFFFF, 0x7F7FFFFF),
        {9: 0}, {10: 0}, {11: 0}, {5: _P}, {6: _P}, {7: _P}, {1: _END - 20 * 4},
        {2: _ROM_END - 44 * 4}, {3: _ROM_END - 76 * 4}, {4: _ROM_END - 4 * 4},
        {5: _END - 156 * 4}, {6: _END - 12 * 4}, {7: _END}, {2: 1, 1: _P}, {1: _A | 8},
        {2: 1, 1: _END - 28 * 4}, {2: _P | 8}, {3: _Q | 8}, {4: _R | 8}, {5: _B | 8}, {6: _C | 8},
    ),
    "unidirectional_sequence_lstm.eval_integers": (
        18,
        (
            6, _A, _B, _C, _D, _E, _P, *[_Q] * 12, 5, 3, 1, 2, 3, 0, 0x8000,
            *(0x800080, 1 << 30, 32) * 8, *(1 << 30, 32) * 3, 0, 0, 127, *_CURVE * 3, 1,
        ),
        {20: 0}, {23: 0}, {23: 4}, {24: 1}, {24: 2}, {26: 0x1800080}, {47: 0x1800080},
        {26: 0x800180}, {47: 0x800180}, {29: 0x80FF80},
        {59: 1 << 16}, {73: 1 << 16}, {2: _P}, {3: _P}, {4: _P}, {5: _P}, {1: _END - 9 * 4},
        {2: _END - 5 * 4}, {3: _END - 10 * 4}, {3: _C | 4}, {4: _END - 5 * 4}, {5: _END - 52 * 4},
        {7: _ROM_END - 14 * 4}, {10: _ROM_END - 14 * 4}, {11: _ROM_END - 8 * 4},
        {14: _ROM_END - 8 * 4}, {15: _ROM_END - 8 * 4}, {18: _ROM_END - 8 * 4}, {15: _Q | 8},
        {15: _Q | 4},
    ),
    "unidirectional_sequence_lstm_float.eval_float32": (
        17,
        (6, _A, _B, _C, _D, _E, *[_Q] * 12, 5, 3, 1, 2, 3, 1, 0, *(0xFF7FFFFF, 0x7F7FFFFF) * 2),
        {21: 0}, {22: 0}, {22: 4}, {2: _P}, {5: _P}, {1: _END - 36 * 4}, {2: _END - 20 * 4},
        {3: _END - 20 * 4}, {4: _END - 20 * 4}, {5: _END - 56 * 4}, {6: _ROM_END - 56 * 4},
        {10: _ROM_END - 32 * 4}, {14: _ROM_END - 8 * 4}, {17: _ROM_END - 8 * 4}, {14: _Q | 8},
        {14: _Q | 4},
        {6: _Q | 8}, {13: _Q | 8}, {3: _C | 8},
    ),
    "unidirectional_sequence_lstm_hybrid.eval_float32": (
        19,
        (6, _A, _B, _C, _D, _E, _F, _P, *[_Q] * 12, 5, 3, 1, 2, 1, 0, 0xFF7FFFFF, 0x7F7FFFFF),
        {21: 0}, {23: 0}, {2: _P}, {3: _P}, {4: _P}, {5: _P}, {6: _P}, {1: _END - 116 * 4},
        {2: _END - 20 * 4}, {3: _END - 20 * 4}, {4: _END - 68 * 4}, {5: _END - 88 * 4},
        {6: _END - 7 * 4}, {7: _ROM_END - 36 * 4}, {8: _ROM_END - 14 * 4},
        {11: _ROM_END - 14 * 4}, {12: _ROM_END - 8 * 4}, {15: _ROM_END - 8 * 4},
        {16: _ROM_END - 8 * 4}, {19: _ROM_END - 8 * 4}, {16: _Q | 8}, {1: _A | 8}, {5: _E | 8},
        {16: _Q | 4},
    ),
    "decode_huffman.eval_any": (
        4, (8, _P, _Q, _A, _B, 16, 64, 2, 4, 100, 1),
        {7: 3}, {8: 0}, {8: 17}, {10: 3}, {4: _P}, {9: 1 << 29},
    ),
    "decode_lut.eval_any": (
        3, (8, _P, _Q, _A, 16, 4, 1, 0, 8, 1), {5: 0}, {5: 8}, {8: 0}, {9: 0}, {4: 1 << 20},
    ),
    "decode_prune.eval_any": (
        5, (600, _P, _Q, _A, _R, _S, 16, 1, 600, 1),
        {1: _BAD}, {1: _B}, {4: _B}, {4: _BAD}, {8: 0},
    ),
    "dense_lut.eval_int8": (
        4, (2, _A, _P, _B, _C, 12, 2, 2, 0, 0, 0, 127),
        {0: 3}, {3: _P}, {4: _P}, {4: _B}, {5: 1 << 14}, {6: 0}, {8: 2}, {9: 128}, {2: _P | 8},
    ),
    "hybrid_quantize.eval_float32": (
        6, (2, _A, _B, _C, _D, _E, _P, 8, 0), {4: _C}, {5: _C}, {3: _P}, {5: _P},
    ),
    "hybrid.eval_float32": (
        7,
        (
            8, _A, _B, _C, _P, _Q, 1, _D, 2, 2, 4, 2, 2, 2, 1, 1, 1, 1, 1, 1, 0, 0, 2, 1, 2, 2, 0,
            0xFF7FFFFF, 0x7F7FFFFF,
        ),
        {10: 3}, {22: 3}, {25: 1}, {23: 0}, {23: 3}, {23: 4}, {26: 2}, {1: _P}, {3: _P},
        {12: 0},
    ),
    "transpose_conv.eval_int8": (
        6,
        (
            12, _A, _P, 1, _B, _C, _rom(_REQUANTIZE), 2, 2, 8, 4, 3, 5, 3, 3, 2, 2, 0, 0, 0,
            0x800080,
        ),
        {20: 0x1800080}, {20: 0x800180}, {20: 0x80FFFF}, {20: 0xFD80}, {19: 1}, {6: _P},
        {6: _A}, {13: 0}, {16: 0}, {12: 0}, {4: _P}, {5: _P}, {5: _C | 8}, {1: _END - 31 * 4},
        {2: _ROM_END - 359 * 4}, {4: _END - 59 * 4}, {5: _END - 51 * 4},
    ),
    "depthwise_conv_lanes.eval_3x3_int8": (
        4,
        (
            4, _A, _P, _B, _C, 1, 6, 6, 4, 6, 6, 4, 1, 3, 3, 1, 1, 1, 1, 5, 2, 7, 6, 8,
            *[0xFFFFFF80] * 3, 127,
        ),
        {6: 0}, {7: 0}, {8: 0}, {9: 0}, {11: 3}, {13: 2}, {15: 2}, {16: 2}, {20: 1}, {23: 7},
        {23: 0}, {22: 0}, {3: _C}, {3: _P}, {4: _P}, {1: _END - 143 * 4}, {3: _END - 143 * 4},
        {2: _ROM_END - 76 * 4}, {2: _P | 8}, {4: _C | 8},
    ),
    "hybrid_transpose.eval_float32": (
        7,
        (
            8, _A, _B, _C, _P, _Q, 1, _D, 2, 2, 4, 2, 2, 2, 2, 2, 1, 1, 0, 0, 0,
            0xFF7FFFFF, 0x7F7FFFFF,
        ),
        {20: 2}, {1: _P}, {1: _END - 7 * 4}, {3: _P}, {7: _P}, {10: 0}, {15: 0}, {10: 1 << 20},
        {4: _ROM_END - 15 * 4}, {5: _ROM_END}, {18: 1 << 30},
    ),
    "gather.eval": (
        3, (6, _END - 48 * 4, _P, _B, 4, 16, 2, 1, 8, *[1, 0] * 9),
        {1: _END - 47 * 4}, {2: _ROM_END - 188 * 4}, {2: _P | 8}, {3: _P}, {3: _END - 23 * 4},
        {4: 17}, {4: 0}, {5: 17}, {6: 0}, {6: 1}, {7: 0}, {8: 9}, {0: 1 << 20},
        {9: 1 << 29, 10: 4}, {9: 1 << 20, 10: 1 << 10}, {10: 1 << 30},
    ),
    "one_hot.eval": (
        3, (6, _ROM_END - 48 * 4, _ROM_END - 4 * 4, _END - 72 * 4, 1, 4, 3, 2),
        {1: _ROM_END - 44 * 4}, {1: _P | 8}, {2: _ROM_END - 3 * 4}, {3: _END - 71 * 4}, {3: _P},
        {4: 2}, {5: 5}, {6: 4}, {7: 3, 0: 7}, {5: 0}, {6: 0}, {7: 0}, {0: 7},
    ),
    "reverse_sequence.eval": (
        3, (12, _ROM_END - 48 * 4, _P, _END - 48 * 4, 1, 4, 3, 2, 2, 6),
        {1: _ROM_END - 47 * 4}, {2: _ROM_END - 12 * 4}, {2: _P | 8}, {3: _END - 47 * 4}, {3: _P},
        {4: 2}, {5: 5}, {6: 4}, {7: 3}, {5: 0}, {6: 0}, {7: 0}, {8: 0}, {9: 0}, {0: 13},
        {2: _ROM_END - 16 * 4, 8: 3},
    ),
    "slice.eval_computed": (
        3, (3, _ROM_END - 32 * 4, _END - 12 * 4, _P, 2, 4, 2, 0, 3, 8, 1, 5, 4, 1),
        {1: _ROM_END - 31 * 4}, {2: _END - 11 * 4}, {2: _P}, {3: _P | 8}, {3: _ROM_END - 12 * 4},
        {4: 3}, {4: 0}, {5: 5}, {5: 0}, {6: 9}, {7: 2}, {8: 4}, {9: 9}, {10: 2}, {13: 2}, {12: 5},
        {0: 4}, {7: 1},
    ),
    "broadcast_args.eval": (
        3, (4, _ROM_END - 8 * 4, _ROM_END - 32 * 4, _END - 32 * 4, 2, 1, 4, 4),
        {1: _ROM_END - 4 * 4}, {2: _ROM_END - 28 * 4}, {3: _END - 28 * 4}, {3: _P}, {1: _P | 8},
        {4: 3}, {4: 0}, {1: _P, 5: 5}, {2: _P, 6: 5}, {3: _A, 0: 5},
    ),
    "select.eval": (
        5, (6, _A, _B, _END - 24 * 4, 1, 1, 0, 1, 4, 0, 0, 4, 4),
        {12: 3}, {12: 0}, {12: 16}, {7: 2}, {8: 3}, {2: _B | 8}, {3: _P}, {3: _END - 20 * 4},
        {0: 7}, {1: _END - 5 * 4}, {2: _END - 20 * 4},
    ),
    "fully_connected_pie.eval_int8": (
        4, (4, _A, _P, _B, _C, 12, 16, 2, 4, 0, 0xFFFFFF80, 127),
        {6: 8}, {6: 24}, {0: 5}, {1: _A | 8}, {1: _END - 20 * 4}, {2: _P | 32},
        {2: _ROM_END - 112 * 4}, {3: _P}, {3: _C}, {3: _END - 7 * 4}, {4: _P}, {4: _C | 32},
        {4: _END - 144 * 4}, {5: 17}, {9: 128},
    ),
    "depthwise_conv_pie.eval_3x3_int8": (
        4, (4, _A, _P, _B, _C, 4, 4, 4, 4, 16, 1, 1, 1, 1, 6, 0),
        {14: 5}, {14: 0}, {9: 1 << 12}, {0: 1 << 20}, {5: 0}, {10: 0}, {11: 2}, {13: 7}, {3: _C},
        {3: _P}, {4: _P}, {4: _C | 32}, {2: _P | 32}, {1: _END - 255 * 4}, {3: _END - 255 * 4},
        {2: _ROM_END - 256 * 4}, {4: _END - 400 * 4},
    ),
    "conv_pie.eval_int8": (
        4,
        (
            4, _A, _P, _B, _C, 4, 16, 4, 4, 2, 3, 1, 1, 1, 4, 4, 4, 16, 1, 3, 1, 2, 0, 0,
            0xFFFFFF80, 127,
        ),
        {17: 8}, {17: 20}, {18: 2}, {16: 3}, {14: 2}, {6: 18}, {15: 6}, {16: 20}, {20: 4},
        {19: 0}, {20: 0}, {21: 0}, {21: 1 << 12}, {3: _C}, {3: _P}, {4: _P}, {2: _P | 32},
        {4: _C | 32}, {1: _A | 8}, {23: 128}, {0: 1 << 20}, {5: 1 << 20}, {1: _END - 63 * 4},
        {3: _END - 31 * 4}, {2: _ROM_END - 112 * 4}, {4: _END - 192 * 4},
    ),
}  # fmt: skip


# Return the record with changes; raises ValueError if its check refuses it.
def _checked(kernel, changes=()):
    operands, words, *_ = _RECORDS[kernel]
    words = [dict(changes).get(i, word) for i, word in enumerate(words)]
    record = Record(_MODEL, memoryview(struct.pack(f"<{len(words)}I", *words)), operands)
    check_of(kernel)(record)
    record.settle()
    return record


# Valid records stay inside their memory for all contents of the arena, including the state.
@pytest.mark.parametrize("kernel", _RECORDS)
def test_valid_record_stays_in_its_memory(kernel):
    for machine in _MACHINES:
        for fill in (b"\0", b"\1", b"\x05\0\0\0", b"\xff"):
            arena = bytearray(fill * (_SIZE // len(fill)))
            machine.run(kernel, _checked(kernel), arena, _MODEL.buffer)


@pytest.mark.parametrize("kernel", _RECORDS)
def test_invalid_number_is_refused(kernel):
    for changes in _RECORDS[kernel][2:]:
        with pytest.raises(ValueError):
            _checked(kernel, changes)
            pytest.fail(f"{changes} was accepted")


# A record that ends before the last word that its kernel reads.
@pytest.mark.parametrize("kernel", _RECORDS)
def test_short_record_is_refused(kernel):
    operands, words, *_ = _RECORDS[kernel]
    data = memoryview(struct.pack(f"<{len(words)}I", *words))
    read = len(words)
    while read > 1:
        read -= 1
        record = Record(_MODEL, data[: 4 * read], operands)
        try:
            check_of(kernel)(record)
        except ValueError:
            continue
        _MACHINES[0].run(kernel, record, bytearray(_SIZE), _MODEL.buffer)
