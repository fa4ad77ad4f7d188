# tflm_tools: wake: flattens the audio front end of wake words, made by models/audio_frontend
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from .. import files
from ..flat.flatten import flatten

NAME = "micro_frontend.tflm"  # the name that tflm.wake looks for
FILE = "micro_frontend_int16.tflite"

_FOLDER = Path(__file__).resolve().parent


def front_end(target=None):
    """Return the bytes of the front end as a .tflm for a target."""
    return flatten(files.read(_FOLDER / FILE), target=target)
