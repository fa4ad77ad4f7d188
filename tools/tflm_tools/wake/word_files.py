# tflm_tools: wake: reads the files of a wake word: its manifest and its model
# MIT license; Copyright (c) 2026 the tflm authors

import json
from pathlib import Path

from .. import files
from ..errors import ToolError
from ..flat.flatten import flatten


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
        raise ToolError(
            f"{manifest} names the model {model.name}, which is not in the same folder; copy it "
            "there"
        )
    data = files.read(model)
    is_tflite = model.suffix == ".tflite"
    name = model.with_suffix(".tflm").name if is_tflite else model.name
    contents[name] = flatten(data, target=target) if is_tflite else data
    return contents
