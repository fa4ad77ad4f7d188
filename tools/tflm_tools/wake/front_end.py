# tflm_tools: wake: the front end that goes with wake words, of models/audio_frontend
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from .. import files
from ..flat.flatten import flatten

NAME = "micro_frontend.tflm"  # tflm.wake looks for it by this name
_FILE = "micro_frontend_int16.tflite"

_HERE = Path(__file__).resolve()
_FOLDER = _HERE.parents[3] / "models" / "audio_frontend"
if not _FOLDER.is_dir():  # installed with pip: setup.py has put it here
    _FOLDER = _HERE.parents[1] / "models"


def front_end(target=None):
    """The bytes of the front end as .tflm for a target."""
    return flatten(files.read(_FOLDER / _FILE), target=target)
