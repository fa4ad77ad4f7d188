# List the operators of a .tflite and count its multiply-accumulates
# MIT license; Copyright (c) 2026 the tflm authors

import math

import tflite

_NAMES = {code: name for name, code in vars(tflite.BuiltinOperator).items() if name[0] != "_"}


# Return the MACs of one operator: each output element costs one filter or one row of weights.
def _macs(name, weights, output):
    if name == "CONV_2D":
        return math.prod(output) * math.prod(weights[1:])
    if name == "DEPTHWISE_CONV_2D":
        return math.prod(output) * math.prod(weights[1:3])
    if name == "FULLY_CONNECTED":
        return math.prod(output) * weights[-1]
    return 0


def describe(model):
    """Return [(operator name, output shape, MACs), ...] of the first sub-graph of a .tflite."""
    root = tflite.Model.GetRootAs(model, 0)
    graph = root.Subgraphs(0)
    ops = []
    for i in range(graph.OperatorsLength()):
        operator = graph.Operators(i)
        code = root.OperatorCodes(operator.OpcodeIndex())
        name = _NAMES[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]
        output = [int(n) for n in graph.Tensors(operator.Outputs(0)).ShapeAsNumpy()]
        weights = []
        if operator.InputsLength() > 1:
            weights = [int(n) for n in graph.Tensors(operator.Inputs(1)).ShapeAsNumpy()]
        ops.append((name, output, _macs(name, weights, output)))
    return ops


def summary(model):
    """Return a line with bytes, MACs and operators of a .tflite."""
    ops = describe(model)
    names = ", ".join(name for name, _, _ in ops)
    return f"{len(model)} bytes, {sum(macs for _, _, macs in ops)} MACs, ops {names}"
