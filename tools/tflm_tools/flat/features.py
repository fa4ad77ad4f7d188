# tflm_tools: features: tensors inside a network that are kept, for a Learner on top of them
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes

from ..errors import ToolError
from ..model.schema import BuiltinOperator

LAST = "last"
METHODS = ("prototypes", "neighbours", "sgd")  # of tflm.learner
_MOST = 1024  # numbers of a layer that a Learner takes
_LAYERS = (BuiltinOperator.CONV_2D, BuiltinOperator.FULLY_CONNECTED)


def keep(model, names):
    """Let a TfliteModel keep tensors until an invoke ends, beside its outputs.

    names: of tensors that an operator of the main sub-graph writes, or their numbers as texts;
    "last" is what goes into the last layer with weights. A .tflm has them in its list of kept
    tensors; the model's inputs and outputs stay what they are. Raises ToolError for a name that
    is none of these.
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
                f"--feature {name} is an output already; leave it out, a Learner takes outputs"
            )
        if numbers[0] not in found:
            found.append(numbers[0])
    main.outputs = [*main.outputs, *found]
    model.features = len(found)


# What goes into the last layer with weights: all that the network makes of an input before it
# decides.
def _last(main):
    for n in reversed(range(main.nodes_length())):
        inputs, _ = main.node_indices(n)
        if main.node_code(n) in _LAYERS and main.tensor(inputs[1]).is_constant():
            return [inputs[0]]
    return []


# The names of layers that a Learner could take, the last ones.
def _some(main, written):
    fitting = [
        tensor
        for tensor in (main.tensor(i) for i in sorted(written - set(main.outputs)))
        if tensor.dtype == dtypes.INT8 and tensor.elements() <= _MOST
    ]
    return ", ".join(f"{t.name} ({t.index})" for t in fitting[-4:]) or "it has none"
