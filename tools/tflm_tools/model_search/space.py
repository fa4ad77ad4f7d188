# tflm_tools: search: the user's file: build(trial), which makes a network, and score(trial, model)
# MIT license; Copyright (c) 2026 the tflm authors

import hashlib
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .. import files
from ..errors import ToolError
from ..image.custom import telling


@dataclass
class Space:
    """build(trial) gives a network, see tflite_of(); score(trial, network) a number, the more the
    better, or is None. digest: of the file, "" where there is none."""

    name: str
    build: Callable
    score: Callable | None = None
    digest: str = ""


def load(path):
    """The Space of a Python file. Raises ToolError for one that fails, or has no build()."""
    source = files.read(path)
    module = types.ModuleType(Path(path).stem)
    module.__file__ = str(path)
    folder = str(Path(path).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # for what it imports, also later
    with telling(str(path)):
        exec(compile(source, str(path), "exec"), module.__dict__)
    if not callable(getattr(module, "build", None)):
        raise ToolError(f"{path} has no build(trial); write one that makes a network of a trial")
    digest = hashlib.sha256(source).hexdigest()
    return Space(Path(path).name, module.build, getattr(module, "score", None), digest)


def tflite_of(network):
    """The bytes of the .tflite of what build() gave: bytes, a path, a Network, a Keras model."""
    if isinstance(network, (bytes, bytearray, memoryview)):
        return bytes(network)
    if isinstance(network, (str, Path)):
        return files.read(network)
    if hasattr(network, "tflite"):
        return network.tflite()
    if type(network).__module__.partition(".")[0] == "keras" or hasattr(network, "to_json"):
        from .keras_model import int8_tflite

        return int8_tflite(network)
    raise ToolError(
        f"build() gave {type(network).__name__}; return the bytes or the path of a .tflite, a "
        "tflm_tools.model_search.sketch.Network, or a Keras model"
    )
