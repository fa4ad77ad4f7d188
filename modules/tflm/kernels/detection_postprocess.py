# tflm: TFLite_Detection_PostProcess
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package cnn; check detection

from ..errors import InputError
from .float32 import add, mul, sub
from .float32_divide import div
from .float32_math import exp

# Words of the boxes.
_ENCODINGS = const(1)
_ANCHORS = const(2)
_BOXES = const(3)
_AREAS = const(4)
_TEMP = const(5)
_ROW = const(6)
_SCALES = const(7)  # y, x, h, w, then 0.5

# Words of the best scores.
_BEST_INPUT = const(1)
_BEST_SCORES = const(2)
_BEST_ROW = const(3)
_BEST_OFFSET = const(4)
_BEST_CLASSES = const(5)

_CHUNK = const(16)
_WORD = const(16)  # added to an operand word to get the next word
_ONES = const(1 | 1 << 10 | 1 << 20)


# Units are boxes. Like TFLM it refuses boxes without height or width.
def eval_boxes(op, arena, rom, start, stop):
    if _decode(op, arena, rom, start, stop):
        raise InputError(
            "TFLite_Detection_PostProcess: a box has no height or no width; "
            "check the anchors and the box encodings"
        )


# Centers y / y_scale * anchor_h + anchor_y and half sizes 0.5 * exp(h / h_scale) * anchor_h become
# corners (ymin, xmin, ymax, xmax) and areas. Return 1 if a box is empty. TFLM computes in double:
# corners may differ in their last bits.
@micropython.viper
def _decode(op, arena, rom, start: int, stop: int) -> int:
    r = ptr32(op)
    base = int(ptr8(arena))
    temp = r[_TEMP]
    constants = ptr32(base + (temp >> 2))
    k = 0
    while k < 5:
        constants[k] = r[_SCALES + k]
        k += 1
    center = temp + 8 * _WORD
    half = center + _CHUNK * _WORD
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    empty = 0
    while start < stop:
        n = stop - start
        if n > _CHUNK:
            n = _CHUNK
        box = r[_BOXES] + (start << 6)
        encoding = r[_ENCODINGS] + (start * r[_ROW] << 4)
        anchor = r[_ANCHORS] + (start << 6)
        steps = 1 | r[_ROW] << 10
        k = 0
        while k < 2 * _WORD:
            size = anchor + 2 * _WORD + k
            div(arena, rom, center, encoding + k, temp + k, n, steps)
            mul(arena, rom, center, center, size, n, 1 | 1 << 10 | 4 << 20)
            add(arena, rom, center, center, anchor + k, n, 1 | 1 << 10 | 4 << 20)
            div(arena, rom, half, encoding + 2 * _WORD + k, temp + 2 * _WORD + k, n, steps)
            exp(arena, rom, half, half, n)
            mul(arena, rom, half, half, temp + 4 * _WORD, n, 1 | 1 << 10)
            mul(arena, rom, half, half, size, n, 1 | 1 << 10 | 4 << 20)
            sub(arena, rom, box + k, center, half, n, 4 | 1 << 10 | 1 << 20)
            add(arena, rom, box + 2 * _WORD + k, center, half, n, 4 | 1 << 10 | 1 << 20)
            k += _WORD
        k = 1 | 4 << 10 | 4 << 20
        sub(arena, rom, center, box + 2 * _WORD, box, n, k)
        sub(arena, rom, half, box + 3 * _WORD, box + _WORD, n, k)
        mul(arena, rom, r[_AREAS] + (start << 4), center, half, n, _ONES)
        # A difference is positive exactly if its operands differ in that direction.
        p = ptr32(base + (center >> 2))
        k = 0
        while k < n:
            if p[k] >> 31 or not p[k] & magnitude:
                empty = 1
            if p[k + _CHUNK] >> 31 or not p[k + _CHUNK] & magnitude:
                empty = 1
            k += 1
        start += n
    return empty


# Units are boxes: the score of its best class.
@micropython.viper
def eval_best(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    word = op[_BEST_INPUT]
    x = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    y = ptr32(int(arena) + (op[_BEST_SCORES] >> 2))
    while start < stop:
        p = ptr32(x + (start * op[_BEST_ROW] + op[_BEST_OFFSET]) * 4)
        best = 0
        top = 0
        k = 0
        while k < op[_BEST_CLASSES]:
            v = p[k]
            sign = v >> 31 & 1
            v = ((v & magnitude) ^ 0 - sign) + sign
            if not k or v > top:
                top = v
                best = k
            k += 1
        y[start] = p[best]
        start += 1
