# tflm: RESIZE_BILINEAR, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package cnn; check resize_bilinear; units independent

from .float32 import combine
from .float32_convert import from_int, to_int

_INPUT = const(1)
_OUTPUT = const(2)
_SCRATCH = const(3)  # positions of rows, positions of columns, a block of products
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

# Operations of float32.combine.
_MAC = const(0)
_MUL = const(1)
_ADD = const(2)
_SUB = const(3)
_BY_SCALAR = const(1 | 1 << 10)
_SCALAR_BY = const(1 | 1 << 20)
_EACH = const(1 | 1 << 10 | 1 << 20)

_INT32 = const(3)  # of float32_convert


# Store the positions of `count` rows (side 0) or columns (side 1) of the output, from `first` on,
# between two rows or columns of the input, from operand `words` on: for each the weight of the
# first one, then for each the weight of the second one, the number of the first one, the number
# of the second one. Before the first pixel the weights are more than 1 and less than 0, as in
# TFLM.
@micropython.viper
def find_positions(op, arena, side: int, first: int, count: int, words: int):
    r = ptr32(op)
    p = ptr32(int(ptr8(arena)) + (words >> 2))
    i = 0
    while i < count:
        p[i] = first + i
        i += 1
    second = words + (count << 4)
    numbers = second + (count << 4)
    from_int(arena, op, words, words, count, _INT32)
    if r[_HALF_PIXEL_CENTERS]:
        combine(arena, op, words, words, _HALF << 4 | 1, count, _BY_SCALAR, _ADD)
    combine(arena, op, words, words, _HEIGHT_SCALE + side << 4 | 1, count, _BY_SCALAR, _MUL)
    if r[_HALF_PIXEL_CENTERS]:
        combine(arena, op, words, words, _HALF << 4 | 1, count, _BY_SCALAR, _SUB)
    # Truncated to an integer, -0.5 becomes 0.
    to_int(arena, op, numbers, words, count, _INT32)
    last = r[_INPUT_HEIGHT + side] - 1
    i = 0
    while i < count:
        if p[2 * count + i] > last:
            p[2 * count + i] = last
        i += 1
    from_int(arena, op, second, numbers, count, _INT32)
    combine(arena, op, second, words, second, count, _EACH, _SUB)
    combine(arena, op, words, _ONE << 4 | 1, second, count, _SCALAR_BY, _SUB)
    i = 0
    while i < count:
        number = p[2 * count + i]
        if number < last and p[count + i] and not p[count + i] >> 31 & 1:
            number += 1
        p[3 * count + i] = number
        i += 1


# The name eval_float32 stays free: a model of tflm 1.0 names it and has less scratch.
# Units are output pixels. The pixels around a position are added in TFLM's order, each times the
# weight of its height and then of its width: the order decides the last bits. The numbers are in
# the record, which is passed as the ROM.
@micropython.viper
def eval_rows(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    scratch = r[_SCRATCH]
    height = r[_OUTPUT_HEIGHT]
    width = r[_OUTPUT_WIDTH]
    # Rows from `first` on are needed: all rows, if they are of several images.
    first = start // width
    rows = (stop - 1) // width - first + 1
    first -= first // height * height
    if first + rows > height:
        first = 0
        rows = height
    columns = scratch + (4 * height << 4)
    products = columns + (4 * width << 4)
    find_positions(op, arena, 0, first, rows, scratch)
    find_positions(op, arena, 1, 0, width, columns)
    p = ptr32(int(ptr8(arena)) + (scratch >> 2))
    q = ptr32(int(ptr8(arena)) + (columns >> 2))
    dst = r[_OUTPUT] + (start * depth << 4)
    out = ptr32(int(ptr8(arena)) + (dst >> 2))
    n = (stop - start) * depth
    while n:
        out[0] = 0
        out = ptr32(int(out) + 4)
        n -= 1
    while start < stop:
        y = start // width
        x = start - y * width
        batch = y // height
        y -= batch * height + first
        done = 0
        while done < depth:
            count = depth - done
            if count > r[_BLOCK]:
                count = r[_BLOCK]
            corner = 0
            while corner < 4:
                lower = (corner & 1) * rows
                right = (corner >> 1) * width
                a = batch * r[_INPUT_HEIGHT] + p[2 * rows + lower + y]
                a = a * r[_INPUT_WIDTH] + q[2 * width + right + x]
                a = r[_INPUT] + (a * depth + done << 4)
                weight = scratch + (lower + y << 4)
                combine(arena, rom, products, a, weight, count, _BY_SCALAR, _MUL)
                weight = columns + (right + x << 4)
                combine(arena, rom, dst, products, weight, count, _BY_SCALAR, _MAC)
                corner += 1
            dst += count << 4
            done += count
        start += 1
