# tflm_tools: refuses example data that a model was not trained on: constant, or of another range
# MIT license; Copyright (c) 2026 the tflm authors

from math import prod

import numpy as np
from tflm import dtypes
from tflm.tflite.reader import TfliteModel

from ..errors import ToolError
from ..model.schema import op_name

MIN_EXAMPLES = 10  # with fewer the ranges of the tensors are chance
_ARITHMETIC = "MUL", "ADD", "SUB", "DIV"
_SMALL = 1 / 32  # a factor below belongs to a model that divides bytes itself
_BYTE = 255
_MANY = 16  # elements of an input that may be an image
_MAX_COLUMNS = 64  # of an input that has a measurement of another unit in each column
_FEW_STEPS = 16  # of int8 for a column, of 256


# The number of input `index` that the values in a .npz have.
def _key(index, count):
    return "x" if count == 1 else f"x{index}"


def check_count(data, examples):
    """Raise ToolError if there are too few examples to quantize by."""
    if examples.taken.count < MIN_EXAMPLES:
        raise ToolError(
            f"{data} gives {examples.taken.count} examples, which are too few for the ranges of "
            f"the tensors; give at least {MIN_EXAMPLES}, better 100, of all classes"
        )


def check_values(data, runs, inputs):
    """Raise ToolError if all examples of an input are the same.

    data: its name, for messages. runs: [[array of each input], ...]. inputs: a TensorInfo of each.
    """
    for k, info in enumerate(inputs):
        if not info.dtype.startswith("float"):
            continue
        first = runs[0][k]
        if first.size < 2 and len(runs) < 2:
            continue
        key = _key(k, len(inputs))
        if all(run[k].min() == run[k].max() == first.flat[0] for run in runs):
            raise ToolError(
                f"{data}: {key} is {first.flat[0]:.4g} everywhere, which says nothing about the "
                f"range of input '{info.name}'; give real examples"
            )
        if all(np.array_equal(run[k], first) for run in runs[1:]) and len(runs) > 1:
            raise ToolError(
                f"{data}: all examples of {key} are the same, which says nothing about the range "
                f"of input '{info.name}'; give real examples"
            )


def check_range(data, runs, inputs, tflite):
    """Raise ToolError if images are bytes where the model expects 0 to 1, or the reverse.

    A model that divides its input itself starts with MUL, DIV, ADD or SUB by a constant.
    data, runs, inputs: as for check_values(). tflite: the bytes of the model.
    """
    subgraph = TfliteModel(tflite).subgraphs[0]
    for k, info in enumerate(inputs):
        if not info.dtype.startswith("float") or prod(info.shape) < _MANY:
            continue
        low = min(run[k].min() for run in runs)
        high = max(run[k].max() for run in runs)
        is_whole = all((run[k] % 1 == 0).all() for run in runs)
        scales_itself, factor = _first_factor(subgraph, k)
        key = _key(k, len(inputs))
        if not scales_itself and is_whole and low >= 0 and _BYTE // 2 < high <= _BYTE:
            raise ToolError(
                f"{data}: the values of {key} are bytes, {low:.4g} to {high:.4g}, and the model "
                "does not divide them; divide them as in training, or give --pixels 0 255 if it "
                "was trained on bytes"
            )
        if factor and factor < _SMALL and low >= -1 and high <= 1:
            raise ToolError(
                f"{data}: the values of {key} are {low:.4g} to {high:.4g}, but the model itself "
                f"multiplies its input by {factor:.4g}; give bytes, 0 to {_BYTE} (for images "
                "--pixels 0 255)"
            )


def notes_on_columns(runs, inputs, quantized_inputs):
    """Return a note for each int8 input with a column whose values span few of its steps.

    All columns of an input share one scale. runs, inputs: as for check_values().
    quantized_inputs: a TensorInfo of each input of the int8 model.
    """
    notes = []
    for k, (info, quantized) in enumerate(zip(inputs, quantized_inputs, strict=True)):
        if len(info.shape) != 2 or not 1 < info.shape[1] <= _MAX_COLUMNS:
            continue
        if quantized.dtype != "int8" or not quantized.scale:
            continue
        rows = np.concatenate([run[k] for run in runs])
        spans = (rows.max(axis=0) - rows.min(axis=0)) / quantized.scale
        worst = int(np.where(spans > 0, spans, np.inf).argmin())
        if 0 < spans[worst] < min(_FEW_STEPS, spans.max() / 2):
            low, high = rows[:, worst].min(), rows[:, worst].max()
            notes.append(
                f"column {worst} of input {info.name} has {low:.4g} to {high:.4g}, which is "
                f"{spans[worst]:.0f} of 256 steps; train with columns of the same range"
            )
    return notes


# (True if the first operator of an input is arithmetic with a constant, its factor or None).
def _first_factor(subgraph, number):
    tensor = subgraph.first_tensor + subgraph.inputs[number]
    for i in range(subgraph.nodes_length()):
        node = subgraph.node(i)
        indices = [None if t is None else t.index for t in node.inputs]
        if tensor not in indices:
            continue
        name = op_name(node)
        if name in ("QUANTIZE", "CAST", "PAD", "RESHAPE", "TRANSPOSE") and node.outputs[0]:
            tensor = node.outputs[0].index
            continue
        others = [t for t in node.inputs if t is not None and t.is_constant()]
        if name not in _ARITHMETIC or not others:
            return False, None
        if name not in ("MUL", "DIV") or others[0].dtype != dtypes.FLOAT32:
            return True, None
        values = np.abs(np.frombuffer(bytes(others[0].data), np.float32))
        largest = float(values.max()) if values.size else 0.0
        return True, largest if name == "MUL" or not largest else 1 / largest
    return False, None
