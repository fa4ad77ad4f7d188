# tflm_tools: .npy files and the tensors of a model
# MIT license; Copyright (c) 2026 the tflm authors

import io
import struct
import zipfile
import zlib

import numpy as np

from .. import files
from ..errors import ToolError
from . import media

# What numpy and zipfile raise for files that are damaged.
DAMAGED = (
    ValueError, TypeError, EOFError, OSError, AttributeError, LookupError, SyntaxError,
    RuntimeError, MemoryError, OverflowError, struct.error, zlib.error, zipfile.BadZipFile,
)  # fmt: skip


def _shape(shape):
    return "x".join(map(str, shape)) or "scalar"


def load_array(path):
    """An array from a .npy file; nothing that would run code when it is read."""
    try:
        array = np.load(io.BytesIO(files.read(path)), allow_pickle=False)
    except DAMAGED:
        raise ToolError(f"{path} is no .npy file of numbers; write it with numpy.save") from None
    if not isinstance(array, np.ndarray):
        raise ToolError(f"{path} holds several arrays; save one array with numpy.save")
    return array


def quantize(values, info):
    """Real values as the integers of a tensor: halves away from zero, clamped to the type."""
    limits = np.iinfo(info.numpy_dtype())
    scaled = values.astype(np.float64) / (info.scale or 1.0)
    rounded = np.trunc(scaled + np.copysign(0.5, scaled)) + info.zero_point
    return np.clip(rounded, limits.min, limits.max).astype(info.numpy_dtype())


def dequantize(values, info):
    """The real values of a tensor: scale * (q - zero_point), or the values without a scale."""
    if values.dtype.kind not in "iu" or not info.scale:
        return values
    return (values.astype(np.float64) - info.zero_point) * info.scale


def to_bytes(array, info):
    """What a board gets of an array for an input: its bytes, or those of what is kept of it."""
    if info.kept is not None and not info.by_rows:  # whose rows are quantized there
        array = _rounded(array, info.kept)
    return array.tobytes()


def from_bytes(data, info):
    """The array of an output whose bytes a board has given."""
    kept = info.kept or info
    array = np.frombuffer(data, kept.numpy_dtype()).reshape(info.shape)
    if info.kept is not None:
        array = dequantize(array, kept).astype(np.float32)
    return array


# What QUANTIZE makes of float32: the quotient is a float32, too, NaN is the zero point.
def _rounded(array, info):
    with np.errstate(over="ignore"):
        quotient = array.astype(np.float32) / np.float32(info.scale)
    limits = np.iinfo(info.numpy_dtype())
    quotient = np.nan_to_num(quotient.astype(np.float64), nan=0.0)
    rounded = np.trunc(quotient + np.copysign(0.5, quotient)) + info.zero_point
    return np.clip(rounded, limits.min, limits.max).astype(info.numpy_dtype())


def load_input(path, number, info, with_quantize=False, pixels=None):
    """The array of a .npy, or an array, for input `number`: exactly its type and shape.

    Or that of an image, a sound or a table, as media.real_values() reads it with `pixels`, which
    is quantized where the input is.

    with_quantize: floats for an integer input are quantized with its scale and zero point.
    Raises ToolError.
    """
    array = path
    if isinstance(path, np.ndarray):
        path = "the array"
    elif media.is_media(path):
        array = media.real_values(path, info, pixels)
        if info.numpy_dtype().kind == "f" or not info.scale:
            return array.astype(info.numpy_dtype())
        with_quantize = True
    else:
        array = load_array(path)
    wanted = f"input {number} '{info.name}' wants"
    if array.shape != info.shape:
        raise ToolError(
            f"{path} has the shape {_shape(array.shape)}, {wanted} {_shape(info.shape)}; "
            "reshape the array"
        )
    dtype = info.numpy_dtype()
    if array.dtype.newbyteorder("=") == dtype:
        return array.astype(dtype)
    if array.dtype.kind != "f" or dtype.kind not in "iu":
        raise ToolError(f"{path} holds {array.dtype}, {wanted} {dtype}; convert the array")
    if not with_quantize:
        raise ToolError(
            f"{path} holds {array.dtype}, {wanted} {dtype}; "
            "give --quantize to quantize real values"
        )
    if np.isnan(array).any():
        raise ToolError(f"{path} holds a NaN, which has no integer; clean the array")
    return quantize(array, info)


def save(path, array):
    """Write an array as .npy, whole or not at all."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    files.write(path, buffer.getvalue())
