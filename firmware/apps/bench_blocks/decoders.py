# App bench_blocks: decoders of detectors on outputs with three objects
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

from tflm import dtypes
from tflm.detect import fomo, mediapipe, ssd, yolo
from tflm.micropython_port import struct
from tflm.tensor import Tensor

_CANDIDATES = 3  # of each object, which are neighbours
_OBJECTS = 3


class _Model:
    """What a decoder needs of an Interpreter: an input image and int8 outputs.

    size: (width, height) of the image. outputs: (shape, scale, zero point, first content) of each.
    """

    def __init__(self, size, *outputs):
        self._input = Tensor("image", dtypes.INT8, (1, size[1], size[0], 3), 0, 0, b"")
        self._outputs = [self._tensor(*output) for output in outputs]

    def _tensor(self, shape, scale, zero_point, content):
        count = 1
        for side in shape:
            count *= side
        data = memoryview(bytearray(bytes([content & 255]) * count))
        bits = struct.unpack("<I", struct.pack("<f", scale))[0]
        return Tensor("output", dtypes.INT8, shape, bits, zero_point, data)

    def input(self, _):
        return self._input

    def output(self, i):
        return self._outputs[i]

    def outputs_size(self):
        return len(self._outputs)

    def set(self, output, first, values, step=1):
        """Set elements of an output, `step` apart."""
        data = self._outputs[output].data
        for i, value in enumerate(values):
            data[first + i * step] = value


# Yield (object, number of the anchor) of each candidate among `count` anchors.
def _candidates(count):
    for i in range(_OBJECTS):
        for k in range(_CANDIDATES):
            yield i, count * (i + 1) // (_OBJECTS + 1) + k


def _fomo():
    model = _Model((96, 96), ((1, 12, 12, 4), 1 / 256, -128, -128))
    for i in range(_OBJECTS):
        for row in range(3):
            for column in range(3):
                cell = (4 * i + row) * 12 + 4 * i + column
                model.set(0, 4 * cell + 1 + i, (100,))
    return fomo.FOMO(model), "12 x 12 cells, 3 classes"


def _ssd():
    count = 3 * (12 * 12 + 6 * 6)
    boxes, scores = ((1, count, 4), 0.5, 0, 0), ((1, count, 2), 1 / 256, -128, -128)
    model = _Model((96, 96), boxes, scores)
    anchors = array("f", (0.5, 0.5, 0.2, 0.2) * count)
    for i, anchor in _candidates(count):
        model.set(0, 4 * anchor, (0, 40 * i))
        model.set(1, 2 * anchor + 1, (100,))
    return ssd.SSD(model, anchors), "540 anchors, 1 class"


def _yolov2():
    model = _Model((96, 96), ((1, 6, 6, 5 * 8), 0.1, 0, -80))
    for _, box in _candidates(6 * 6 * 5):
        model.set(0, 8 * box, (0, 0, 0, 0, 50, 40))
    anchors = (1, 1), (1, 1.1), (1.1, 1), (1.1, 1.1), (1.2, 1.2)
    return yolo.YOLOv2(model, anchors), "180 boxes, 3 classes"


def _yolov3():
    grids = (4, 5), (8, 10), (16, 20)
    model = _Model((160, 128), *(((1, y, x, 3 * 6), 0.1, 0, -80) for y, x in grids))
    for _, box in _candidates(16 * 20 * 3):
        model.set(2, 6 * box, (0, 0, 0, 0, 50, 40))
    anchors = [[(30, 30), (30, 36), (36, 36)]] * 3
    return yolo.YOLOv3(model, anchors), "1,260 boxes, 1 class"


def _yolov5():
    model = _Model((96, 96), ((1, 567, 6), 1 / 256, -128, -128))
    for i, box in _candidates(567):
        model.set(0, 6 * box, (80 * i - 100, 0, -80, -80, 120, 120))
    return yolo.YOLOv5(model), "567 boxes, 1 class"


def _yolov8():
    model = _Model((96, 96), ((1, 7, 189), 1 / 256, -128, -128))
    for i, box in _candidates(189):
        model.set(0, box, (80 * i - 100, 0, -80, -80, 100), 189)
    return yolo.YOLOv8(model), "189 boxes, 3 classes"


def _blazeface():
    boxes, scores = ((1, 896, 16), 1, 0, 40), ((1, 896, 1), 0.1, 0, -80)
    model = _Model((128, 128), boxes, scores)
    for _, anchor in _candidates(896):
        model.set(1, anchor, (40,))
    return mediapipe.BlazeFace(model), "896 anchors, 6 keypoints"


# (name, function that returns (decoder, its outputs in words))
_CASES = (
    ("FOMO", _fomo),
    ("SSD", _ssd),
    ("YOLOv2", _yolov2),
    ("YOLOv3", _yolov3),
    ("YOLOv5", _yolov5),
    ("YOLOv8", _yolov8),
    ("BlazeFace", _blazeface),
)


def cases():
    """Yield (name, description, function to measure) of each decoder."""
    for name, make in _CASES:
        detector, outputs = make()
        boxes = detector.detect()
        yield name, "%s, %d boxes found" % (outputs, boxes), detector.detect
