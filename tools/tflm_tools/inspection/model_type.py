# tflm_tools: model_type: names the number types that a .tflite computes in, and how to speed it up
# MIT license; Copyright (c) 2026 the tflm authors

import shlex
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tflm import dtypes
from tflm.errors import TflmError

from ..model.macs import macs
from ..model.schema import op_name
from ..render.common import BOARD_NAMES

FLOAT32, FLOAT16, HYBRID, WEIGHTS_ONLY = "float32", "float16 weights", "hybrid", "weights-only"
_FLOATS = FLOAT32, FLOAT16
_FAST_MS = 50  # of an invoke, for 20 results in a second
_WORDS = {
    FLOAT32: "float32",
    FLOAT16: "float16 weights, computed in float32",
    HYBRID: "hybrid: integer weights, float32 activations",
    WEIGHTS_ONLY: "weight-only: integer weights, computed in float32",
}


def type_of(graph):
    """Return (words, types) of a TfliteModel.

    words: the number types, for people, like "int8 with float32 inputs and outputs". types: a
    Counter of the types of the operators that multiply; if there are none, of all operators.
    """
    nodes = _readable_nodes(graph)
    sources = {t.index: node for node in nodes for t in node.outputs if t is not None}
    multiplying = [node for node in nodes if _multiplies(node)]
    types = Counter(_node_type(node, sources) for node in multiplying or nodes)
    types.pop("", None)
    if not types:
        found = {t.dtype for node in nodes for t in node.outputs if t is not None}
        return " and ".join(map(dtypes.name, sorted(found))) or "no operators", types
    if len(types) > 1:
        counts = [f"{count} {kind}" for kind, count in types.most_common()]
        return f"mixed: operators that multiply are {', '.join(counts)}", types
    kind = next(iter(types))
    words = _WORDS.get(kind, kind)
    if kind not in _WORDS and _has_float_ends(graph):
        words += " with float32 inputs and outputs"
    return words, types


def board_names(boards):
    """Return boards in words: "a Pico, a Pico 2 and an ESP32"."""
    *first, last = [BOARD_NAMES[board] for board in boards]
    return f"{', '.join(first)} and {last}" if first else last


@dataclass(frozen=True)
class Int8Gains:
    """What a float model gains as int8: the boards where it becomes faster, those where float32
    is faster, and whether it becomes smaller. pico_ms: the time of the float model on a Pico."""

    faster: list[str]
    slower: list[str]
    is_smaller: bool
    pico_ms: float | None = None

    def reason(self):
        """Return why the model should be int8, "" if there is no reason."""
        gains = [
            word
            for word, is_true in (("faster", self.faster), ("smaller", self.is_smaller))
            if is_true
        ]
        if not gains:
            return ""
        words = f"int8 is {' and '.join(gains)}"
        if self.faster and self.slower:
            words = words.replace("faster", f"faster on {board_names(self.faster)}")
        if self.slower:
            words += f"; float32 is faster on {board_names(self.slower)}"
        elif is_fast(self.pico_ms):
            words += "; float32 is fast, too, and exact"
        return words


def is_fast(pico_ms):
    """Return True if a model is fast enough on a Pico for most uses."""
    return pico_ms is not None and pico_ms <= _FAST_MS


def command_for(path, types, runs, int8_gains=None, has_loops=False):
    """Return (command, reason): the command that makes a model fast, "" if it does not run.

    types: the second result of type_of(). runs: True if tflm runs the model. int8_gains: the
    Int8Gains of a float model, None if they are unknown; tiny models may gain nothing. has_loops:
    True for a model with WHILE, which cannot be int8.
    """
    name = shlex.quote(str(path))
    output = shlex.quote(f"{Path(path).name.split('.')[0]}_int8.tflite")
    kinds = set(types)
    if not runs and not kinds & {HYBRID, WEIGHTS_ONLY}:
        return "", ""
    is_float = bool(kinds) and kinds <= set(_FLOATS)
    reason = int8_gains.reason() if int8_gains else "int8 is faster and smaller"
    if has_loops and is_float:
        dynamic = output.replace("_int8", "_dynamic")
        reason = "int8 weights; a loop cannot be int8, unroll=True of a Keras layer avoids it"
        return f"tflm convert {name} --dynamic -o {dynamic}", reason
    if is_float and reason:
        return f"tflm convert {name} --data DATA -o {output}", reason
    if not has_loops and not is_float and kinds & {*_FLOATS, HYBRID, WEIGHTS_ONLY}:
        command = f"tflm convert FLOAT_MODEL --data DATA -o {output}"
        return command, "int8 is faster; start from the float model"
    return f"tflm deploy {name}", "flattens the model with kernels for your board"


def _readable_nodes(graph):
    found = []
    for number in graph.call_graph().numbers():
        subgraph = graph.subgraphs[number]
        for i in range(subgraph.nodes_length()):
            try:
                found.append(subgraph.node(i))
            except (TflmError, IndexError):
                continue  # survey() reports it
    return found


def _multiplies(node):
    try:
        return bool(macs(node))
    except (TflmError, IndexError):
        return False


# The type that an operator computes in, "" for one without numbers.
def _node_type(node, sources):
    inputs = [t for t in node.inputs if t is not None]
    outputs = [t for t in node.outputs if t is not None]
    if op_name(node) in ("QUANTIZE", "DEQUANTIZE") or not outputs:
        return ""
    if outputs[0].dtype != dtypes.FLOAT32:
        name = dtypes.name(outputs[0].dtype)
        return name if name in ("int8", "int16", "uint8") else ""
    for tensor in inputs:
        if tensor.is_constant() and (tensor.scales_length() or tensor.blocks):
            return HYBRID
        source = sources.get(tensor.index)
        if source is None or op_name(source) != "DEQUANTIZE":
            continue
        stored = source.inputs[0]
        if stored is not None and stored.is_constant():
            return FLOAT16 if stored.dtype == dtypes.FLOAT16 else WEIGHTS_ONLY
    return FLOAT32


def _has_float_ends(graph):
    subgraph = graph.subgraphs[0]
    ends = [subgraph.tensor(i) for i in [*subgraph.inputs, *subgraph.outputs]]
    return any(tensor.dtype == dtypes.FLOAT32 for tensor in ends)
