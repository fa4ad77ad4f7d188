# tflm_tools: wake: detects wake words in MicroPython's unix port
# MIT license; Copyright (c) 2026 the tflm authors

import tempfile
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ..port.sound_stream import answers
from . import sound
from .word_files import FRONT_END, front_end, word_files


@dataclass
class Detection:
    """A detected wake word: `seconds` from the start of the sound, and its mean probability."""

    seconds: float
    wake_word: str
    probability: float


def listen(manifests, path, vad=None, cutoff=None, refractory_ms=None):
    """Yield a Detection for each wake word in a sound, as soon as it is detected.

    manifests, vad: paths of microWakeWord manifests (version 2), whose models are in the same
    folders. path: a WAV file, or - for raw samples from standard input. cutoff, refractory_ms:
    replace the manifests' probability_cutoff and the time after a detection in which there is no
    other one. Raises ToolError and DeviceError.
    """
    settings = {"probability_cutoff": cutoff, "refractory_ms": refractory_ms}
    settings = {name: value for name, value in settings.items() if value is not None}
    blocks = sound.blocks(path)
    first = next(blocks, b"")  # raises for a file that cannot be read, before MicroPython starts
    with tempfile.TemporaryDirectory(prefix="tflm-") as folder:
        folder = Path(folder)
        (folder / FRONT_END).write_bytes(front_end())
        given = [*manifests, vad] if vad else list(manifests)
        copies = [_copy(manifest, folder, i) for i, manifest in enumerate(given)]
        job = {
            "front_end": str(folder / FRONT_END),
            "words": copies[: len(manifests)],
            "vad": copies[-1] if vad else None,
            "settings": settings,
        }
        originals = dict(zip(copies, given, strict=True))
        for answer in answers(
            "wake", job, folder, chain([first], blocks),
            lambda text: _with_original_names(text, originals),
        ):  # fmt: skip
            yield Detection(answer["seconds"], answer["wake_word"], answer["probability"])


# An error message of MicroPython, with the names of the user's files.
def _with_original_names(text, originals):
    for copy, given in originals.items():
        text = text.replace(copy, str(given))
    return text


# Copy a manifest and its flattened model to a new folder; return the manifest's new path.
def _copy(manifest, folder, number):
    target = folder / str(number)
    target.mkdir()
    for name, data in word_files(manifest).items():
        (target / name).write_bytes(data)
    return str(target / Path(manifest).name)
