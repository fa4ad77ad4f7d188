# tflm_tools: board: makes the .tflm and the name under which a board stores a model
# MIT license; Copyright (c) 2026 the tflm authors

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tflm.errors import UnsupportedError

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


# How a Candidate stores its weights.
PACKED, BYTES, IN_PLACE = "packed", "bytes", "in place"


@dataclass
class Candidate:
    """A .tflm (bytes) for a board.

    weights: PACKED: for the board's instruction set, as fast as possible. BYTES: single bytes,
    for the same kernels. IN_PLACE: as in the .tflite, for portable kernels. "": of a .tflm, which
    is not changed. pipeline: the FlattenPipeline that made it, None for a .tflm.
    """

    flat: bytes
    weights: str = ""
    pipeline: FlattenPipeline | None = None

    def weights_text(self, facts):
        """Return how the weights are stored, as words of a message, for a board's Facts."""
        if self.weights == PACKED:
            return f" with weights packed for {facts.target}" if facts.target else ""
        return " with weights as single bytes" if self.weights else ""


def candidates_for_board(model, facts, custom=(), arena_budget=None, flash_budget=None):
    """Yield the Candidates of a ModelFile for the board with these Facts, the fastest first.

    custom: Python files that register custom operators. arena_budget, flash_budget: as
    FlattenOptions; with a flash_budget there is only one Candidate. Raises ToolError if the model
    is a .tflm, which cannot be changed, and exceeds a budget.
    """
    if model.kind == "tflm":
        _check_budgets(model, arena_budget, flash_budget)
        yield Candidate(model.data)
        return
    options = FlattenOptions(facts.target, arena_budget=arena_budget, flash_budget=flash_budget)
    pipeline = FlattenPipeline(model.data, options, load_resolver(custom))
    yield Candidate(pipeline.flat, PACKED, pipeline)
    if flash_budget is not None:
        return
    for weights, packing in ((BYTES, pipeline.bytes_packing), (IN_PLACE, pipeline.least_packing)):
        smaller = pipeline.with_packing(packing)
        with suppress(UnsupportedError):  # its arena exceeds the budget
            if packing and len(smaller.flat) < len(pipeline.flat):
                yield Candidate(smaller.flat, weights, smaller)


def _check_budgets(model, arena_budget, flash_budget):
    for what, size, budget, option in (
        ("the arena of", FlatFile(model.data).arena_bytes, arena_budget, "--arena-budget"),
        ("the file", len(model.data), flash_budget, "--flash-budget"),
    ):
        if budget is not None and size > budget:
            raise ToolError(
                f"{what} {model.path} needs {size} bytes, {option} is {budget}; deploy the "
                ".tflite it was made from"
            )


def flatten_for_board(model, facts, custom=(), arena_budget=None):
    """Return the fastest .tflm (bytes) of a ModelFile for a board; see candidates_for_board()."""
    return next(candidates_for_board(model, facts, custom, arena_budget)).flat
