# tflm_tools: board: the form and the name that a model has on a board
# MIT license; Copyright (c) 2026 the tflm authors

import re
from pathlib import Path

from ..errors import ToolError
from ..flat.flatten import flatten
from ..image.custom import load_resolver


def model_name(path, given=None):
    """The name that a model has on the board. Raises ToolError for one that cannot be a name."""
    name = Path(path).stem if given is None else given
    if given is None:
        name = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:40]
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", name):
        raise ToolError(
            f"{name!r} cannot be a model's name on a board; use letters, digits, - and _, up to 40"
        )
    return name


def flat_for(model, facts, custom=()):
    """The .tflm (bytes) of a ModelFile for the board of these Facts."""
    if model.kind == "tflm":
        return model.data
    return flatten(model.data, load_resolver(custom), target=facts.target)
