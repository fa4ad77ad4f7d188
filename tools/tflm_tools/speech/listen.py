# tflm_tools: speech: finds speech and recognizes words in MicroPython's unix port
# MIT license; Copyright (c) 2026 the tflm authors

import tempfile
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ..errors import ToolError
from ..port.sound_stream import answers
from ..wake import sound
from .files import flat_model_of, read_metadata


@dataclass
class Heard:
    """A segment of speech, `start` to `end` in seconds; its word, or None without a recognizer."""

    start: float
    end: float
    word: str | None = None
    probability: float | None = None


def listen(detector, recognizer, path, threshold=None):
    """Yield a Heard for each word in a sound; without a recognizer, for each segment of speech.

    detector, recognizer: paths of metadata (JSON), with their models beside them. path: a WAV
    file, or - for raw samples from standard input. threshold: replaces the recognizer's. Raises
    ToolError and DeviceError.
    """
    _check(detector, "window_frames", "a voice detector")
    if recognizer:
        _check(recognizer, "classes", "a recognizer of words")
    blocks = sound.blocks(path)
    first = next(blocks, b"")  # raises for a file that cannot be read, before MicroPython starts
    with tempfile.TemporaryDirectory(prefix="tflm-") as folder:
        folder = Path(folder)
        job = {"detector": _arguments(detector, folder / "voice.tflm"), "recognizer": None}
        if recognizer:
            job["recognizer"] = _arguments(recognizer, folder / "words.tflm")
            if threshold is not None:
                job["recognizer"]["threshold"] = threshold
        for answer in answers("speech", job, folder, chain([first], blocks)):
            yield Heard(**answer)


def _check(path, key, what):
    if key not in read_metadata(path):
        raise ToolError(f'{path} is not the metadata of {what}: it has no "{key}"; name another')


# The arguments of tflm.speech.load().
def _arguments(path, model):
    model.write_bytes(flat_model_of(path))
    return {"path": str(Path(path).resolve()), "model": str(model)}
