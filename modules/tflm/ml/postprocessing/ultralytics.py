# tflm.ml.postprocessing.ultralytics: YoloV5 and YoloV8: boxes of Ultralytics' detectors.
# MIT license; Copyright (c) 2026 the tflm authors

from ...detect.yolo import YOLOv5, YOLOv8
from . import PostProcessor


class YoloV5(PostProcessor):
    """OpenMV's YoloV5: a list for each class of ((x, y, w, h), score).

    nms_sigma: ignored; overlapping boxes are removed.
    """

    def __init__(self, threshold=0.6, nms_threshold=0.1, nms_sigma=0.1):
        PostProcessor.__init__(self, YOLOv5, threshold, nms_threshold)

    def _classes(self, model):
        return model.output_shape[0][2] - 5


class YoloV8(PostProcessor):
    """OpenMV's YoloV8, also for YOLO11: a list for each class of ((x, y, w, h), score).

    nms_sigma: ignored; overlapping boxes are removed.
    """

    def __init__(self, threshold=0.6, nms_threshold=0.1, nms_sigma=0.1):
        PostProcessor.__init__(self, YOLOv8, threshold, nms_threshold)

    def _classes(self, model):
        return min(model.output_shape[0][1:]) - 4
