# tflm_tools: speech: reads the metadata of a speech model and the model that belongs to it
# MIT license; Copyright (c) 2026 the tflm authors

import json
from pathlib import Path

from .. import files
from ..errors import ToolError
from ..flat.flatten import flatten


def read_metadata(path):
    """Return the metadata (dict) of a JSON. Raises ToolError if it is not a speech model's."""
    try:
        metadata = json.loads(files.read(path))
        names = {"classes", "window_frames"} & set(metadata)
    except (ValueError, TypeError):
        names = None
    if not names:
        raise ToolError(
            f'{path} is not the metadata of a speech model: it has neither "classes" nor '
            '"window_frames"; name a JSON like words.json of tflm speech train'
        )
    return metadata


def model_of(path):
    """Return the path of the model of a metadata JSON.

    It is the file that "model" names, else the only .tflite whose name begins like the JSON's,
    as spelling_cnn_mel_int8.tflite and spelling_cnn_meta.json do. Raises ToolError.
    """
    path = Path(path)
    name = read_metadata(path).get("model")
    if isinstance(name, str):
        model = path.parent / Path(name).name
        if not model.exists():
            raise ToolError(
                f"{path} names the model {name}, which is not in the same folder; copy it there"
            )
        return model
    begin = path.stem.removesuffix("_meta")
    found = sorted(path.parent.glob(f"{begin}*.tflite"))
    if len(found) != 1:
        raise ToolError(
            f"{path} names no model, and {len(found)} .tflite files begin with {begin}; add "
            '"model": "FILE.tflite" to it'
        )
    return found[0]


def board_files(path, target=None):
    """Return {name: bytes} of voice.json and voice.tflm, or of words.json and words.tflm.

    path: the metadata of a detector or of a recognizer. tflm.speech.listen() finds these names.
    """
    metadata = read_metadata(path)
    name = "words" if "classes" in metadata else "voice"
    text = json.dumps({**metadata, "model": f"{name}.tflm"})
    return {f"{name}.json": text.encode(), f"{name}.tflm": flat_model_of(path, target)}


def flat_model_of(path, target=None):
    """Return the bytes of the model of a metadata JSON as a .tflm for a target."""
    model = model_of(path)
    data = files.read(model)
    return flatten(data, target=target) if model.suffix == ".tflite" else data
