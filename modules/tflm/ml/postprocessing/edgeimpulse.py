# tflm.ml.postprocessing.edgeimpulse: Fomo: boxes of Edge Impulse's FOMO.
# MIT license; Copyright (c) 2026 the tflm authors

from ...detect.fomo import FOMO
from . import PostProcessor


class Fomo(PostProcessor):
    """OpenMV's Fomo: a list for each class, including the background, of ((x, y, w, h), score).

    Cells that touch are one box. w_scale, h_scale, nms_threshold, nms_sigma: ignored.
    """

    _first = 1

    def __init__(self, threshold=0.4, w_scale=1.414214, h_scale=1.414214, nms_threshold=0.1,
                 nms_sigma=0.001):  # fmt: skip
        PostProcessor.__init__(self, FOMO, threshold)

    def __call__(self, model, inputs, outputs):
        """Return a list for each class; () if nothing is detected."""
        found = PostProcessor.__call__(self, model, inputs, outputs)
        return found if any(found) else ()

    def _classes(self, model):
        return model.output_shape[0][3]
