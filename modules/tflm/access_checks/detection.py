# tflm: access checks: TFLite_Detection_PostProcess
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_ENCODINGS = const(1)
_ANCHORS = const(2)
_BOXES_BOXES = const(3)
_BOXES_AREAS = const(4)
_BOXES_TEMP = const(5)
_BOXES_ROW = const(6)
_INPUT = const(1)
_BEST_SCORES = const(2)
_BEST_ROW = const(3)
_PICK_SCORES = const(1)
_PICK_BOXES = const(2)
_PICK_AREAS = const(3)
_ACTIVE = const(4)
_PICK_FOUND = const(5)
_PICK_TEMP = const(6)
_PICK_ROW = const(7)
_PICKS = const(10)
_MAX_FOUND = const(11)
_OUTPUTS_BOXES = const(2)
_OUTPUTS_FOUND = const(3)
_OUTPUT_BOXES = const(4)
_OUTPUT_CLASSES = const(5)
_OUTPUT_SCORES = const(6)
_OUTPUT_COUNT = const(7)
_WRITTEN = const(8)
_OUTPUTS_ROW = const(9)
_BOX = const(16)  # bytes
_LONGEST_ROW = const(1023)
_TEMP = const(160)  # bytes of scratch
_PICK_TEMP_BYTES = const(24)
_MAX_EMPTY = 1 << 16  # classes if there is no box


# Bytes of the list of `most` boxes and one more.
def _list(most):
    return 4 * (2 + 3 * (most + 1))


def _boxes(r):
    (row,) = r.numbers(_BOXES_ROW, 1)
    r.need(row <= _LONGEST_ROW and r.words >= 12)
    r.reads(_ENCODINGS, 4 * ((r.units - 1) * row + 4), align=4)
    r.reads(_ANCHORS, _BOX * r.units, align=4)
    r.writes(_BOXES_BOXES, _BOX * r.units, align=4)
    r.writes(_BOXES_AREAS, 4 * r.units, align=4)
    r.writes(_BOXES_TEMP, _TEMP, align=4)


def _best(r):
    row, offset, classes = r.numbers(_BEST_ROW, 3, 0)
    r.need(classes)
    r.reads(_INPUT, 4 * ((r.units - 1) * row + offset + classes), align=4)
    r.writes(_BEST_SCORES, 4 * r.units, align=4)


# Boxes are only read, but always in the arena. The list and the marks of active boxes must agree
# while the kernel runs.
def _pick(r):
    row, offset, count = r.numbers(_PICK_ROW, 3, 0)
    (picks,) = r.numbers(_PICKS, 1)
    (most,) = r.numbers(_MAX_FOUND, 1, 0)
    r.need(r.words >= 14 and picks <= max(1, count))
    r.need(count or r.units <= _MAX_EMPTY)
    if count:
        last = (count - 1) * row + offset + (r.units - 1) // picks
        r.reads(_PICK_SCORES, 4 * (last + 1), align=4)
        r.writes(_PICK_BOXES, _BOX * count, align=4)
        r.reads(_PICK_AREAS, 4 * count, align=4)
    r.writes(_ACTIVE, count)
    r.writes(_PICK_FOUND, _list(most), align=4)
    r.writes(_PICK_TEMP, _PICK_TEMP_BYTES, align=4)
    r.apart(_ACTIVE, _PICK_FOUND)
    r.apart(_ACTIVE, _PICK_TEMP)
    r.apart(_PICK_FOUND, _PICK_TEMP)


# The list may contain anything: the kernel checks its numbers. Scores must not change while the
# kernel sorts them.
def _outputs(r):
    row, offset, classes, categories, capacity, count, most = r.numbers(_OUTPUTS_ROW, 7, 0)
    r.need(r.units == 1 and categories <= classes and classes and (count or not most))
    if count:
        r.reads(_INPUT, 4 * ((count - 1) * row + offset + classes), align=4)
        r.writes(_OUTPUTS_BOXES, _BOX * count, align=4)
    r.writes(_OUTPUTS_FOUND, _list(most), align=4)
    for i, size in (
        (_OUTPUT_BOXES, _BOX * capacity),
        (_OUTPUT_CLASSES, 4 * capacity),
        (_OUTPUT_SCORES, 4 * capacity),
        (_OUTPUT_COUNT, 4),
        (_WRITTEN, 4),
    ):
        r.writes(i, size, align=4)
        r.apart(_INPUT, i)


CHECKS = {
    "detection_postprocess.eval_boxes": _boxes,
    "detection_postprocess.eval_best": _best,
    "detection_suppression.eval_pick": _pick,
    "detection_suppression.eval_outputs": _outputs,
}
