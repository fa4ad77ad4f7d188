# Test support: makes a model of one operator in one call
# MIT license; Copyright (c) 2026 the tflm authors

from collections.abc import Mapping, Sequence
from typing import Any

from .builder import ModelBuilder


# A tensor described before a model exists; it has the arguments of Subgraph.tensor().
class Tensor:
    """Description of a tensor: shape, dtype, data and quantization."""

    def __init__(self, shape: Sequence[int], dtype: Any, data: Any = None, **keywords: Any):
        self.shape = tuple(shape)
        self.dtype = dtype
        self.data = data
        self.keywords = keywords

    def is_input(self) -> bool:
        """Return True if the values are an input: no constant, no variable."""
        return not any(
            (self.data is not None, "raw" in self.keywords, self.keywords.get("variable"))
        )


# A model of one builtin or custom operator.
def single_op(
    name: str,
    inputs: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    *,
    custom: Mapping[str, Any] | bytes | None = None,
    **options: Any,
) -> bytes:
    """Return a .tflite file with the one operator `name`.

    Inputs without data (and not variable) become the inputs of the model, all outputs its
    outputs; None omits an input. A Tensor that is given twice is one tensor. `options` are for
    `Subgraph.operator`; `custom` makes it a custom operator with these options.
    """
    model = ModelBuilder(name)
    numbers: dict[int, int] = {}

    def number(tensor):
        if tensor is None:
            return None
        if id(tensor) not in numbers:
            numbers[id(tensor)] = model.tensor(
                tensor.shape, tensor.dtype, tensor.data, **tensor.keywords
            )
        return numbers[id(tensor)]

    arguments = [number(tensor) for tensor in inputs], [number(tensor) for tensor in outputs]
    if custom is None:
        model.operator(name, *arguments, **options)
    else:
        model.custom(name, *arguments, custom, **options)
    given = dict.fromkeys(number(t) for t in inputs if t is not None and t.is_input())
    model.io(list(given), arguments[1])
    return model.build()
