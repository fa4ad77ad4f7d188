# tflm_tools: detection: finds the decoder of a model and the boxes in its outputs
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import ToolError
from ..model import arrays, media
from ..model.labels import labels_of_model
from . import decoders, picture


@dataclass
class Settings:
    """How outputs become boxes; see `tflm run --help`. anchors: a .csv, or None."""

    name: str = decoders.AUTO
    threshold: float = 0.5
    overlap: float = 0.5
    anchors: str | None = None


@dataclass
class Detector:
    """The decoder of a model.

    name: of the decoder. size: (width, height) of the input. labels: of the classes.
    """

    name: str
    size: tuple[int, int]
    labels: list[str]
    settings: Settings
    _infos: list = field(repr=False)
    _anchors: np.ndarray | None = field(repr=False)

    def rows(self, outputs):
        """Return the boxes of an invoke's outputs (arrays), as decoders.decode() does."""
        values = [
            arrays.dequantize(output, info)
            for output, info in zip(outputs, self._infos, strict=True)
        ]
        return decoders.decode(
            self.name,
            values,
            self.size,
            self.settings.threshold,
            self.settings.overlap,
            self._anchors,
        )

    def detections(self, outputs, image=None):
        """Return a list of Detection in pixels of an image file; None: of the model's input."""
        frame = picture.image_size(image) if image else self.size
        return decoders.detections(self.rows(outputs), frame, self.labels)


def detector_of(model, settings):
    """Return the Detector of a ModelFile. Raises ToolError if the model is none."""
    shapes = [info.shape for info in model.outputs]
    if len(model.inputs) != 1 or len(media.of_one(model.inputs[0].shape)) != 3:
        raise ToolError(
            "the model's input is not one image [1, height, width, channels]; give a detector"
        )
    name = decoders.choose(settings.name, shapes, settings.anchors is not None)
    anchors = decoders.read_anchors(settings.anchors, name, shapes)
    height, width, _ = media.of_one(model.inputs[0].shape)
    labels = labels_of_model(model)
    if name == "fomo" and len(labels) >= shapes[0][3]:
        labels = labels[1:]  # the first label is the background's
    return Detector(name, (width, height), labels, settings, model.outputs, anchors)


def is_image(path):
    """Return whether an input of the user is the path of an image file."""
    is_path = not isinstance(path, np.ndarray)
    return is_path and Path(path).suffix.lower() in media.IMAGES
