# tflm: FULLY_CONNECTED whose input comes some of its elements at a time: int8, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 float32; package cnn; check dense_rows

from .float32 import combine
from .float32_copy import copy
from .float32_select import clamp
from .requantize import store_int8

_INPUT = const(1)
_OUTPUT = const(2)
_BIAS = const(3)
# Of eval_int8 and eval_float32.
_WEIGHTS = const(4)
_DEPTH = const(5)
_FIRST = const(6)  # of the elements, among all
_COUNT = const(7)
_INPUT_OFFSET = const(8)
_WEIGHTS_OFFSET = const(9)
_FLIP = const(10)  # of each byte of weights
# Of the others.
_OUTPUT_ZERO_POINT = const(3)  # the REQUANTIZE block
_ACTIVATION_MIN = const(4)  # and the maximum behind it

# Of float32.combine.
_MAC = const(0)
_ADD = const(2)
_DOT = const(1 << 10 | 1 << 20)
_EACH = const(1 | 1 << 10 | 1 << 20)


# Units are output channels: what each has of these elements is added to its int32, which begins at
# its bias with the first of all.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    _add(0, 0, 0, op, arena, rom, start, stop)


# Bytes are read unsigned with the top bit flipped, weights of uint8 as they are. `acc`, `x`, `w`
# come first because the first locals live in registers; what they hold at first does not matter.
@micropython.viper
def _add(acc: int, x: ptr8, w: ptr8, op: ptr32, arena, rom, start: int, stop: int):
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = op[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    word = op[_WEIGHTS]
    weights = (flash if word & 1 else base) + (word >> 2) + op[_FIRST]
    word = op[_BIAS]
    bias = (flash if word & 1 else base) + (word >> 2)
    sums = ptr32(base + (op[_OUTPUT] >> 2))
    a = op[_INPUT_OFFSET]
    b = op[_WEIGHTS_OFFSET]
    flip = op[_FLIP]
    while start < stop:
        acc = 0
        if op[_FIRST]:
            acc = sums[start]
        elif word != 1:
            acc = ptr32(bias)[start]
        x = ptr8(source)
        w = ptr8(weights + start * op[_DEPTH])
        n = op[_COUNT]
        while n >= 4:
            acc = ((x[0] ^ 0x80) - a) * ((w[0] ^ flip) - b) + acc
            acc = ((x[1] ^ 0x80) - a) * ((w[1] ^ flip) - b) + acc
            acc = ((x[2] ^ 0x80) - a) * ((w[2] ^ flip) - b) + acc
            acc = ((x[3] ^ 0x80) - a) * ((w[3] ^ flip) - b) + acc
            x = ptr8(int(x) + 4)
            w = ptr8(int(w) + 4)
            n -= 4
        while n:
            acc = ((x[0] ^ 0x80) - a) * ((w[0] ^ flip) - b) + acc
            x = ptr8(int(x) + 1)
            w = ptr8(int(w) + 1)
            n -= 1
        sums[start] = acc
        start += 1


# What becomes of the sums.
@micropython.viper
def eval_end_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    sums = (r[_INPUT] >> 2) + 4 * start
    out = (r[_OUTPUT] >> 2) + start
    store_int8(op, arena, _OUTPUT_ZERO_POINT, sums, out, start, stop - start)


# Units are output channels. Sums start at 0.0 and take the products in order, as in TFLM: that
# decides the last bits.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    sums = ptr32(int(ptr8(arena)) + (r[_OUTPUT] >> 2))
    while start < stop:
        if not r[_FIRST]:
            sums[start] = 0
        row = r[_WEIGHTS] + (start * r[_DEPTH] + r[_FIRST] << 4)
        dst = r[_OUTPUT] + (start << 4)
        combine(arena, rom, dst, r[_INPUT], row, r[_COUNT], _DOT, _MAC)
        start += 1


# The bias is added in the end. The limits of the activation lie in the record, which stands in for
# the ROM there.
@micropython.viper
def eval_end_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    sums = r[_INPUT] + (start << 4)
    dst = r[_OUTPUT] + (start << 4)
    count = stop - start
    if r[_BIAS] == 1:
        copy(arena, rom, dst, sums, count, 1)
    else:
        combine(arena, rom, dst, sums, r[_BIAS] + (start << 4), count, _EACH, _ADD)
    clamp(arena, op, dst, count, _ACTIVATION_MIN << 4 | 1)
