# tflm.ml.postprocessing.mediapipe: BlazeFace and BlazePalm: faces and palms with keypoints.
# MIT license; Copyright (c) 2026 the tflm authors

from ...detect import mediapipe
from . import PostProcessor


class BlazeFace(PostProcessor):
    """OpenMV's BlazeFace: a list of ((x, y, w, h), score, keypoints), keypoints (x, y).

    anchors: ignored; they follow from the outputs. nms_sigma: ignored; overlapping boxes are
    removed.
    """

    _detector_class = mediapipe.BlazeFace

    def __init__(self, threshold=0.6, anchors=None, nms_threshold=0.1, nms_sigma=0.1):
        PostProcessor.__init__(self, self._detector_class, threshold, nms_threshold)

    def __call__(self, model, inputs, outputs):
        """Return a list of ((x, y, width, height), score, keypoints)."""
        roi = getattr(inputs[0], "roi", None) or (0, 0)
        found = []
        for box, _, score, i in self._boxes(model, inputs):
            count, points = self._detector.keypoint_count, self._detector.keypoints
            first = 2 * count * i
            keypoints = [
                (roi[0] + points[k], roi[1] + points[k + 1])
                for k in range(first, first + 2 * count, 2)
            ]
            found.append((box, score, keypoints))
        return found


class BlazePalm(BlazeFace):
    """OpenMV's BlazePalm, with seven keypoints; otherwise as BlazeFace."""

    _detector_class = mediapipe.BlazePalm
