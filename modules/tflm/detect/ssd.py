# tflm.detect: SSD: boxes relative to anchors, and the outputs of TFLite_Detection_PostProcess.
# MIT license; Copyright (c) 2026 the tflm authors

import math
from array import array

from ..errors import InputError
from .detector import Detector, outputs_of, raise_wrong
from .fixed_point import ONE, Exp, FixedPoint, Sigmoid, logarithm
from .scan import Scan


class SSD(Detector):
    """SSD: outputs [1, anchors, 4] (y, x, height, width) and [1, anchors, classes] of scores.

    interpreter, options: see Detector. anchors: (y, x, height, width) for each anchor, its center
    and size in parts of the input: four numbers for each anchor in an array of floats, or nested
    lists. scales: the four values are divided by them. background: class 0 is background; classes
    are numbered from 0 without it. logits: the scores are logits. If both outputs have four
    values, the first one has the boxes.

    The operator TFLite_Detection_PostProcess defines the formula. An anchor's candidate is its
    best class.
    """

    def __init__(self, interpreter, anchors, scales=(10, 10, 5, 5), background=True,
                 logits=False, **options):  # fmt: skip
        Detector.__init__(self, interpreter, **options)
        boxes, scores = _boxes_and_scores(interpreter)
        if scores.shape[2] <= background:
            raise_wrong(interpreter, "[1, anchors, 4] and [1, anchors, classes]")
        count = boxes.shape[1]
        self._anchors = _anchors(anchors, count)
        self._exp, self._sigmoid = Exp(), Sigmoid() if logits else None
        # Offsets are multiplied by the anchor's size, sizes are exponents.
        self._y, self._x, self._height, self._width = [
            FixedPoint(boxes, 1 / scale) for scale in scales
        ]
        self._scores, self._step, self._base = FixedPoint(scores), scores.shape[2], int(background)
        threshold = self._threshold
        if logits:
            threshold = math.log(threshold / (1 - threshold))
        self._scan = Scan(
            scores, count, self._step, self._base, self._step - self._base, 1, threshold
        )

    def _decode(self):
        scan, anchors, exp = self._scan, self._anchors, self._exp
        i = scan.next(0)
        while i >= 0:
            label, at = scan.best(), 4 * i
            score = self._scores.at(i * self._step + self._base + label)
            if self._sigmoid:
                score = self._sigmoid.of(score)
            height, width = anchors[at + 2], anchors[at + 3]
            self._found.add_centered(
                anchors[at + 1] + _times(self._x.at(at + 1), exp.of(width)),
                anchors[at] + _times(self._y.at(at), exp.of(height)),
                exp.of(self._width.at(at + 3) + width),
                exp.of(self._height.at(at + 2) + height),
                label, score, i,
            )  # fmt: skip
            i = scan.next(i + 1)


# Return the product of an offset and an anchor's size; the offset is limited to 16 anchors.
def _times(offset, size):
    offset = min(max(offset, -16 * ONE), 16 * ONE)
    # Two products, so that each has less than 31 bits.
    size = min(size, 4 * ONE)
    high, low = offset >> 9, offset & 511
    return (high * size >> 7) + (low * size >> 16)


# Return (output [1, anchors, 4], output [1, anchors, classes]).
def _boxes_and_scores(interpreter):
    tensors = outputs_of(interpreter)
    if len(tensors) == 2 and all(len(tensor.shape) == 3 for tensor in tensors):
        boxes, scores = tensors if tensors[0].shape[2] == 4 else tensors[::-1]
        if boxes.shape[2] == 4 and boxes.shape[:2] == scores.shape[:2] and boxes.shape[0] == 1:
            return boxes, scores
    raise_wrong(interpreter, "[1, anchors, 4] and [1, anchors, classes]")


# Return the anchors as an array: y, x, and the logarithms of height and width.
def _anchors(anchors, count):
    if len(anchors) == count and count and not isinstance(anchors[0], (int, float)):
        anchors = [value for anchor in anchors for value in anchor]
    if len(anchors) != 4 * count:
        raise InputError(
            "there are %d numbers of anchors, the model has %d anchors; pass four for each"
            % (len(anchors), count)
        )
    found = array("i", bytes(16 * count))
    for i in range(4 * count):
        if i % 4 > 1 and not anchors[i] > 0:
            raise InputError("anchor %d has no size; pass y, x, height, width" % (i // 4))
        found[i] = logarithm(anchors[i]) if i % 4 > 1 else int(anchors[i] * ONE + 0.5)
    return found


class PostProcessed(Detector):
    """A model that ends with TFLite_Detection_PostProcess.

    Its float32 outputs are boxes [1, n, 4] (y0, x0, y1, x1), classes [1, n], scores [1, n] and
    the number of boxes [1]. The operator has removed the boxes that overlap.
    interpreter, threshold, frame, fit, most: see Detector.
    """

    def __init__(self, interpreter, threshold=0.5, frame=None, fit="stretch", most=32):
        Detector.__init__(self, interpreter, threshold, 1.0, True, frame, fit, most)
        tensors = outputs_of(interpreter)
        shape = tensors[0].shape
        is_valid = len(tensors) == 4 and len(shape) == 3 and shape[2] == 4
        if is_valid:
            self._corners, self._classes, self._scores, self._number = [
                FixedPoint(tensor) for tensor in tensors
            ]
            # Functions in native code read elements without checks of their positions.
            counts = self._corners.count // 4, self._classes.count, self._scores.count
            self._size = min(counts)
            is_valid = self._number.count
        if not is_valid:
            raise_wrong(interpreter, "[1, n, 4], [1, n], [1, n] and [1]")

    def _decode(self):
        corners = self._corners
        for i in range(min((self._number.at(0) + ONE // 2) >> 16, self._size)):
            score = self._scores.at(i)
            if score >= self._limit:
                at = 4 * i
                self._found.add(
                    corners.at(at + 1), corners.at(at), corners.at(at + 3), corners.at(at + 2),
                    (self._classes.at(i) + ONE // 2) >> 16, score, i,
                )  # fmt: skip
