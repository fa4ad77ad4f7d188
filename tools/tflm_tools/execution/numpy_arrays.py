# tflm_tools: execution: the numpy arrays with which tflm.api_compat works in CPython
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from tflm.api_compat.nested import typecode

from .remote import Interpreter

__all__ = (
    "Interpreter", "dtype", "elements", "floats", "real", "shaped", "store", "typecode", "vector",
    "view",
)  # fmt: skip


def dtype(name):
    """Return numpy's class for the type `name` of a tensor."""
    return np.dtype(name).type


def vector(values, name):
    """Return `values` as an array of the type `name`."""
    return np.array(values, dtype=name)


def elements(raw, dtype):
    """Return a copy of bytes as a flat array of a type; store() writes to it."""
    return np.frombuffer(bytearray(raw), dtype)


def shaped(data, shape):
    """Return a copy of a flat array in a shape."""
    return np.array(data).reshape(shape)


def view(data, shape):
    """Return a flat array in a shape, without a copy."""
    return data.reshape(shape)


def store(into, values, tensor):
    """Copy an array to flat elements. Raises ValueError where LiteRT raises it."""
    values = np.asarray(values)
    if values.dtype != into.dtype:
        raise ValueError(
            f"Cannot set tensor: Got value of type {values.dtype} but expected type {into.dtype} "
            f"for input '{tensor.name}'; convert it with astype()"
        )
    if values.shape != tensor.shape:
        raise ValueError(
            f"Cannot set tensor: Dimension mismatch. Got shape {values.shape} but expected "
            f"{tensor.shape} for input '{tensor.name}'; reshape it, or resize_tensor_input()"
        )
    into[:] = values.reshape(-1)


def real(values):
    """Return an array as the nested lists that Tensor.quantize() accepts."""
    return np.asarray(values, dtype=np.float64).tolist()


def floats(tensor):
    """Return the real values of a Tensor as a flat float32 array."""
    return np.array(tensor.dequantize(), np.float32)
