# tflm_tools: space: loads the user's file with build(trial) and score(trial, network)
# MIT license; Copyright (c) 2026 the tflm authors

import hashlib
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .. import files
from ..errors import ToolError
from ..image.custom import user_code


@dataclass
class Space:
    """The functions of a search.

    build(trial) returns a network for tflite_of(). score(trial, network) returns a number, where
    more is better; it may be None. digest: the SHA-256 of the file, "" without a file.
    """

    name: str
    build: Callable
    score: Callable | None = None
    digest: str = ""


def load(path):
    """Load a Python file as a Space. Raises ToolError if it fails, or does not define build()."""
    source = files.read(path)
    module = types.ModuleType(Path(path).stem)
    module.__file__ = str(path)
    folder = str(Path(path).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # for imports in the file, also when its functions run
    with user_code(str(path)):
        exec(compile(source, str(path), "exec"), module.__dict__)
    if not callable(getattr(module, "build", None)):
        raise ToolError(f"{path} has no build(trial); write one that returns a network")
    digest = hashlib.sha256(source).hexdigest()
    return Space(Path(path).name, module.build, getattr(module, "score", None), digest)


def tflite_of(network):
    """Return the .tflite (bytes) of a network: bytes, a path, a Network, or a Keras model.

    Raises ToolError for anything else.
    """
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
        f"build() returned {type(network).__name__}; return the bytes or the path of a .tflite, a "
        "tflm_tools.model_search.sketch.Network, or a Keras model"
    )
