# tflm_tools: training: makes a pack of clips that a board plays, with the voices of espeak-ng
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import files
from ..errors import ToolError
from . import voices

MAGIC, VOICE_MAGIC = b"TFLMSAY1", b"TFLMVOX1"
_BIAS, _MAX = 132, 32635  # of mu-law
_MAX_CLIPS, _MAX_NAME = 1000, 255
_PEAK = 0.9  # of full scale
_VOICE_PEAK = 0.5  # a vocoder's peaks are higher


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
    sounds = {name: to_mu_law(samples).tobytes() for name, samples in clips.items()}
    return _packed(MAGIC, rate, sounds, 1)


# unit: bytes of a unit of length.
def _packed(magic, rate, sounds, unit):
    names = [name.encode() for name in sounds]
    if not 0 < len(names) <= _MAX_CLIPS or max(map(len, names)) > _MAX_NAME:
        raise ToolError(f"a pack has 1 to {_MAX_CLIPS} clips with short names; name other ones")
    head = struct.pack("<8sHH", magic, rate, len(names))
    begin = len(head) + sum(9 + len(name) for name in names)
    table = []
    for name, sound in zip(names, sounds.values(), strict=True):
        table.append(struct.pack("<IIB", begin, len(sound) // unit, len(name)) + name)
        begin += len(sound)
    return b"".join([head, *table, *sounds.values()])


def voice_pack(clips, decoder):
    """Return the bytes of a pack for tflm.speech.Voice.

    clips: {name: float samples, -1 to 1}. decoder: path of the network, beside its encoder.
    """
    from ..speech import codes

    encoder = codes.read_encoder(decoder)
    sounds = {name: codes.encode(sound, encoder) for name, sound in clips.items()}
    return _packed(VOICE_MAGIC, voices.RATE, sounds, encoder.shape[1] + codes.PITCHES)


def say(texts, path, decoder=None, target=None, **voice):
    """Speak texts and write the pack `path`; return a Pack.

    decoder: path of a network; the pack then has its codes, and the .tflm of the same name, for
    the target, is the network. voice: accent, speaker, speed and pitch of voices.say().
    """
    clips = {text: voices.say(text, **voice) for text in texts}
    seconds = sum(map(len, clips.values())) / voices.RATE
    if decoder is None:
        sounds = {t: np.round(_PEAK * 32767 * sound).astype(int) for t, sound in clips.items()}
        data = pack(sounds, voices.RATE)
    else:
        from ..flat.flatten import flatten

        data = voice_pack({t: _VOICE_PEAK * sound for t, sound in clips.items()}, decoder)
        files.write(Path(path).with_suffix(".tflm"), flatten(files.read(decoder), target=target))
    files.write(path, data)
    return Pack(str(path), list(clips), seconds, len(data))
