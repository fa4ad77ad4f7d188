# tflm: extents: TFLite_Detection_PostProcess
# MIT license; Copyright (c) 2026 the tflm authors

_BOX = 16  # bytes
_LONGEST_ROW = 1023
_TEMP = 160  # bytes of scratch
_PICK_TEMP = 24
_MOST_EMPTY = 1 << 16  # classes when there is no box


# Bytes of the list with so many boxes, and room for one more.
def _list(most):
    return 4 * (2 + 3 * (most + 1))


def _boxes(r):
    (row,) = r.numbers(6, 1)
    r.need(row <= _LONGEST_ROW and r.words >= 12)
    r.reads(1, 4 * ((r.units - 1) * row + 4), align=4)
    r.reads(2, _BOX * r.units, align=4)
    r.writes(3, _BOX * r.units, align=4)
    r.writes(4, 4 * r.units, align=4)
    r.writes(5, _TEMP, align=4)


def _best(r):
    row, offset, classes = r.numbers(3, 3, 0)
    r.need(classes)
    r.reads(1, 4 * ((r.units - 1) * row + offset + classes), align=4)
    r.writes(2, 4 * r.units, align=4)


# Boxes are only read, but always in the arena. The list and the marks of boxes that are left
# must agree while it runs.
def _pick(r):
    row, offset, count = r.numbers(7, 3, 0)
    (picks,) = r.numbers(10, 1)
    (most,) = r.numbers(11, 1, 0)
    r.need(r.words >= 14 and picks <= max(1, count))
    r.need(count or r.units <= _MOST_EMPTY)
    if count:
        last = (count - 1) * row + offset + (r.units - 1) // picks
        r.reads(1, 4 * (last + 1), align=4)
        r.writes(2, _BOX * count, align=4)
        r.reads(3, 4 * count, align=4)
    r.writes(4, count)
    r.writes(5, _list(most), align=4)
    r.writes(6, _PICK_TEMP, align=4)
    r.apart(4, 5)
    r.apart(4, 6)
    r.apart(5, 6)


# The list may hold anything: the kernel checks its numbers. Scores must stay while it sorts them.
def _outputs(r):
    row, offset, classes, categories, capacity, count, most = r.numbers(9, 7, 0)
    r.need(r.units == 1 and categories <= classes and classes and (count or not most))
    if count:
        r.reads(1, 4 * ((count - 1) * row + offset + classes), align=4)
        r.writes(2, _BOX * count, align=4)
    r.writes(3, _list(most), align=4)
    for i, size in ((4, _BOX * capacity), (5, 4 * capacity), (6, 4 * capacity), (7, 4), (8, 4)):
        r.writes(i, size, align=4)
        r.apart(1, i)


CHECKS = {
    "detection_postprocess.eval_boxes": _boxes,
    "detection_postprocess.eval_best": _best,
    "detection_suppression.eval_pick": _pick,
    "detection_suppression.eval_outputs": _outputs,
}
