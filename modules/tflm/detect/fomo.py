# tflm.detect: FOMO: the grid of Edge Impulse's object detection.
# MIT license; Copyright (c) 2026 the tflm authors

from .detector import Detector, outputs_of, raise_wrong
from .fixed_point import ONE, FixedPoint
from .scan import Scan


class FOMO(Detector):
    """FOMO: one output [1, rows, columns, 1 + classes] of probabilities; class 0 is background.

    Cells that touch, with the same best class, are one object: its box covers the cells, its score
    is the best of theirs. Classes are numbered from 0 without the background.
    interpreter, threshold, frame, fit, most: see Detector.
    """

    def __init__(self, interpreter, threshold=0.5, frame=None, fit="stretch", most=32):
        Detector.__init__(self, interpreter, threshold, 1.0, True, frame, fit, most)
        tensors = outputs_of(interpreter)
        shape = tensors[0].shape
        if len(tensors) != 1 or len(shape) != 4 or shape[0] != 1 or shape[3] < 2:
            raise_wrong(interpreter, "[1, rows, columns, 1 + classes]")
        _, self._rows, self._columns, self._step = shape
        self._values = FixedPoint(tensors[0])
        count = self._rows * self._columns
        self._scan = Scan(tensors[0], count, self._step, 1, self._step - 1, 1, threshold)

    def _decode(self):
        scan, rows, columns = self._scan, self._rows, self._columns
        cell = scan.next(0)
        while cell >= 0:
            label, y, x = scan.best(), cell // columns, cell % columns
            self._found.merge(
                x * ONE // columns, y * ONE // rows,
                (x + 1) * ONE // columns, (y + 1) * ONE // rows,
                label, self._values.at(cell * self._step + 1 + label),
            )  # fmt: skip
            cell = scan.next(cell + 1)
        self._found.sort()
