# tflm_tools: board: makes the .tflm and the name under which a board stores a model
# MIT license; Copyright (c) 2026 the tflm authors

import re
from pathlib import Path

from ..errors import ToolError
from ..flat.flatten import FlattenOptions, FlattenPipeline
from ..image.custom import load_resolver
from ..model.flat_file import FlatFile


def model_name(path, given=None):
    """Return the name of a model on a board: `given`, or one made from the file's name.

    Raises ToolError if `given` is not a valid name.
    """
    name = Path(path).stem if given is None else given
    if given is None:
        name = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:40]
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", name):
        raise ToolError(
            f"{name!r} is not a valid model name; use at most 40 letters, digits, - and _"
        )
    return name


def pipeline_for_board(model, facts, custom=(), arena_budget=None):
    """Return the FlattenPipeline of a ModelFile for the board with these Facts; None for a .tflm.

    custom: Python files that register custom operators. arena_budget: as FlattenOptions. Raises
    ToolError if the model is a .tflm, whose plan is fixed, and needs a larger arena.
    """
    if model.kind == "tflm":
        needed = FlatFile(model.data).arena_bytes
        if arena_budget is not None and needed > arena_budget:
            raise ToolError(
                f"the arena of {model.path} needs {needed} bytes, --arena-budget is "
                f"{arena_budget}; deploy the .tflite it was made from"
            )
        return None
    options = FlattenOptions(facts.target, arena_budget=arena_budget)
    return FlattenPipeline(model.data, options, load_resolver(custom))


def flatten_for_board(model, facts, custom=(), arena_budget=None):
    """Return the .tflm (bytes) of a ModelFile for a board, as pipeline_for_board() makes it."""
    pipeline = pipeline_for_board(model, facts, custom, arena_budget)
    return model.data if pipeline is None else pipeline.flat
