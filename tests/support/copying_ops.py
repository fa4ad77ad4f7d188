# Test support: operators that only move elements, compared with numpy if TFLM lacks a type
# MIT license; Copyright (c) 2026 the tflm authors

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .check import Cases
from .single_op import Tensor, single_op

# The types of a kernel that copies bytes, by the size of an element.
DTYPES = ("int8", "uint8", "bool", "int16", "float32", "int32", "uint32", "int64")


# Return a random generator that depends on a name only.
def generator(name: str) -> np.random.Generator:
    """Return a numpy random generator for `name`."""
    return np.random.default_rng(zlib.crc32(name.encode()))


# Return values of any type with random bits.
def values(name: str, shape: Sequence[int], dtype: str) -> np.ndarray:
    """Return random values of `shape` that depend on `name` only."""
    random = generator(name)
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if dtype == "float32":
        return random.standard_normal(shape).astype(np.float32)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)


# Return a tensor with the usual quantization of its type.
def tensor(shape: Sequence[int], dtype: str, data: Any = None) -> Tensor:
    """Return a Tensor; int8, uint8 and int16 get a scale and a zero point."""
    zero_point = {"int8": -3, "uint8": 128, "int16": 0}.get(dtype)
    if zero_point is None:
        return Tensor(shape, dtype, data)
    return Tensor(shape, dtype, data, scale=0.25, zero_point=zero_point)


# Add a case; without `wheel`, numpy computes the expected outputs instead of TFLM.
def add_move(
    cases: Cases,
    name: str,
    operator: str,
    inputs: Sequence[Tensor],
    dtype: str,
    move: Callable[..., Any],
    *,
    wheel: bool,
    constants: Sequence[Tensor] = (),
    constants_first: bool = False,
    **options: Any,
) -> None:
    """Add a case of `operator` on `inputs` and then `constants`.

    `move` computes the outputs from arrays for `inputs`. Their values count only if the wheel
    lacks this type, else only their shapes.
    """
    arrays = [values(f"{name} {i}", t.shape, dtype) for i, t in enumerate(inputs)]
    outputs = move(*[a if t.data is None else t.data for a, t in zip(arrays, inputs, strict=True)])
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    targets = [tensor(output.shape, dtype) for output in outputs]
    operands = [*constants, *inputs] if constants_first else [*inputs, *constants]
    model = single_op(operator, operands, targets, **options)
    given = {id(t): a for a, t in zip(arrays, inputs, strict=True) if t.is_input()}
    run = list(given.values())
    cases.add(name, model, inputs=[run], expected=None if wheel else [outputs])
