# tflm_tools: board: the form and the name that a model has on a board
# MIT license; Copyright (c) 2026 the tflm authors

import re
from pathlib import Path

from ..errors import ToolError
from ..flat.flatten import flatten
from ..image.custom import load_resolver
from ..model.flat_file import FlatFile


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


def flat_for(model, facts, custom=(), arena_budget=None):
    """The .tflm (bytes) of a ModelFile for the board of these Facts.

    arena_budget: as for flatten(). A .tflm is planned already: ToolError where it needs more.
    """
    if model.kind == "tflm":
        needed = FlatFile(model.data).arena_bytes
        if arena_budget is not None and needed > arena_budget:
            raise ToolError(
                f"the arena of {model.path} needs {needed} bytes, --arena-budget is "
                f"{arena_budget}; deploy the .tflite it was made from"
            )
        return model.data
    resolver = load_resolver(custom)
    return flatten(model.data, resolver, target=facts.target, arena_budget=arena_budget)
