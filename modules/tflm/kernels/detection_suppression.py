# tflm: TFLite_Detection_PostProcess: non-maximum suppression and the outputs
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package cnn; check detection

from .float32 import add, mul, sub
from .float32_divide import div

# Words of the picks.
_SCORES = const(1)
_PICK_BOXES = const(2)
_AREAS = const(3)
_ACTIVE = const(4)
_PICK_FOUND = const(5)
_TEMP = const(6)
_PICK_ROW = const(7)
_PICK_OFFSET = const(8)
_COUNT = const(9)
_PICKS = const(10)
_MAX_FOUND = const(11)
_SCORE_THRESHOLD = const(12)
_IOU_THRESHOLD = const(13)

# Words of the outputs.
_INPUT = const(1)
_BOXES = const(2)
_FOUND = const(3)
_OUTPUT_BOXES = const(4)
_OUTPUT_CLASSES = const(5)
_OUTPUT_SCORES = const(6)
_OUTPUT_COUNT = const(7)
_WRITTEN = const(8)
_ROW = const(9)
_OFFSET = const(10)
_CLASSES = const(11)
_CATEGORIES = const(12)
_CAPACITY = const(13)
_ALL_BOXES = const(14)
_LIST_MAX_FOUND = const(15)

_WORD = const(16)  # added to an operand word to get the next word
_ONES = const(1 | 1 << 10 | 1 << 20)


# Units are picks, the same number for each class: find the best active box, put it into the list,
# and deactivate the boxes that overlap it too much.
#
# The list: its length, the number of active boxes, then score, box and class of each, best first,
# and of equal scores the older one first. Between slices another task may overwrite the list:
# whatever it contains, the kernel stays within its bounds.
# it says leads nowhere outside.
@micropython.viper
def eval_pick(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = magnitude >> 23 << 23
    active = ptr8(base + (r[_ACTIVE] >> 2))
    found = ptr32(base + (r[_PICK_FOUND] >> 2))
    boxes = ptr32(base + (r[_PICK_BOXES] >> 2))
    temp = r[_TEMP]
    t = ptr32(base + (temp >> 2))
    word = r[_SCORES]
    scores = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    row = r[_PICK_ROW] * 4
    if not start or found[0] < 0 or found[0] > r[_MAX_FOUND]:
        found[0] = 0
    while start < stop:
        cls = start // r[_PICKS]
        x = scores + (r[_PICK_OFFSET] + cls) * 4
        if start == cls * r[_PICKS]:
            v = r[_SCORE_THRESHOLD]
            sign = v >> 31 & 1
            low = ((v & magnitude) ^ 0 - sign) + sign
            n = 0
            i = 0
            while i < r[_COUNT]:
                v = ptr32(x + i * row)[0]
                sign = v >> 31 & 1
                v = v & magnitude
                active[i] = 0
                if v <= infinity and (v ^ 0 - sign) + sign >= low:
                    active[i] = 1
                    n += 1
                i += 1
            found[1] = n
        start += 1
        if found[1] and r[_COUNT]:
            best = 0 - 1
            top = 0
            i = 0
            while i < r[_COUNT]:
                if active[i]:
                    v = ptr32(x + i * row)[0]
                    sign = v >> 31 & 1
                    v = ((v & magnitude) ^ 0 - sign) + sign
                    if best < 0 or v > top:
                        top = v
                        best = i
                i += 1
            if best < 0:
                best = 0
                found[1] = 1
            active[best] = 0
            found[1] = found[1] - 1
            # Insert into the list, after entries with the same score.
            n = found[0]
            slot = n
            while slot:
                v = found[3 * slot - 1]
                sign = v >> 31 & 1
                v = ((v & magnitude) ^ 0 - sign) + sign
                if v >= top:
                    break
                slot -= 1
            if n < r[_MAX_FOUND]:
                n += 1
                found[0] = n
            if slot < n:
                i = n - 1
                while i > slot:
                    found[3 * i + 2] = found[3 * i - 1]
                    found[3 * i + 3] = found[3 * i]
                    found[3 * i + 4] = found[3 * i + 1]
                    i -= 1
                found[3 * slot + 2] = ptr32(x + best * row)[0]
                found[3 * slot + 3] = best
                found[3 * slot + 4] = cls
            # Deactivate the boxes that overlap.
            i = 0
            while i < r[_COUNT] and found[1]:
                if active[i]:
                    # The corners of the intersection: two maxima, two minima.
                    k = 0
                    while k < 4:
                        v = boxes[4 * i + k]
                        w = boxes[4 * best + k]
                        sign = v >> 31 & 1
                        slot = ((v & magnitude) ^ 0 - sign) + sign
                        sign = w >> 31 & 1
                        n = ((w & magnitude) ^ 0 - sign) + sign
                        if k < 2:
                            t[k] = v if slot > n else w
                        else:
                            t[k] = v if slot < n else w
                        k += 1
                    overlap = 1
                    k = 0
                    while k < 2:
                        v = t[k]
                        sign = v >> 31 & 1
                        slot = ((v & magnitude) ^ 0 - sign) + sign
                        v = t[k + 2]
                        sign = v >> 31 & 1
                        if slot >= ((v & magnitude) ^ 0 - sign) + sign:
                            overlap = 0
                        k += 1
                    if overlap:
                        word = r[_AREAS]
                        sub(arena, rom, temp + 4 * _WORD, temp + 2 * _WORD, temp, 2, _ONES)
                        mul(arena, rom, temp, temp + 4 * _WORD, temp + 5 * _WORD, 1, 0)
                        k = temp + _WORD
                        add(arena, rom, k, word + (best << 4), word + (i << 4), 1, 0)
                        sub(arena, rom, k, k, temp, 1, 0)
                        div(arena, rom, k, temp, k, 1, 0)
                        v = t[1] & magnitude
                        # Both are positive; areas that vanish do not overlap.
                        if v > r[_IOU_THRESHOLD] and v <= infinity:
                            active[i] = 0
                            found[1] = found[1] - 1
                i += 1


# One unit. With fast suppression each box comes with its best classes; TFLM goes on counting
# meanwhile and leaves gaps. As in TFLM, gaps and the entries after the last box keep their values,
# and are 0 in the first invoke; with regular suppression they are always 0. The numbers in the
# list are moved into their bounds: another task, or another operator of a forged model, may have
# written them.
@micropython.viper
def eval_outputs(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    a = int(arena)
    word = op[_INPUT]
    x = (int(rom) if word & 1 else a) + (word >> 2)
    boxes = ptr32(a + (op[_BOXES] >> 2))
    found = ptr32(a + (op[_FOUND] >> 2))
    output_boxes = ptr32(a + (op[_OUTPUT_BOXES] >> 2))
    output_classes = ptr32(a + (op[_OUTPUT_CLASSES] >> 2))
    output_scores = ptr32(a + (op[_OUTPUT_SCORES] >> 2))
    categories = op[_CATEGORIES]
    capacity = op[_CAPACITY]
    i = 0
    written = ptr32(a + (op[_WRITTEN] >> 2))
    if categories and written[0]:
        i = capacity
    written[0] = 1
    while i < capacity:
        output_classes[i] = 0
        output_scores[i] = 0
        output_boxes[4 * i] = 0
        output_boxes[4 * i + 1] = 0
        output_boxes[4 * i + 2] = 0
        output_boxes[4 * i + 3] = 0
        i += 1
    length = found[0]
    if length < 0 or length > op[_LIST_MAX_FOUND]:
        length = op[_LIST_MAX_FOUND]
    count = 0
    i = 0
    while i <= length:
        # The last round is for the number of boxes.
        box = found[3 * i + 3]
        if box < 0 or box >= op[_ALL_BOXES]:
            box = 0
        cls = found[3 * i + 4]
        if cls < 0 or cls >= op[_CLASSES]:
            cls = 0
        p = ptr32(x + (box * op[_ROW] + op[_OFFSET]) * 4)
        col = 0
        before = 0
        while col < categories or not col:
            slot = count
            if i == length:
                cls = count
                col = categories
            elif categories:
                slot = categories * count + col
                # The next best class: a lower score than the last one, or the same score and after
                # it.
                best = 0 - 1
                top = 0
                k = 0
                while k < op[_CLASSES]:
                    v = p[k]
                    sign = v >> 31 & 1
                    v = ((v & magnitude) ^ 0 - sign) + sign
                    distance = k - cls
                    if not col or v < before:
                        distance = 1
                    elif v > before:
                        distance = 0
                    if distance > 0 and (best < 0 or v > top):
                        top = v
                        best = k
                    k += 1
                cls = best
                before = top
            # The class as float32.
            v = cls
            if v:
                sign = 150
                while not v >> 23:
                    v = v << 1
                    sign -= 1
                v = (sign - 1 << 23) + v
            if i == length:
                ptr32(a + (op[_OUTPUT_COUNT] >> 2))[0] = v
            else:
                if slot < capacity:
                    output_classes[slot] = v
                    output_scores[slot] = p[cls]
                    k = 0
                    while k < 4:
                        output_boxes[4 * slot + k] = boxes[4 * box + k]
                        k += 1
                count += 1
            col += 1
        i += 1
