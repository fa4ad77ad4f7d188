# tflm: BATCH_MATMUL, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package more; check batch_matmul; units independent

from .float32 import combine
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


# Units are outputs. Matrices are read with strides, so that no matrix has to be transposed. Sums
# start at 0.0 and add the products in order, as in TFLM, because the order decides the last bits.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    out = ptr32(int(ptr8(arena)) + (r[_OUTPUT] >> 2))
    dst = r[_OUTPUT] + (start << 4)
    columns = r[_COLUMNS]
    middle = r[_MIDDLE_BATCHES]
    last = r[_LAST_BATCHES]
    a_step = r[_LEFT_DEPTH_STRIDE]
    b_step = r[_RIGHT_DEPTH_STRIDE]
    # Elements of each call of combine: all, or one if a stride is too large for its steps.
    n = r[_DEPTH]
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
        b = r[_RIGHT] + (b + column * r[_RIGHT_COLUMN_STRIDE] << 4)
        out[start] = 0
        left = r[_DEPTH]
        while left:
            combine(arena, rom, dst, a, b, n, steps, _MAC)
            a += a_step << 4
            b += b_step << 4
            left -= n
        dst += 16
        start += 1
