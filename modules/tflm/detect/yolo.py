# tflm.detect: YOLOv2, YOLOv3, YOLOv5, YOLOv8 and YOLO11.
# MIT license; Copyright (c) 2026 the tflm authors

import math
from array import array

from ..errors import InputError
from .detector import Detector, outputs_of, raise_wrong
from .fixed_point import ONE, Exp, FixedPoint, Sigmoid, logarithm, product
from .scan import Scan


# The only output of a model, [1, a, b].
def _only_output(interpreter, wanted):
    tensors = outputs_of(interpreter)
    if len(tensors) != 1 or len(tensors[0].shape) != 3 or tensors[0].shape[0] != 1:
        raise_wrong(interpreter, wanted)
    return tensors[0]


class YOLOv5(Detector):
    """YOLOv5: output [1, boxes, 5 + classes]: x, y, width, height, objectness, probabilities.

    interpreter, options: see Detector. normalized: coordinates are parts of the input, as
    `export.py --include tflite` writes them; False for pixels of the input. The score is
    objectness * probability of the best class.
    """

    def __init__(self, interpreter, normalized=True, **options):
        Detector.__init__(self, interpreter, **options)
        wanted = "[1, boxes, 5 + classes]"
        tensor = _only_output(interpreter, wanted)
        _, count, self._step = tensor.shape
        if self._step < 6:
            raise_wrong(interpreter, wanted)
        width, height = (1, 1) if normalized else self._input
        self._x, self._y = FixedPoint(tensor, 1 / width), FixedPoint(tensor, 1 / height)
        self._scores = self._x if normalized else FixedPoint(tensor)
        self._scan = Scan(tensor, count, self._step, 5, self._step - 5, 1, self._threshold, 4)

    def _decode(self):
        scan, scores = self._scan, self._scores
        x, y = self._x, self._y
        i = scan.next(0)
        while i >= 0:
            at, label = i * self._step, scan.best()
            score = product(_unit(scores.at(at + 4)), _unit(scores.at(at + 5 + label)))
            if score >= self._limit:
                self._found.add_centered(
                    x.at(at), y.at(at + 1), x.at(at + 2), y.at(at + 3), label, score, i
                )
            i = scan.next(i + 1)


# Return a probability, limited to 0 and 1.
def _unit(value):
    return min(max(value, 0), ONE)


class YOLOv8(Detector):
    """YOLOv8 and YOLO11: output [1, 4 + classes, boxes] or [1, boxes, 4 + classes].

    The first four are x, y, width, height, the others probabilities. The larger dimension is the
    number of boxes. interpreter, options: see Detector. normalized: coordinates are parts of the
    input, as Ultralytics exports them to TFLite; False for pixels of the input.
    """

    def __init__(self, interpreter, normalized=True, **options):
        Detector.__init__(self, interpreter, **options)
        wanted = "[1, 4 + classes, boxes]"
        tensor = _only_output(interpreter, wanted)
        _, channels, count = tensor.shape
        self._step, self._channel = 1, count
        if channels > count:
            channels, count = count, channels
            self._step, self._channel = channels, 1
        if channels < 5:
            raise_wrong(interpreter, wanted)
        width, height = (1, 1) if normalized else self._input
        self._x, self._y = FixedPoint(tensor, 1 / width), FixedPoint(tensor, 1 / height)
        self._scores = self._x if normalized else FixedPoint(tensor)
        self._scan = Scan(
            tensor, count, self._step, 4 * self._channel, channels - 4, self._channel,
            self._threshold,
        )  # fmt: skip

    def _decode(self):
        scan, channel = self._scan, self._channel
        x, y = self._x, self._y
        i = scan.next(0)
        while i >= 0:
            at, label = i * self._step, scan.best()
            score = _unit(self._scores.at(at + (4 + label) * channel))
            self._found.add_centered(
                x.at(at), y.at(at + channel), x.at(at + 2 * channel), y.at(at + 3 * channel),
                label, score, i,
            )  # fmt: skip
            i = scan.next(i + 1)


YOLO11 = YOLOv8


# One output of YOLOv2 or YOLOv3 and its anchors: a grid [1, rows, columns, anchors * (5 + n)].
class _Grid:
    def __init__(self, tensor, anchors, threshold):
        _, self.rows, self.columns, channels = tensor.shape
        self.anchors = len(anchors)
        self.step = channels // self.anchors
        self.values = FixedPoint(tensor)
        logarithms = [logarithm(size) for anchor in anchors for size in anchor]
        self.logarithms = array("i", logarithms)
        logit = math.log(threshold / (1 - threshold))
        count = self.rows * self.columns * self.anchors
        self.scan = Scan(
            tensor, count, self.step, 5, self.step - 5, 1, logit, objectness=4, all_classes=True
        )


class YOLOv3(Detector):
    """YOLOv3: outputs [1, rows, columns, anchors * (5 + classes)] of logits.

    interpreter, options: see Detector. anchors: for each output a list of (width, height) in
    pixels of the input. The score is sigmoid(objectness) * sigmoid(best class). The person
    detectors of MCUNet have such outputs.
    """

    _is_softmax = False

    def __init__(self, interpreter, anchors, **options):
        Detector.__init__(self, interpreter, **options)
        tensors = outputs_of(interpreter)
        if len(anchors) != len(tensors):
            raise InputError(
                "there are anchors for %d outputs, the model has %d; pass a list for each"
                % (len(anchors), len(tensors))
            )
        self._exp, self._sigmoid, self._grids = Exp(), Sigmoid(), []
        for tensor, sizes in zip(tensors, anchors):
            shape = tensor.shape
            if len(shape) != 4 or shape[0] != 1 or not sizes or shape[3] % len(sizes):
                raise_wrong(interpreter, "[1, rows, columns, anchors * (5 + classes)]")
            if shape[3] // len(sizes) < 6:
                raise_wrong(interpreter, "[1, rows, columns, anchors * (5 + classes)]")
            width, height = self._anchor_unit(tensor)
            relative = [(anchor[0] / width, anchor[1] / height) for anchor in sizes]
            self._grids.append(_Grid(tensor, relative, self._threshold))

    # Return (width, height) of the input in the unit of the anchors.
    def _anchor_unit(self, tensor):
        return self._input

    def _decode(self):
        for grid in self._grids:
            i = grid.scan.next(0)
            while i >= 0:
                self._add(grid, i, grid.scan.best())
                i = grid.scan.next(i + 1)

    def _add(self, grid, i, label):
        values, at = grid.values, i * grid.step
        sigmoid, exp = self._sigmoid, self._exp
        objectness = sigmoid.of(values.at(at + 4))
        if self._is_softmax:
            score = product(objectness, self._softmax(grid, at + 5, label))
        else:
            score = product(objectness, sigmoid.of(values.at(at + 5 + label)))
        if score < self._limit:
            return
        cell, anchor = i // grid.anchors, 2 * (i % grid.anchors)
        self._found.add_centered(
            (sigmoid.of(values.at(at)) + cell % grid.columns * ONE) // grid.columns,
            (sigmoid.of(values.at(at + 1)) + cell // grid.columns * ONE) // grid.rows,
            exp.of(values.at(at + 2) + grid.logarithms[anchor]),
            exp.of(values.at(at + 3) + grid.logarithms[anchor + 1]),
            label, score, i,
        )  # fmt: skip

    # Return the probability of the best class by softmax over the classes from `at` on.
    def _softmax(self, grid, at, label):
        best, total = grid.values.at(at + label), 0
        for k in range(grid.step - 5):
            total += self._exp.of(grid.values.at(at + k) - best)
        return (ONE << 12) // (total >> 4)


class YOLOv2(YOLOv3):
    """YOLOv2: output [1, rows, columns, anchors * (5 + classes)] of logits.

    interpreter, options: see Detector. anchors: a list of (width, height) in cells of the grid.
    The score is sigmoid(objectness) * softmax(classes).
    """

    _is_softmax = True

    def __init__(self, interpreter, anchors, **options):
        YOLOv3.__init__(self, interpreter, [anchors], **options)

    def _anchor_unit(self, tensor):
        return tensor.shape[2], tensor.shape[1]
