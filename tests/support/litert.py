# Test support: LiteRT, the oracle for models that TFLM cannot run
# MIT license; Copyright (c) 2026 the tflm authors

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

import numpy as np
import pytest

AVAILABLE = find_spec("ai_edge_litert") is not None

# Mark of tests that need LiteRT.
needs_litert = pytest.mark.skipif(not AVAILABLE, reason="ai-edge-litert is not installed")


# Return an interpreter with LiteRT's reference kernels. Some operators have only optimized
# kernels.
def _interpreter(model):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kinds = OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    try:
        return Interpreter(model_content=model, experimental_op_resolver_type=kinds[0])
    except ValueError:
        return Interpreter(model_content=model, experimental_op_resolver_type=kinds[1])


def outputs(
    model: bytes,
    runs: Sequence[Sequence[np.ndarray]],
    input_shapes: Mapping[int, Sequence[int]] | None = None,
) -> list[list[np.ndarray]]:
    """Invoke one interpreter with each list of inputs, return the lists of outputs."""
    interpreter = _interpreter(model)
    inputs = interpreter.get_input_details()
    for i, shape in (input_shapes or {}).items():
        interpreter.resize_tensor_input(inputs[i]["index"], shape)
    interpreter.allocate_tensors()
    found = []
    for values in runs:
        for details, value in zip(inputs, values, strict=True):
            interpreter.set_tensor(details["index"], value)
        interpreter.invoke()
        found.append(
            [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]
        )
    return found
