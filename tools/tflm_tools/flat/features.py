# tflm_tools: features: keeps tensors until an invoke ends: inputs, and features for a Learner
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes

from ..errors import ToolError
from ..model.schema import BuiltinOperator

LAST = "last"
METHODS = ("prototypes", "neighbours", "sgd")  # of tflm.learner
_MAX_ELEMENTS = 1024  # of a tensor that an error suggests for a Learner
_LAYERS = (BuiltinOperator.CONV_2D, BuiltinOperator.FULLY_CONNECTED)


def keep(model, names):
    """Let a TfliteModel keep tensors until an invoke ends, in addition to its outputs.

    names: names, or numbers as texts, of tensors that an operator of the main sub-graph writes;
    "last" stands for the input of the last layer with weights. A .tflm lists them as kept tensors;
    the inputs and outputs of the model stay the same. Raises ToolError for an unknown name.
    """
    main = model.subgraphs[0]
    written = {i for n in range(main.nodes_length()) for i in main.node_indices(n)[1] if i >= 0}
    found = []
    for name in names:
        numbers = [i for i in sorted(written) if name in (main.tensor(i).name, str(i))]
        if name == LAST:
            numbers = _last(main)
        if not numbers:
            raise ToolError(
                f"--feature {name} names no tensor that the model computes; a layer of 8 bits, "
                f"with its number: {_some(main, written)}"
            )
        if numbers[0] in main.outputs:
            raise ToolError(
                f"--feature {name} is already an output, which a Learner can use; leave it out"
            )
        if numbers[0] not in found:
            found.append(numbers[0])
    main.outputs = [*main.outputs, *found]
    model.features = len(found)


def keep_inputs(model):
    """Let a TfliteModel keep its inputs until the next invoke, as if they were outputs, too.

    Call it after keep(). The inputs and outputs of a .tflm stay the same.
    """
    main = model.subgraphs[0]
    main.outputs = [*main.outputs, *main.inputs]
    model.kept_inputs = len(main.inputs)


# [number of the input of the last layer with weights], which has the most abstract features; [] if
# there is no such layer.
def _last(main):
    for n in reversed(range(main.nodes_length())):
        inputs, _ = main.node_indices(n)
        if main.node_code(n) in _LAYERS and main.tensor(inputs[1]).is_constant():
            return [inputs[0]]
    return []


# The names of the last tensors that a Learner could use, for an error.
def _some(main, written):
    fitting = [
        tensor
        for tensor in (main.tensor(i) for i in sorted(written - set(main.outputs)))
        if tensor.dtype == dtypes.INT8 and tensor.elements() <= _MAX_ELEMENTS
    ]
    return ", ".join(f"{t.name} ({t.index})" for t in fitting[-4:]) or "it has none"
