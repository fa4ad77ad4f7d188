# Tests of tflm.ml.postprocessing: OpenMV's names for the decoders
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from detect import device as board
from detect.models import bright_squares
from tflm_tools.flat.flatten import flatten
from unit.on_device import device

_FOMO = """
import tflm.ml as ml
from tflm.ml.postprocessing.edgeimpulse import Fomo

class Image:
    roi = None

    def __init__(self, bright):
        self.bright = bright

    def __call__(self, buffer, shape, dtype):
        for i in range(len(buffer)):
            is_bright = self.bright and i < 8 * 24 and i % 24 >= 8
            buffer[i] = 127 if is_bright else 128

model = ml.Model(PATH, postprocess=Fomo(threshold=0.5))
print(model.predict([Image(True)]))
print(model.predict([Image(False)]))
image = Image(True)
image.roi = (10, 20, 240, 120)
print(model.predict([image], callback=Fomo()))
"""


def test_fomo(tmp_path):
    path = tmp_path / "fomo.tflm"
    path.write_bytes(flatten(bright_squares()))
    # Class 0 is the background. The letterbox has borders of 60 pixels above and below.
    assert device(_FOMO, PATH=str(path)) == [
        "[[], [([8, 0, 16, 8], 0.996)]]",
        "()",
        "[[], [([90, 20, 160, 20], 0.996)]]",
    ]


_OTHERS = """
from tflm.ml.postprocessing.darknet import YoloLC, YoloV2
from tflm.ml.postprocessing.mediapipe import BlazeFace, BlazePalm
from tflm.ml.postprocessing.ultralytics import YoloV5, YoloV8

class Model:
    def __init__(self, size, outputs):
        self.interpreter = Fake(size, outputs)
        self.output_shape = [output[1] for output in outputs]

def run(processor, size, outputs):
    print(processor(Model(size, outputs), [None], []))

outputs = eval(open(PATH).read())  # too long for the command line
run(YoloV5(), (100, 100), outputs["v5"])
run(YoloV8(), (100, 100), outputs["v8"])
run(YoloV2(anchors=[(0.5, 1)]), (100, 100), outputs["v2"])
print(raises(ValueError, YoloLC))
run(BlazeFace(), (128, 128), outputs["face"])
run(BlazePalm(), (192, 192), outputs["palm"])
"""


def _output(values):
    values = np.array(values, np.float32)
    return "float32", values.shape, 0.0, 0, values.tobytes()


# Outputs of BlazeFace or BlazePalm with one box, at the anchor of the first cell.
def _blaze(anchors, points):
    boxes, scores = np.zeros((1, anchors, 4 + 2 * points)), np.full((1, anchors, 1), -9)
    boxes[0, 0, :6] = 16, 28, 20, 16, 4, 8
    scores[0, 0] = 9
    return [_output(boxes), _output(scores)]


def test_others(tmp_path):
    v5 = [[[0.5, 0.4, 0.2, 0.1, 0.9, 0.1, 0.8], [0, 0, 0, 0, 0.5, 1, 0]]]
    v8 = np.transpose([[[0.5, 0.4, 0.2, 0.1, 0.1, 0.75], *[[0] * 6] * 9]], (0, 2, 1))
    v2 = np.full((1, 2, 2, 7), -9)
    v2[0, 1, 0] = 0, 0, 0, 0, 5, 5, 0
    outputs = {"v5": [_output(v5)], "v8": [_output(v8)], "v2": [_output(v2)]}
    outputs |= {"face": _blaze(896, 6), "palm": _blaze(2016, 7)}
    path = tmp_path / "outputs"
    path.write_text(repr(outputs))
    lines = device(board.SOURCE + _OTHERS, PATH=str(path))
    assert lines[:4] == [
        "[[], [([40, 35, 20, 10], 0.72)]]",
        "[[], [([40, 35, 20, 10], 0.75)]]",
        "[[([13, 50, 25, 50], 0.987)], []]",
        "there are no anchors; pass those that the model was trained with",
    ]
    assert lines[4] == "[([10, 24, 20, 16], 1.0, [(8, 12)" + ", (4, 4)" * 5 + "])]"
    assert lines[5] == "[([10, 24, 20, 16], 1.0, [(8, 12)" + ", (4, 4)" * 6 + "])]"
