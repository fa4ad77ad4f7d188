# tflm: BATCH_MATMUL, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package more; check batch_matmul; units independent

from .matrix_batch import first_element
from .requantize import store_int8

_LEFT = const(1)
_RIGHT = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_ROWS = const(5)
_COLUMNS = const(6)
_DEPTH = const(7)
_LEFT_ROW_STRIDE = const(8)
_LEFT_DEPTH_STRIDE = const(9)
_RIGHT_COLUMN_STRIDE = const(10)
_RIGHT_DEPTH_STRIDE = const(11)
_MIDDLE_BATCHES = const(12)
_LAST_BATCHES = const(13)
_LEFT_BATCH_STRIDE_0 = const(14)  # and two more
_RIGHT_BATCH_STRIDE_0 = const(17)  # and two more
_LEFT_OFFSET = const(20)
_RIGHT_OFFSET = const(21)
_OUTPUT_ZERO_POINT = const(22)  # the REQUANTIZE or REQUANTIZE_INT16 block
_BLOCK = const(32)  # taps, and sums, that fit the scratch buffer


# Units are outputs. Matrices are read with strides, so that no matrix has to be transposed.
@micropython.viper
def eval_int8(op, arena, rom, start, stop):
    multiply_matrices(op, arena, rom, start, stop, 0, _sums, store_int8)


# Multiply matrices of elements of 1 << `wide` bytes. `sums` computes sums, `store` stores them.
@micropython.viper
def multiply_matrices(op, arena, rom, start: int, stop: int, wide: int, sums, store):
    r = ptr32(op)
    scratch = r[_SCRATCH] >> 2
    columns = r[_COLUMNS]
    out = (r[_OUTPUT] >> 2) + (start << wide)
    middle = r[_MIDDLE_BATCHES]
    last = r[_LAST_BATCHES]
    while start < stop:
        # Outputs of one row.
        row = start // columns
        column = start - row * columns
        count = columns - column
        if count > stop - start:
            count = stop - start
        if count > _BLOCK:
            count = _BLOCK
        batch = row // r[_ROWS]
        row -= batch * r[_ROWS]
        left = int(first_element(op, _LEFT_BATCH_STRIDE_0, batch, middle, last))
        left += row * r[_LEFT_ROW_STRIDE]
        right = int(first_element(op, _RIGHT_BATCH_STRIDE_0, batch, middle, last))
        right += column * r[_RIGHT_COLUMN_STRIDE]
        sums(0, 0, op, arena, rom, left, right, count)
        store(op, arena, _OUTPUT_ZERO_POINT, scratch, out, 0, count)
        out += count << wide
        start += count


# The sums of `count` neighbours in a row, from the elements `left` and `right` of the matrices on.
# Bytes are read unsigned with the top bit flipped (y'):
#   sum x * (y - its zero point) = sum x * y' - right_offset * sum x
# where x are taps: up to 32 left elements, less their zero point, as words. `acc` and `x` come
# first because the first locals are in registers.
@micropython.viper
def _sums(acc: int, x: ptr32, op: ptr32, arena, rom, left: int, right: int, count: int):
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = op[_LEFT]
    left += (flash if word & 1 else base) + (word >> 2)
    word = op[_RIGHT]
    right += (flash if word & 1 else base) + (word >> 2)
    sums = base + (op[_SCRATCH] >> 2)
    taps = sums + 4 * count
    step = op[_RIGHT_DEPTH_STRIDE]
    x = ptr32(sums)
    k = count
    while k:
        x[0] = 0
        x = ptr32(int(x) + 4)
        k -= 1
    depth = op[_DEPTH]
    while depth:
        n = depth
        if n > _BLOCK:
            n = _BLOCK
        depth -= n
        x = ptr32(taps)
        total = 0
        k = n
        while k:
            acc = (ptr8(left)[0] ^ 0x80) - op[_LEFT_OFFSET]
            x[0] = acc
            total += acc
            left += op[_LEFT_DEPTH_STRIDE]
            x = ptr32(int(x) + 4)
            k -= 1
        total = total * op[_RIGHT_OFFSET]
        p = ptr32(sums)
        f = right
        m = count
        while m:
            acc = p[0] - total
            x = ptr32(taps)
            y = ptr8(f)
            k = n >> 2
            while k:
                acc = (y[0] ^ 0x80) * x[0] + acc
                y = ptr8(int(y) + step)
                acc = (y[0] ^ 0x80) * x[1] + acc
                y = ptr8(int(y) + step)
                acc = (y[0] ^ 0x80) * x[2] + acc
                y = ptr8(int(y) + step)
                acc = (y[0] ^ 0x80) * x[3] + acc
                y = ptr8(int(y) + step)
                x = ptr32(int(x) + 16)
                k -= 1
            k = n & 3
            while k:
                acc = (y[0] ^ 0x80) * x[0] + acc
                y = ptr8(int(y) + step)
                x = ptr32(int(x) + 4)
                k -= 1
            p[0] = acc
            p = ptr32(int(p) + 4)
            f += op[_RIGHT_COLUMN_STRIDE]
            m -= 1
        right += n * step
