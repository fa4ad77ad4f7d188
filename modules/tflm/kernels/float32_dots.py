# float32 products of rows of a matrix and a vector
# MIT license; Copyright (c) 2026 the tflm authors

from .float32 import combine
from .machine_code import use_machine_code

# Operations of float32.combine.
_MAC = const(0)
_DOT = const(1 << 10 | 1 << 20)


# target = rows first .. first + count - 1 of a matrix, times a vector; all are operand words. Each
# sum starts at 0.0 and adds its products in order.
@micropython.viper
def dots(arena, rom, target: int, weights: int, vector: int, depth: int, first: int, count: int):
    y = ptr32(int(ptr8(arena)) + (target >> 2))
    n = 0
    while n < count:
        y[n] = 0
        row = weights + ((first + n) * depth << 4)
        combine(arena, rom, target + (n << 4), vector, row, depth, _DOT, _MAC)
        n += 1


use_machine_code(globals(), "float32")
