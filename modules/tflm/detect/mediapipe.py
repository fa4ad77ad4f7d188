# tflm.detect: BlazeFace and BlazePalm: MediaPipe's detectors of faces and palms.
# MIT license; Copyright (c) 2026 the tflm authors

import math
from array import array

from .detector import Detector, outputs_of, raise_wrong
from .fixed_point import ONE, FixedPoint, Sigmoid
from .scan import Scan

# The grids of anchors of an output: number of anchors: (cells of a side, anchors in a cell), ...
_GRIDS = {
    896: ((16, 2), (8, 6)),
    512: ((16, 2),),
    384: ((8, 6),),
    2304: ((48, 1),),
    2944: ((32, 2), (16, 2), (8, 6)),
    2016: ((24, 2), (12, 6)),
    1152: ((24, 2),),
    864: ((12, 6),),
}


# A pair of outputs: boxes with keypoints [1, anchors, values] and scores [1, anchors, 1].
class _Pair:
    def __init__(self, boxes, scores, size, threshold, first):
        self.count, self.step = boxes.shape[1], boxes.shape[2]
        self.first = first  # number of its first anchor, over all pairs
        self.x, self.y = FixedPoint(boxes, 1 / size[0]), FixedPoint(boxes, 1 / size[1])
        self.scores = FixedPoint(scores)
        self.grids = _GRIDS[self.count]
        logit = math.log(threshold / (1 - threshold))
        self.scan = Scan(scores, self.count, 1, 0, 1, 1, logit)
        self.anchor_x = self.anchor_y = 0

    # Set anchor_x and anchor_y to the center of an anchor: the middle of its cell.
    def set_anchor(self, i):
        for grid in self.grids:
            side, depth = grid
            size = side * side * depth
            if i < size:
                cell = i // depth
                self.anchor_x = (cell % side * 2 + 1) * ONE // (2 * side)
                self.anchor_y = (cell // side * 2 + 1) * ONE // (2 * side)
                return
            i -= size


class BlazeFace(Detector):
    """BlazeFace: outputs [1, anchors, 16] of boxes and keypoints, [1, anchors, 1] of logits.

    interpreter, options: see Detector; overlap is 0.3. The outputs may be one pair, or one for
    each grid of anchors. keypoints: array of integers, (x, y) in pixels of the frame, for each
    box: right eye, left eye, nose, mouth, right ear, left ear.
    """

    keypoint_count = 6

    def __init__(self, interpreter, overlap=0.3, most=32, **options):
        Detector.__init__(self, interpreter, overlap=overlap, most=most, **options)
        self.keypoints = array("i", bytes(8 * self.keypoint_count * most))
        tensors = outputs_of(interpreter)
        values = 4 + 2 * self.keypoint_count
        wanted = "[1, anchors, %d] and [1, anchors, 1]" % values
        tensors = [t for t in tensors if len(t.shape) == 3 and t.shape[0] == 1]
        boxes = [t for t in tensors if t.shape[2] == values]
        scores = [t for t in tensors if t.shape[2] == 1]
        boxes.sort(key=lambda tensor: -tensor.shape[1])
        scores.sort(key=lambda tensor: -tensor.shape[1])
        if not boxes or [t.shape[1] for t in boxes] != [t.shape[1] for t in scores]:
            raise_wrong(interpreter, wanted)
        self._pairs, first = [], 0
        for box, score in zip(boxes, scores):
            if box.shape[1] not in _GRIDS:
                raise_wrong(interpreter, wanted)
            self._pairs.append(_Pair(box, score, self._input, self._threshold, first))
            first += box.shape[1]
        self._sigmoid = Sigmoid()

    def _decode(self):
        for pair in self._pairs:
            x, y, i = pair.x, pair.y, pair.scan.next(0)
            while i >= 0:
                at = i * pair.step
                pair.set_anchor(i)
                self._found.add_centered(
                    x.at(at) + pair.anchor_x, y.at(at + 1) + pair.anchor_y,
                    x.at(at + 2), y.at(at + 3),
                    0, self._sigmoid.of(pair.scores.at(i)), pair.first + i,
                )  # fmt: skip
                i = pair.scan.next(i + 1)

    # Set the keypoints of box `i`.
    def _finish(self, i, anchor):
        for pair in self._pairs:
            if anchor < pair.first + pair.count:
                anchor -= pair.first
                pair.set_anchor(anchor)
                at, to = anchor * pair.step + 4, 2 * self.keypoint_count * i
                for k in range(0, 2 * self.keypoint_count, 2):
                    x, y = pair.x.at(at + k), pair.y.at(at + k + 1)
                    self.keypoints[to + k] = self.x_pixel(x + pair.anchor_x)
                    self.keypoints[to + k + 1] = self.y_pixel(y + pair.anchor_y)
                return


class BlazePalm(BlazeFace):
    """BlazePalm: outputs [1, anchors, 18] of boxes and keypoints, [1, anchors, 1] of logits.

    As BlazeFace, with seven keypoints: wrist, knuckles of index, middle, ring and little finger,
    first and second joint of the thumb.
    """

    keypoint_count = 7
