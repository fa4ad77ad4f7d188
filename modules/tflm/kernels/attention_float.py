# tflm: attention of a language model over the positions that are filled, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package more; check attention

from .float32 import combine
from .float32_divide import div
from .float32_dots import dots
from .float32_math import exp
from .float32_select import clamp, maximum

_QUERY = const(1)
_KEYS = const(2)
_VALUES = const(3)
_MASK = const(4)
_OUTPUT = const(5)
_SCORES = const(6)  # scratch: a float32 for each position, one more, and a scaled key
_POSITIONS = const(7)
_SIZE = const(8)
_GROUP = const(9)
_KEY_HEAD_STRIDE = const(10)
_VALUE_HEAD_STRIDE = const(11)
_KEY_STRIDE = const(12)  # from position to position
_KEY_DEPTH_STRIDE = const(13)
_VALUE_STRIDE = const(14)  # from position to position
_VALUE_DEPTH_STRIDE = const(15)
_SELECTS = const(16)  # 1: the mask has bytes, and selects scores; 0: float32, which are added
_SCALE = const(17)  # float32
_BETA = const(18)  # float32
_MASKED = const(19)  # float32: the score that a mask of bytes selects
_LOWEST = const(20)  # float32, and the largest one after it
_KEY_SCALE = const(22)  # float32: of each element of a key, rounded before the products

_ONE = const(0x3F800000)
# Sign and exponent of -2**26: a mask below it makes the weight of a position 0, if the best score
# is above -2**24, which is the other number.
_LOW = const(0x199)
_TOO_LOW = const(0x197)

# Operations of float32.combine.
_MAC = const(0)
_MUL = const(1)
_ADD = const(2)
_SUB = const(3)
_DOT = const(1 << 10 | 1 << 20)
_EACH = const(1 | 1 << 10 | 1 << 20)
_BY_SCALAR = const(1 | 1 << 10)
_SCALAR_EACH = const(1 | 1 << 20)
_MAXIMUM = const(1 << 10)
_SUM = const(1 << 20)


# Units are heads. All numbers and their order are the same as in BATCH_MATMUL, MUL, ADD or
# SELECT_V2, SOFTMAX and BATCH_MATMUL, but positions after the last one that the mask permits are
# left out: their weights are 0, and adding products with 0 changes no sum.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    positions = r[_POSITIONS]
    scores = r[_SCORES]
    scalar = scores + (positions << 4)
    value = ptr32(int(ptr8(arena)) + (scalar >> 2))
    filled = int(_filled(op, arena, rom))
    while start < stop:
        head = start // r[_GROUP]
        query = r[_QUERY] + (start * r[_SIZE] << 4)
        keys = r[_KEYS] + (head * r[_KEY_HEAD_STRIDE] << 4)
        count = 0
        while count < positions:
            # Once more over all positions if the best score is so low that others count.
            count = positions if count else filled
            _products(op, arena, rom, scores, query, keys, count, _KEY_STRIDE)
            if r[_SCALE] != _ONE:
                combine(arena, op, scores, scores, _SCALE << 4 | 1, count, _BY_SCALAR, _MUL)
                clamp(arena, op, scores, count, _LOWEST << 4 | 1)
            if r[_SELECTS]:
                _select(op, arena, rom, count)
            else:
                combine(arena, rom, scores, scores, r[_MASK], count, _EACH, _ADD)
                clamp(arena, op, scores, count, _LOWEST << 4 | 1)
            value[0] = r[_LOWEST]
            maximum(arena, rom, scalar, scores, scalar, count, _MAXIMUM)
            if (value[0] >> 23 & 0x1FF) < _TOO_LOW:
                break
        combine(arena, rom, scores, scores, scalar, count, _BY_SCALAR, _SUB)
        if r[_BETA] != _ONE:
            combine(arena, op, scores, scores, _BETA << 4 | 1, count, _BY_SCALAR, _MUL)
        exp(arena, rom, scores, scores, count)
        value[0] = 0
        combine(arena, rom, scalar, scalar, scores, count, _SUM, _ADD)
        div(arena, rom, scores, scores, scalar, count, _BY_SCALAR)
        values = r[_VALUES] + (head * r[_VALUE_HEAD_STRIDE] << 4)
        output = r[_OUTPUT] + (start * r[_SIZE] << 4)
        _products(op, arena, rom, output, scores, values, count, _VALUE_STRIDE)
        start += 1


# Return the number of positions up to the last one that the mask permits; all if it permits none.
@micropython.viper
def _filled(op: ptr32, arena, rom) -> int:
    word = op[_MASK]
    first = (int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2)
    count = op[_POSITIONS]
    if op[_SELECTS]:
        selected = ptr8(first)
        while count and not selected[count - 1]:
            count -= 1
    else:
        added = ptr32(first)
        while count:
            bits = added[count - 1]
            high = bits >> 23 & 0x1FF
            if high < _LOW or (high == 0x1FF and bits & 0x7FFFFF):
                break
            count -= 1
    return count if count else op[_POSITIONS]


# Replace the scores of positions that a mask of bytes does not permit.
@micropython.viper
def _select(op: ptr32, arena, rom, count: int):
    word = op[_MASK]
    selected = ptr8((int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2))
    scores = ptr32(int(ptr8(arena)) + (op[_SCORES] >> 2))
    i = 0
    while i < count:
        if not selected[i]:
            scores[i] = op[_MASKED]
        i += 1


# target = a vector times a matrix, from operand words `left` and `right` on. at: _KEY_STRIDE or
# _VALUE_STRIDE. Sums start at 0.0 and add the products in order.
@micropython.viper
def _products(op, arena, rom, target: int, left: int, right: int, filled: int, at: int):
    r = ptr32(op)
    count = filled
    depth = r[_SIZE]
    step = r[at]
    depth_step = r[at + 1]
    if at == _VALUE_STRIDE:
        count = depth
        depth = filled
        step = depth_step
        depth_step = r[at]
    scale = _ONE
    if at == _KEY_STRIDE:
        scale = r[_KEY_SCALE]
    if depth_step == 1 and step == depth and scale == _ONE:
        dots(arena, rom, target, right, left, depth, 0, count)
        return
    scaled = r[_SCORES] + (r[_POSITIONS] + 1 << 4)
    y = ptr32(int(ptr8(arena)) + (target >> 2))
    i = 0
    while i < count:
        y[i] = 0
        row = right + (i * step << 4)
        if scale != _ONE:
            combine(arena, op, scaled, row, _KEY_SCALE << 4 | 1, depth, _BY_SCALAR, _MUL)
            clamp(arena, op, scaled, depth, _LOWEST << 4 | 1)
            row = scaled
        if depth_step == 1:
            combine(arena, rom, target + (i << 4), left, row, depth, _DOT, _MAC)
        i += 1
    while depth_step != 1 and depth:
        combine(arena, rom, target, left, right, count, _SCALAR_EACH, _MAC)
        left += 16
        right += depth_step << 4
        depth -= 1
