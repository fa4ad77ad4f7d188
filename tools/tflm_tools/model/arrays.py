# tflm_tools: arrays: converts between numpy arrays, .npy files and the tensors of a model
# MIT license; Copyright (c) 2026 the tflm authors

import io
import struct
import tokenize
import zipfile
import zlib

import numpy as np

from .. import files
from ..errors import ToolError
from . import media

_NOTED_SHARE = 0.05  # of values outside the input's range: a larger share is noted

# The exceptions that numpy and zipfile raise for damaged files.
DAMAGED = (
    ValueError, TypeError, EOFError, OSError, AttributeError, LookupError, SyntaxError,
    RuntimeError, MemoryError, OverflowError, struct.error, zlib.error, zipfile.BadZipFile,
    tokenize.TokenError,
)  # fmt: skip


def _shape(shape):
    return "x".join(map(str, shape)) or "scalar"


def load_array(path):
    """Return the array of a .npy file. Pickled objects, which could run code, are refused.

    Raises ToolError.
    """
    try:
        array = np.load(io.BytesIO(files.read(path)), allow_pickle=False)
    except DAMAGED:
        raise ToolError(
            f"{path} is not a .npy file of numbers; write it with numpy.save"
        ) from None
    if not isinstance(array, np.ndarray):
        raise ToolError(f"{path} holds several arrays; save one array with numpy.save")
    return array


def quantize(values, info):
    """Quantize real values for a tensor: round halves away from zero, clamp to the type.

    values: array. info: the TensorInfo of the tensor. Returns an array of the tensor's type.
    """
    limits = np.iinfo(info.numpy_dtype())
    scaled = values.astype(np.float64) / (info.scale or 1.0)
    rounded = np.trunc(scaled + np.copysign(0.5, scaled)) + info.zero_point
    return np.clip(rounded, limits.min, limits.max).astype(info.numpy_dtype())


def dequantize(values, info):
    """Return the real values of a tensor, scale * (q - zero_point); without a scale, `values`."""
    if values.dtype.kind not in "iu" or not info.scale:
        return values
    return (values.astype(np.float64) - info.zero_point) * info.scale


def to_bytes(array, info):
    """Return the bytes that a board receives for an input.

    A float32 input that the .tflm keeps as integers is quantized first, except an input by rows:
    the board quantizes each row itself.
    """
    if info.kept is not None and not info.by_rows:
        array = _rounded(array, info.kept)
    return array.tobytes()


def from_bytes(data, info):
    """Return the array of an output from the bytes that a board sent."""
    kept = info.kept or info
    array = np.frombuffer(data, kept.numpy_dtype()).reshape(info.shape)
    if info.kept is not None:
        array = dequantize(array, kept).astype(np.float32)
    return array


# Quantize float32 as the operator QUANTIZE does: the quotient is a float32, and NaN becomes the
# zero point.
def _rounded(array, info):
    with np.errstate(over="ignore"):
        quotient = array.astype(np.float32) / np.float32(info.scale)
    limits = np.iinfo(info.numpy_dtype())
    quotient = np.nan_to_num(quotient.astype(np.float64), nan=0.0)
    rounded = np.trunc(quotient + np.copysign(0.5, quotient)) + info.zero_point
    return np.clip(rounded, limits.min, limits.max).astype(info.numpy_dtype())


def load_input(path, number, info, with_quantize=False, pixels=None, notes=None):
    """Return an array with the type and shape of input `number` of a model.

    path: an array, a .npy file, or an image, sound or table, which media.real_values() reads with
    `pixels` and which is quantized where the input is quantized.
    info: the TensorInfo of the input.
    with_quantize: an array of another type holds real numbers, which are converted to float32, or
    quantized with the scale and zero point of an integer input.
    notes: a list to which sentences about values that look wrong are added.
    Raises ToolError for an array of another shape or type.
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
    wanted = f"input {number} '{info.name}' requires"
    if array.shape != info.shape:
        raise ToolError(
            f"{path} has the shape {_shape(array.shape)}, {wanted} {_shape(info.shape)}; "
            "reshape the array"
        )
    dtype = info.numpy_dtype()
    is_real = array.dtype.kind in "biuf" and dtype.kind in "iuf"
    if array.dtype.newbyteorder("=") == dtype:
        converted = array.astype(dtype)
    elif is_real and with_quantize:
        converted = _from_real(array, path, wanted, info)
    else:
        remedy = _remedy(array, dtype) if is_real else "convert the array"
        raise ToolError(f"{path} holds {array.dtype}, {wanted} {dtype}; {remedy}")
    if notes is not None and with_quantize:
        notes += notes_on_values(array, info, path)
    return converted


# The values of an input's type for an array of real numbers.
def _from_real(array, path, wanted, info):
    dtype = info.numpy_dtype()
    if dtype.kind == "f":
        return array.astype(dtype)
    if np.isnan(array).any():
        raise ToolError(f"{path} holds a NaN, which cannot be quantized; remove it from the array")
    if info.scale:
        return quantize(array, info)
    if not is_exact(array, dtype):
        raise ToolError(
            f"{path} has values that are not {dtype}, which {wanted}; convert the array"
        )
    return array.astype(dtype)


# How to give an array of real numbers of another type.
def _remedy(array, dtype):
    if dtype.kind == "f":
        return f"give --quantize to accept all real numbers, or array.astype(np.{dtype})"
    remedy = "give --quantize to quantize real values"
    if array.dtype.kind in "iu" and is_exact(array, dtype):
        remedy += f", or array.astype(np.{dtype}) if it holds quantized ones"
    return remedy


def is_exact(array, dtype):
    """Return True if all numbers of an array are numbers of an integer type."""
    limits = np.iinfo(dtype)
    whole = array.astype(np.float64)
    is_whole = bool((whole == np.round(whole)).all())
    return is_whole and (not whole.size or limits.min <= whole.min() <= whole.max() <= limits.max)


def notes_on_values(array, info, name):
    """Return sentences about real numbers for an input that look wrong.

    array: numbers as the user gave them, before quantization. info: the TensorInfo of the input.
    name: of the array, for the sentences.
    """
    dtype = info.numpy_dtype()
    if dtype.kind == "f":
        return _notes_on_bytes(array, info, name)
    if array.dtype.newbyteorder("=") == dtype or not info.scale:
        return []
    return _notes_on_range(array, info, name)


# A note if many real values are outside the input's range, or fill a small part of it: perhaps
# they were not scaled as in training.
def _notes_on_range(array, info, name):
    limits = np.iinfo(info.numpy_dtype())
    low, high = ((limit - info.zero_point) * info.scale for limit in (limits.min, limits.max))
    share = np.mean((array < low - info.scale) | (array > high + info.scale)) if array.size else 0
    if share <= _NOTED_SHARE:
        return []
    return [
        f"{100 * share:.0f} % of the values of {name} are outside of {low:.4g} to {high:.4g}, "
        f"the range of input '{info.name}': are they scaled as in training?"
    ]


# A note if the values for a float input look like bytes, on which few models are trained.
def _notes_on_bytes(array, info, name):
    if not array.size or array.min() < 0 or not 128 <= array.max() <= 255 or (array % 1).any():
        return []
    return [
        f"the values of {name} are whole numbers from {array.min():.4g} to {array.max():.4g}, "
        f"input '{info.name}' is {info.dtype}: was the model trained on bytes, or on bytes "
        "divided by 255?"
    ]


def save(path, array):
    """Write an array as .npy; if that fails, an existing file stays unchanged."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    files.write(path, buffer.getvalue())
