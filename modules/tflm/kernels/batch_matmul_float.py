# tflm: BATCH_MATMUL, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package more; check batch_matmul; units independent

from .float32 import combine
from .float32_dots import dots
from .matrix_batch import first_element

_LEFT = const(1)
_RIGHT = const(2)
_OUTPUT = const(3)
_ROWS = const(4)
_COLUMNS = const(5)
_DEPTH = const(6)
_LEFT_ROW_STRIDE = const(7)
_LEFT_DEPTH_STRIDE = const(8)
_RIGHT_COLUMN_STRIDE = const(9)
_RIGHT_DEPTH_STRIDE = const(10)
_MIDDLE_BATCHES = const(11)
_LAST_BATCHES = const(12)
_LEFT_BATCH_STRIDE_0 = const(13)  # and two more
_RIGHT_BATCH_STRIDE_0 = const(16)  # and two more
_MAC = const(0)  # of float32.combine
_LARGEST_STEP = const(1023)  # of float32.combine
_COLUMNS_TOGETHER = const(1 | 1 << 20)  # steps of combine: result and right matrix advance


# Units are outputs. Matrices are read with strides, so that no matrix has to be transposed. Sums
# start at 0.0 and add the products in order, as in TFLM, because the order decides the last bits.
# The outputs of a row are computed together if the columns of the right matrix are contiguous, or
# its rows.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    out = ptr32(int(ptr8(arena)) + (r[_OUTPUT] >> 2))
    columns = r[_COLUMNS]
    depth = r[_DEPTH]
    a_step = r[_LEFT_DEPTH_STRIDE]
    b_step = r[_RIGHT_DEPTH_STRIDE]
    column_step = r[_RIGHT_COLUMN_STRIDE]
    middle = r[_MIDDLE_BATCHES]
    last = r[_LAST_BATCHES]
    # Elements of each call of combine: all, or one if a stride is too large for its steps.
    n = depth
    if a_step > _LARGEST_STEP or b_step > _LARGEST_STEP:
        n = 1
    steps = (a_step & _LARGEST_STEP) << 10 | (b_step & _LARGEST_STEP) << 20
    while start < stop:
        row = start // columns
        column = start - row * columns
        batch = row // r[_ROWS]
        row -= batch * r[_ROWS]
        a = int(first_element(op, _LEFT_BATCH_STRIDE_0, batch, middle, last))
        a = r[_LEFT] + (a + row * r[_LEFT_ROW_STRIDE] << 4)
        b = int(first_element(op, _RIGHT_BATCH_STRIDE_0, batch, middle, last))
        b = r[_RIGHT] + (b + column * column_step << 4)
        dst = r[_OUTPUT] + (start << 4)
        count = columns - column
        if count > stop - start:
            count = stop - start
        if a_step == 1 and b_step == 1 and column_step == depth:
            dots(arena, rom, dst, b, a, depth, 0, count)
            start += count
        elif column_step == 1:
            i = 0
            while i < count:
                out[start] = 0
                start += 1
                i += 1
            left = depth
            while left:
                combine(arena, rom, dst, a, b, count, _COLUMNS_TOGETHER, _MAC)
                a += a_step << 4
                b += b_step << 4
                left -= 1
        else:
            out[start] = 0
            left = depth
            while left:
                combine(arena, rom, dst, a, b, n, steps, _MAC)
                a += a_step << 4
                b += b_step << 4
                left -= n
            start += 1
