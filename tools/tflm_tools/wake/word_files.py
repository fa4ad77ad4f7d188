# tflm_tools: wake: reads the files of a wake word: its manifest, its model and the front end
# MIT license; Copyright (c) 2026 the tflm authors

import json
from pathlib import Path

from .. import files
from ..errors import ToolError
from ..flat.flatten import flatten

FRONT_END = "micro_frontend.tflm"  # the name that tflm.wake looks for
FRONT_END_SOURCE = "micro_frontend_int16.tflite"  # made by models/audio_frontend

_FOLDER = Path(__file__).resolve().parent


def front_end(target=None):
    """Return the bytes of the audio front end as a .tflm for a target."""
    return flatten(files.read(_FOLDER / FRONT_END_SOURCE), target=target)


def model_of(manifest):
    """Return the path of the model that a manifest names. Raises ToolError."""
    manifest = Path(manifest)
    try:
        model = manifest.parent / Path(json.loads(files.read(manifest))["model"]).name
    except (ValueError, KeyError, TypeError):
        raise ToolError(
            f"{manifest} is not a manifest of a wake word; name a .json of microWakeWord, or a "
            "model"
        ) from None
    if not model.exists():
        raise _missing(manifest, model)
    return model


def _missing(manifest, model):
    return ToolError(
        f"{manifest} names the model {model.name}, which is not in the same folder; copy it there"
    )


def word_files(manifest, target=None):
    """Return {name: bytes} of a manifest and of its model as .tflm for `target`.

    An invalid manifest is returned alone: tflm.wake reports its error when it loads the manifest.
    Raises ToolError for files that cannot be read.
    """
    manifest = Path(manifest)
    contents = {manifest.name: files.read(manifest)}
    try:
        model = manifest.parent / Path(json.loads(contents[manifest.name])["model"]).name
    except (ValueError, KeyError, TypeError):
        return contents
    if not model.exists():
        raise _missing(manifest, model)
    data = files.read(model)
    is_tflite = model.suffix == ".tflite"
    name = model.with_suffix(".tflm").name if is_tflite else model.name
    contents[name] = flatten(data, target=target) if is_tflite else data
    return contents
