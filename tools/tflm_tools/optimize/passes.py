# tflm_tools: passes: the list of optimization passes, which change a model but not its results
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from importlib import import_module

from ..errors import ToolError

# The pass that changes inputs and outputs. It runs first, so that all others see the result.
ENDS = "float_ends"

# The passes that change operators, in the order in which they run. Each pass, ENDS included, is a
# file of this folder with a function apply(graph) that returns a list of Saving.
NAMES = (
    "constant_folding",
    "dead_operators",
    "fold_float_curve",
    "gru",
    "fold_upsampling",
    "fold_pad",
    "fold_activation",
    "dead_channels",
    "ring_buffers",
    "cache_state",
    "attention",
    "norm",
    "fold_gate",
    "channel_parts",
    "aliases",
    "loop_state",
)

# The names of all passes as the command line spells them.
OPTIONS = tuple(name.replace("_", "-") for name in (ENDS, *NAMES))


@dataclass
class Saving:
    """What a pass saved.

    what: the name of the pass. nodes: numbers of the operators of the .tflite that it changed.
    macs: the multiply-accumulates that it saved. bytes: the bytes that are no longer moved, or the
    bytes of weights that are no longer stored. reason: why the results stay equal.
    """

    what: str
    nodes: tuple[int, ...]
    macs: int
    bytes: int
    reason: str


def passes_without(without=()):
    """Return the names of all passes except those in `without`, which are spelled as in OPTIONS.

    "all" excludes every pass. Raises ToolError for an unknown name.
    """
    unknown = set(without) - {"all", *OPTIONS}
    if unknown:
        raise ToolError(
            f"there is no optimization {min(unknown)}; name one of: {', '.join(OPTIONS)}"
        )
    if "all" in without:
        return ()
    return tuple(name for name in (ENDS, *NAMES) if name.replace("_", "-") not in without)


def apply_passes(graph, names):
    """Apply the passes `names` to a Graph; returns a list of Saving.

    A model that fixes arena offsets of its tensors stays unchanged.
    """
    if graph.has_offline_plan():
        return []
    found = []
    for name in (ENDS, *NAMES):
        if name in names:
            found += import_module(f".{name}", __package__).apply(graph)
    graph.drop_unused()
    return found
