# tflm_tools: savings: the passes that make a model cheaper and leave its results as they are
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from importlib import import_module

from ..errors import ToolError

# What changes inputs and outputs: it runs first, so that the others see these as they are kept.
ENDS = "float_ends"

# What changes operators, in the order in which they run. Each, and ENDS, is a file here with
# apply(graph), a list of Saving.
NAMES = (
    "constant_folding",
    "fold_upsampling",
    "fold_pad",
    "fold_activation",
    "dead_channels",
    "ring_buffers",
    "channel_parts",
    "aliases",
    "loop_state",
)

# The same as options of the command line are spelled.
OPTIONS = tuple(name.replace("_", "-") for name in (ENDS, *NAMES))


@dataclass
class Saving:
    """Something that was saved.

    what: the name of the pass. nodes: operators of the .tflite. macs: multiply-accumulates that
    are gone, bytes: bytes that are not moved (or weights not stored) any more. reason: why the
    results stay the same, in a few words.
    """

    what: str
    nodes: tuple[int, ...]
    macs: int
    bytes: int
    reason: str


def chosen(without=()):
    """The names of all passes but those of `without` (as OPTIONS); with "all" in it, none."""
    unknown = set(without) - {"all", *OPTIONS}
    if unknown:
        raise ToolError(f"there is no saving {min(unknown)}; name one of: {', '.join(OPTIONS)}")
    if "all" in without:
        return ()
    return tuple(name for name in (ENDS, *NAMES) if name.replace("_", "-") not in without)


def apply_savings(graph, names):
    """Change a Graph by the passes `names`; returns a list of Saving.

    Where the model brings a plan of its own for the arena it is left as it is.
    """
    if graph.has_offline_plan():
        return []
    found = []
    for name in (ENDS, *NAMES):
        if name in names:
            found += import_module(f".{name}", __package__).apply(graph)
    graph.drop_unused()
    return found
