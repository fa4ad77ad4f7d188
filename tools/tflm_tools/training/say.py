# tflm_tools: training: makes a pack of clips that a board plays, with the voices of espeak-ng
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass

import numpy as np

from .. import files
from ..errors import ToolError
from . import voices

MAGIC = b"TFLMSAY1"
_BIAS, _MAX = 132, 32635  # of mu-law
_MAX_CLIPS, _MAX_NAME = 1000, 255
_PEAK = 0.9  # of full scale


@dataclass
class Pack:
    """A pack of clips: path, names of the clips, seconds of sound, bytes."""

    path: str
    names: list
    seconds: float
    size: int


def to_mu_law(samples):
    """Return the codes (uint8) of int16 samples, mu-law of G.711."""
    samples = np.asarray(samples, int)
    size = np.minimum(np.abs(samples), _MAX) + _BIAS
    exponent = np.floor(np.log2(size)).astype(int) - 7
    mantissa = (size >> (exponent + 3)) & 15
    return (~((samples < 0) << 7 | exponent << 4 | mantissa) & 0xFF).astype(np.uint8)


def pack(clips, rate):
    """Return the bytes of a pack of clips; modules/tflm/speech/play.py describes the format.

    clips: {name: int16 samples}. rate: samples per second.
    """
    names = [name.encode() for name in clips]
    if not 0 < len(names) <= _MAX_CLIPS or max(map(len, names)) > _MAX_NAME:
        raise ToolError(f"a pack has 1 to {_MAX_CLIPS} clips with short names; name other ones")
    head = struct.pack("<8sHH", MAGIC, rate, len(names))
    begin = len(head) + sum(9 + len(name) for name in names)
    table, sound = [], []
    for name, samples in zip(names, clips.values(), strict=True):
        table.append(struct.pack("<IIB", begin, len(samples), len(name)) + name)
        sound.append(to_mu_law(samples).tobytes())
        begin += len(samples)
    return b"".join([head, *table, *sound])


def say(texts, path, accent, speaker, speed, pitch):
    """Speak texts and write the pack `path`; return a Pack.

    Other arguments: as for voices.say().
    """
    clips = {}
    for text in texts:
        sound = voices.say(text, accent, speaker, speed, pitch)
        clips[text] = np.round(_PEAK * 32767 * sound).astype(int)
    data = pack(clips, voices.RATE)
    files.write(path, data)
    seconds = sum(map(len, clips.values())) / voices.RATE
    return Pack(str(path), list(clips), seconds, len(data))
