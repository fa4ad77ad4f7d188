# tflm_tools: features: LogMelBlock: log-mel features of a speech model for the sound of a file
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import fields
from math import prod

from ..errors import ToolError

_FRAMES = ("target_frames", "window_frames")  # keys of a recognizer's and a detector's metadata


def describes_log_mel(description):
    """Return whether a parsed JSON is the metadata of a model for tflm.speech."""
    return isinstance(description, dict) and any(name in description for name in _FRAMES)


class LogMelBlock:
    """The log-mel features of a clip, as FeatureBlock. description: the metadata of the model."""

    def __init__(self, description):
        from .log_mel import (
            LogMelSettings,
        )  # imported here because the page flattens without numpy

        known = {field.name for field in fields(LogMelSettings)}
        given = {name: value for name, value in description.items() if name in known}
        is_recognizer = "classes" in description
        try:
            given["frames"] = int(description[_FRAMES[0 if is_recognizer else 1]])
            given.setdefault("center", is_recognizer)
            given.setdefault("win_length", given.get("n_fft", 512))
            given.setdefault("f_max", given.get("sample_rate", 16000) / 2)
            if given.get("norm") == "none":
                given["norm"] = None
            self.settings = LogMelSettings(**given)
            seconds = description.get("clip_seconds")
            self.samples = (
                round(seconds * self.settings.sample_rate) if seconds else self._length()
            )
        except (KeyError, TypeError, ValueError):
            raise ToolError(
                "the metadata of the speech model lacks a number of frames; correct the JSON"
            ) from None

    def _length(self):
        s = self.settings
        return (s.frames - 1) * s.hop_length + (1 if s.center else s.n_fft)

    def metadata(self):
        """Raise ToolError: a .tflm does not store these features."""
        raise ToolError(
            "a .tflm does not store log-mel features; flatten without --features, and copy the "
            "JSON beside the .tflm for tflm.speech"
        )

    def features_of(self, samples, info):
        """Return the normalized features of int16 samples in the shape of an input."""
        from .log_mel import clip_features

        self.check(info)
        found = clip_features(samples, self.settings)
        sizes = [size for size in info.shape if size > 1]
        return (found if sizes == list(found.shape) else found.T).reshape(info.shape)

    def check(self, info):
        """Raise ToolError unless an input has as many elements as there are features."""
        count = self.settings.n_mels * self.settings.frames
        if prod(info.shape) != count:
            raise ToolError(
                f"there are {count} log-mel features, input '{info.name}' has {prod(info.shape)} "
                "elements; use the metadata of this model"
            )

    def table(self, path, rows):
        """Raise ToolError: the features are of a sound."""
        raise ToolError(f"{path} is a table, log-mel features need a sound; give a .wav")
