# tflm_tools: numpy_arrays: what tflm.api_compat stands on in CPython: arrays of numpy
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from tflm.api_compat.nested import typecode

from .remote import Interpreter

__all__ = (
    "Interpreter", "dtype", "elements", "floats", "real", "shaped", "store", "typecode", "vector",
    "view",
)  # fmt: skip


# The class of numpy that tensors of a type have.
def dtype(name):
    return np.dtype(name).type


def vector(values, name):
    return np.array(values, dtype=name)


# A copy of bytes as elements of a type, flat; store() writes to it.
def elements(raw, dtype):
    return np.frombuffer(bytearray(raw), dtype)


# A copy of flat elements in a shape.
def shaped(data, shape):
    return np.array(data).reshape(shape)


# The elements themselves in a shape.
def view(data, shape):
    return data.reshape(shape)


# Copy an array to elements; ValueError where LiteRT raises it.
def store(into, values, tensor):
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


# Real numbers, as Tensor.quantize() takes them.
def real(values):
    return np.asarray(values, dtype=np.float64).tolist()


# The real numbers of a Tensor, flat.
def floats(tensor):
    return np.array(tensor.dequantize(), np.float32)
