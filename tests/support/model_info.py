# Test support: reads inputs, outputs and kinds of state of a .tflite file
# MIT license; Copyright (c) 2026 the tflm authors

from typing import NamedTuple

import numpy as np

from .schema import DTYPE_NAMES, DTYPES, builtin_code, schema

_STATEFUL_OPS = {builtin_code(name) for name in ("VAR_HANDLE", "ASSIGN_VARIABLE")}
_STATEFUL_CUSTOM_OPS = {
    b"CIRCULAR_BUFFER",
    b"SignalDelay",
    b"SignalFilterBankSpectralSubtraction",
    b"SignalFramer",
    b"SignalOverlapAdd",
    b"SignalStacker",
}


# An input or output of a model.
class TensorInfo(NamedTuple):
    """Shape, numpy type and first quantization parameters of a tensor."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    scale: float
    zero_point: int
    quantized: bool


# Read the inputs of a model.
def input_infos(model: bytes) -> list[TensorInfo]:
    """Return the inputs of sub-graph 0."""
    graph = schema.Model.GetRootAsModel(model, 0).Subgraphs(0)
    return [_info(graph.Tensors(graph.Inputs(i))) for i in range(graph.InputsLength())]


# Read the outputs of a model.
def output_infos(model: bytes) -> list[TensorInfo]:
    """Return the outputs of sub-graph 0."""
    graph = schema.Model.GetRootAsModel(model, 0).Subgraphs(0)
    return [_info(graph.Tensors(graph.Outputs(i))) for i in range(graph.OutputsLength())]


# Find out how a second invoke can give the same outputs.
def repetition(model: bytes) -> str:
    """Return how a model is repeated: "invoke" again, "reset" first, or "none" (CALL_ONCE)."""
    root = schema.Model.GetRootAsModel(model, 0)
    codes = [root.OperatorCodes(i) for i in range(root.OperatorCodesLength())]
    builtin = {max(code.BuiltinCode(), code.DeprecatedBuiltinCode()) for code in codes}
    if builtin_code("CALL_ONCE") in builtin:
        return "none"  # a reset clears the variables, and CALL_ONCE does not run again
    graphs = [root.Subgraphs(i) for i in range(root.SubgraphsLength())]
    variables = any(g.Tensors(i).IsVariable() for g in graphs for i in range(g.TensorsLength()))
    stateful = any(code.CustomCode() in _STATEFUL_CUSTOM_OPS for code in codes)
    return "reset" if variables or stateful or builtin & _STATEFUL_OPS else "invoke"


def _info(tensor):
    quantization = tensor.Quantization()
    quantized = quantization is not None and quantization.ScaleLength() > 0
    return TensorInfo(
        (tensor.Name() or b"").decode(),
        tuple(tensor.Shape(i) for i in range(tensor.ShapeLength())),
        np.dtype(DTYPES[DTYPE_NAMES[tensor.Type()]][1]),
        quantization.Scale(0) if quantized else 0.0,
        quantization.ZeroPoint(0) if quantized and quantization.ZeroPointLength() else 0,
        quantized,
    )
