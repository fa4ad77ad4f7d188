# tflm: RESIZE_BILINEAR, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package cnn; check resize_bilinear; units independent

from .float32 import combine
from .float32_convert import from_int, to_int

_INPUT = const(1)
_OUTPUT = const(2)
_SCRATCH = const(3)  # four words for the height, four for the width, then a block of products
_OUTPUT_HEIGHT = const(4)
_OUTPUT_WIDTH = const(5)
_INPUT_HEIGHT = const(6)
_INPUT_WIDTH = const(7)
_DEPTH = const(8)
_HEIGHT_SCALE = const(9)
_WIDTH_SCALE = const(10)
_HALF_PIXEL_CENTERS = const(11)
_HALF = const(12)  # 0.5, then 1.0
_ONE = const(13)
_BLOCK = const(14)

# Words of a position between two pixels: the weights of both, and their numbers.
_WEIGHT = const(0)
_NUMBER = const(2)
_WIDTH_PLACE = const(4)
_PRODUCTS = const(8)

# Operations of float32.combine.
_MAC = const(0)
_MUL = const(1)
_ADD = const(2)
_SUB = const(3)
_BY_SCALAR = const(1 | 1 << 10)

_INT32 = const(3)  # of float32_convert


# Store the position of an output pixel in the input, along the height (side 0) or the width (side
# 1), in the four words at operand `words`. Before the first pixel the weights are more than 1 and
# less than 0, as in TFLM.
@micropython.viper
def _find(op, arena, side: int, index: int, words: int):
    r = ptr32(op)
    p = ptr32(int(ptr8(arena)) + (words >> 2))
    p[0] = index
    from_int(arena, op, words, words, 1, _INT32)
    if r[_HALF_PIXEL_CENTERS]:
        combine(arena, op, words, words, _HALF << 4 | 1, 1, 0, _ADD)
    combine(arena, op, words, words, _HEIGHT_SCALE + side << 4 | 1, 1, 0, _MUL)
    if r[_HALF_PIXEL_CENTERS]:
        combine(arena, op, words, words, _HALF << 4 | 1, 1, 0, _SUB)
    # Truncated to an integer, -0.5 becomes 0.
    to_int(arena, op, words + 32, words, 1, _INT32)
    last = r[_INPUT_HEIGHT + side] - 1
    number = p[_NUMBER]
    if number > last:
        number = last
    p[_NUMBER] = number
    second = words + 16
    from_int(arena, op, second, words + 32, 1, _INT32)
    combine(arena, op, second, words, second, 1, 0, _SUB)
    combine(arena, op, words, _ONE << 4 | 1, second, 1, 0, _SUB)
    if number < last and p[1] and not p[1] >> 31 & 1:
        number += 1
    p[_NUMBER + 1] = number


# Units are output pixels. The pixels around a position are added in TFLM's order, each times the
# weight of its height and then of its width: the order decides the last bits. The numbers are in
# the record, which is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    scratch = r[_SCRATCH]
    p = ptr32(int(ptr8(arena)) + (scratch >> 2))
    products = scratch + (_PRODUCTS << 4)
    dst = r[_OUTPUT] + (start * depth << 4)
    out = ptr32(int(ptr8(arena)) + (dst >> 2))
    n = (stop - start) * depth
    while n:
        out[0] = 0
        out = ptr32(int(out) + 4)
        n -= 1
    row = 0 - 1
    while start < stop:
        y = start // r[_OUTPUT_WIDTH]
        x = start - y * r[_OUTPUT_WIDTH]
        batch = y // r[_OUTPUT_HEIGHT]
        if y != row:
            _find(op, arena, 0, y - batch * r[_OUTPUT_HEIGHT], scratch)
            row = y
        _find(op, arena, 1, x, scratch + (_WIDTH_PLACE << 4))
        done = 0
        while done < depth:
            count = depth - done
            if count > r[_BLOCK]:
                count = r[_BLOCK]
            corner = 0
            while corner < 4:
                lower = corner & 1
                right = corner >> 1
                a = batch * r[_INPUT_HEIGHT] + p[_NUMBER + lower]
                a = a * r[_INPUT_WIDTH] + p[_WIDTH_PLACE + _NUMBER + right]
                a = r[_INPUT] + (a * depth + done << 4)
                weight = scratch + (lower << 4)
                combine(arena, rom, products, a, weight, count, _BY_SCALAR, _MUL)
                weight = scratch + (_WIDTH_PLACE + right << 4)
                combine(arena, rom, dst, products, weight, count, _BY_SCALAR, _MAC)
                corner += 1
            dst += count << 4
            done += count
        start += 1
