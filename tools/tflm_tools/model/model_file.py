# tflm_tools: model_file: opens a .tflite or .tflm and describes its inputs and outputs
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path

from tflm import dtypes
from tflm.errors import ModelError, TflmError, UnsupportedError
from tflm.model import FlatModel, is_flat
from tflm.tflite.reader import TfliteModel, is_tflite

from .. import files
from ..errors import ToolError
from ..features.feature_block import block_of_metadata
from .containers import find_model, split_name
from .flat_file import FlatFile
from .input_limits import input_limits
from .normalization import pixels_of


@dataclass
class TensorInfo:
    """An input or output of a model; real value = scale * (q - zero_point).

    shape: in elements. scale: 0 for a tensor without quantization. bytes: its size.
    limits: (lowest, highest) real value that the model accepts, or None (input_limits.py).
    kept: for a float32 tensor that a .tflm keeps as integers, the TensorInfo of these integers.
    by_rows: the input comes by rows, and the arena does not hold it.
    pixels: the real numbers for black and white of an image, if the model's metadata has them
    (normalization.py).
    block: the FeatureBlock that computes this input from samples, or None.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    scale: float
    zero_point: int
    bytes: int
    limits: tuple[float, float] | None = None
    kept: "TensorInfo | None" = None
    by_rows: bool = False
    pixels: tuple | None = None
    block: object | None = None

    def numpy_dtype(self):
        """Return the numpy dtype; raises UnsupportedError for a type that numpy does not have."""
        import numpy as np

        try:
            return np.dtype(self.dtype)
        except TypeError:
            raise UnsupportedError(
                f"tensor '{self.name}' is {self.dtype}, which cannot be an array on the host; "
                "use a model of numbers, and do steps with text in Python"
            ) from None


@dataclass
class ModelFile:
    """A model file: `kind` is "tflite" or "tflm", `data` holds its bytes."""

    path: Path
    kind: str
    data: bytes = field(repr=False)
    inputs: list[TensorInfo]
    outputs: list[TensorInfo]


def bits_to_float(bits):
    """Return the float32 number with these bits."""
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def _info(name, dtype, shape, scale_bits, zero_point, size):
    scale = bits_to_float(scale_bits)
    return TensorInfo(name, dtypes.name(dtype), tuple(shape), scale, zero_point, size)


# The TensorInfo of a FlatTensor.
def _flat_info(t):
    elements = prod(t.shape)
    size = dtypes.nbytes(t.dtype, elements)
    kept = _info(t.name, t.dtype, t.shape, t.scale_bits, t.zero_point, size)
    kept.by_rows = size > t.nbytes
    if not t.is_float:
        return kept
    size = dtypes.nbytes(dtypes.FLOAT32, elements)
    info = _info(t.name, dtypes.FLOAT32, t.shape, 0, 0, size)
    return replace(info, kept=kept, by_rows=kept.by_rows)


# The limits of a model's inputs. Errors of a damaged model are left to Prepare to report.
def _limits(model):
    try:
        return input_limits(model)
    except TflmError:
        return {}


# Set `pixels` and `block` of the inputs of a TfliteModel or FlatModel.
def _add_metadata(inputs, model):
    metadata = model.metadata()
    for info, pixels in zip(inputs, pixels_of(metadata, len(inputs)), strict=True):
        info.pixels = pixels
    if len(inputs) == 1:
        inputs[0].block = block_of_metadata(metadata)


# A trained model that is not converted yet: TensorFlow's, Keras's, PyTorch's or ONNX's.
def _refuse_trained(path, data):
    is_hdf5 = data[:8] == b"\x89HDF\r\n\x1a\n"
    if is_hdf5 or Path(path).suffix in (".keras", ".h5", ".pb", ".onnx", ".pt", ".pt2", ".pth"):
        raise ModelError(
            f"{path} is a trained model that is not converted yet; convert it: "
            f"tflm convert {path} --data DATA.npz -o model.tflite"
        )


# "tflite" or "tflm"; raises ModelError for anything else.
def _kind(path, data):
    if is_flat(data):
        return "tflm"
    if is_tflite(data):
        return "tflite"
    if not data:
        raise ModelError(f"{path} is empty; get the file again")
    raise ModelError(
        f"{path} is neither a .tflite nor a .tflm ({len(data)} bytes, starting "
        f"{data[:8]!r}); check the file"
    )


# A folder is a SavedModel, or someone has typed the folder of a model.
def _folder_error(path):
    if (path / "saved_model.pb").exists():
        return (
            f"{path} is a SavedModel that is not converted yet; convert it: tflm convert {path} "
            "--data DATA.npz -o model.tflite"
        )
    inside = [*sorted(path.glob("*.tflite")), *sorted(path.glob("*.tflm"))]
    advice = f"one of the files in it, like {inside[0]}" if inside else "a .tflite or a .tflm"
    return f"{path} is a folder; name {advice}"


def read_model(path):
    """Read a model file without parsing the model; return (path, "tflite" or "tflm", bytes).

    path: a .tflite or .tflm; or C source, a zip archive or a gzip file that holds one, where
    "model.h#name" takes one of several (containers.py). Raises ToolError for a file that cannot be
    read, ModelError for a file that is not a model.
    """
    path, name = split_name(path)
    if Path(path).is_dir():
        raise ModelError(_folder_error(Path(path)))
    data = files.read(path)
    _refuse_trained(path, data)
    data = find_model(path, data, name)
    return Path(path), _kind(path, data), data


def open_model(path, data=None):
    """Open a model file and return its ModelFile.

    path: as for read_model(). data: the bytes of the model, if they are not in the file yet.
    Raises TflmError as read_model(), and for a damaged model.
    """
    if data is None:
        path, kind, data = read_model(path)
    else:
        path, kind = Path(path), _kind(path, data)
    with naming(path):
        return _described(path, kind, data)


@contextmanager
def naming(path):
    """Add the path of the model to the ModelErrors of the with statement, which has none."""
    try:
        yield
    except ModelError as error:
        if str(path) in str(error):
            raise
        raise ModelError(f"{path}: {error}") from None


# The ModelFile of the bytes of a model.
def _described(path, kind, data):
    if kind == "tflm":
        flat = FlatFile(data)
        inputs, outputs = (
            [_flat_info(t) for t in tensors] for tensors in (flat.inputs, flat.outputs)
        )
        _add_metadata(inputs, FlatModel(data))
        return ModelFile(path, kind, data, inputs, outputs)
    model = TfliteModel(data)
    subgraph = model.subgraphs[0]
    inputs, outputs = (
        [
            _info(t.name, t.dtype, t.shape, t.common_scale_bits(), t.zero_point(), t.nbytes())
            for t in map(subgraph.tensor, indices)
        ]
        for indices in (subgraph.inputs, subgraph.outputs)
    )
    for i, limits in _limits(model).items():
        inputs[i].limits = limits
    _add_metadata(inputs, model)
    return ModelFile(path, kind, data, inputs, outputs)


def _need_tflite(path, kind, what):
    if kind != "tflite":
        raise ToolError(f"{path} is already a .tflm; {what} needs the .tflite it was made from")


def read_tflite(path, what):
    """Return the bytes of a .tflite; raises ToolError for a .tflm, which `what` cannot use."""
    path, kind, data = read_model(path)
    _need_tflite(path, kind, what)
    return data


def open_tflite(path, what):
    """Return the ModelFile of a .tflite; raises ToolError for a .tflm, which `what` cannot use."""
    model = open_model(path)
    _need_tflite(path, model.kind, what)
    return model
