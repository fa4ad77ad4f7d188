# tflm.ml.postprocessing.darknet: YoloV2: boxes of Darknet's detectors.
# MIT license; Copyright (c) 2026 the tflm authors

from ...detect.yolo import YOLOv2
from . import PostProcessor


class YoloV2(PostProcessor):
    """OpenMV's YoloV2: a list for each class of ((x, y, w, h), score).

    anchors: (width, height) of each anchor in cells of the grid. nms_sigma: ignored; overlapping
    boxes are removed. Raises ValueError without anchors: there is no default set.
    """

    def __init__(self, threshold=0.6, anchors=None, nms_threshold=0.1, nms_sigma=0.1):
        if anchors is None:
            raise ValueError("there are no anchors; pass those that the model was trained with")
        self._anchors = [(anchor[0], anchor[1]) for anchor in anchors]
        PostProcessor.__init__(self, YOLOv2, threshold, nms_threshold, anchors=self._anchors)

    def _classes(self, model):
        return model.output_shape[0][3] // len(self._anchors) - 5


YoloLC = YoloV2
