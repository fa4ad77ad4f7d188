# tflm_tools: wake: the files of a wake word: its manifest, and the model that lies beside it
# MIT license; Copyright (c) 2026 the tflm authors

import json
from pathlib import Path

from .. import files
from ..errors import ToolError
from ..flat.flatten import flatten


def word_files(manifest, target=None):
    """{name: bytes}: the manifest's, and its model's as .tflm for `target`.

    What is no manifest comes alone: tflm.wake, which is to load it, says what is wrong with it.
    Raises ToolError for files that cannot be read.
    """
    manifest = Path(manifest)
    found = {manifest.name: files.read(manifest)}
    try:
        model = manifest.parent / Path(json.loads(found[manifest.name])["model"]).name
    except (ValueError, KeyError, TypeError):
        return found
    if not model.exists():
        raise ToolError(
            f"{manifest} names the model {model.name}, which is not beside it; put it there"
        )
    data = files.read(model)
    flat = model.suffix == ".tflite"
    name = model.with_suffix(".tflm").name if flat else model.name
    found[name] = flatten(data, target=target) if flat else data
    return found
