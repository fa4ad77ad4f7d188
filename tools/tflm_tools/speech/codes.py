# tflm_tools: speech: encodes a voice as inputs of a decoder, for tflm.speech.Voice
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import numpy as np

from ..errors import ToolError
from .analysis import BANDS, SHARES, analyze

ENCODER = "encoder.npy"  # beside the decoder
PITCHES = 2  # of a code
_STEP, _SPAN = 4, 8  # frames from code to code, frames that a code is made of
_LOWEST, _STEPS = 50.0, 64  # Hz of the pitch 1, pitches of an octave
_SILENCE = 960  # samples before and after a clip


def read_encoder(decoder):
    """Return the encoder beside a decoder: [8 * 60 + 1, bytes of a code]. Raises ToolError."""
    path = Path(decoder).parent / ENCODER
    try:
        encoder = np.load(path).astype(np.float32)
    except (OSError, ValueError) as error:
        raise ToolError(
            f"{path}, which encodes voices for the decoder, cannot be read: {error}; use "
            "models/speech/decoder.tflite with its encoder.npy"
        ) from None
    rows = _SPAN * (BANDS + SHARES) + 1
    if encoder.ndim != 2 or len(encoder) != rows:
        raise ToolError(f"{path} has the shape {encoder.shape}; an encoder has {rows} rows")
    return encoder


# Return the numbers of two pitches of each code, 0 where there is no voice.
def _pitch_codes(hertz):
    halves = hertz.reshape(-1, _STEP // PITCHES)
    voiced = np.maximum(np.count_nonzero(halves, 1), 1)
    means = np.maximum(halves.sum(1) / voiced, 1e-3)
    codes = np.round(1 + _STEPS * np.log2(means / _LOWEST)).clip(1, 255)
    return np.where(halves.any(1), codes, 0).reshape(-1, PITCHES)


def encode(samples, encoder):
    """Return the codes of a sound as bytes; modules/tflm/speech/voice.py describes them.

    samples: float, -1 to 1, 16 kHz. encoder: of read_encoder(). Code i is made of the frames
    4 * i - 2 to 4 * i + 5, and stands for the frames 4 * i to 4 * i + 3.
    """
    values, hertz = analyze(np.pad(np.asarray(samples, float), _SILENCE))
    count = len(values) // _STEP
    margin = (_SPAN - _STEP) // 2
    padded = np.pad(values[: _STEP * count], ((margin, margin), (0, 0)), "edge")
    windows = np.stack([padded[_STEP * i : _STEP * i + _SPAN].ravel() for i in range(count)])
    codes = np.round(windows @ encoder[:-1] + encoder[-1]).clip(-127, 127)
    pitches = _pitch_codes(hertz[: _STEP * count])
    return np.hstack([codes.astype(np.int8).view(np.uint8), pitches.astype(np.uint8)]).tobytes()
