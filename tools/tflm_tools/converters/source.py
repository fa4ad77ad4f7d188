# tflm_tools: source: checks which kind of model a file holds, and fixes the shapes of its inputs
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import replace
from math import prod
from pathlib import Path

from tflm import dtypes
from tflm.errors import TflmError
from tflm.tflite.reader import TfliteModel

from .. import files
from ..errors import ToolError
from ..flat.flatten import shapes_by_number
from ..model.model_file import TensorInfo, open_model
from . import process

KERAS, TFLITE, PYTORCH, ONNX = "keras", "tflite", "pytorch", "onnx"
_FRAMEWORKS = {KERAS: process.TENSORFLOW, PYTORCH: process.PYTORCH, ONNX: process.ONNX}
_KINDS = {".pt2": PYTORCH, ".onnx": ONNX}
_HDF5 = b"\x89HDF\r\n\x1a\n"
_BYTES = {"float32": 4, "float16": 2, "float64": 8, "int64": 8, "int32": 4, "int16": 2}


def check(path):
    """Return the kind of a model: "keras" (also a SavedModel), "tflite", "pytorch" or "onnx".

    Raises ToolError for other files, and for models that are quantized already.
    """
    if path.is_dir():
        if not any((path / name).exists() for name in ("saved_model.pb", "saved_model.pbtxt")):
            raise ToolError(
                f"{path} is not a SavedModel: it contains no saved_model.pb; give the folder that "
                "model.export(FOLDER) writes"
            )
        return KERAS
    suffix = path.suffix.lower()
    if suffix in (".keras", ".h5", ".hdf5"):
        _check_keras(path, suffix)
        return KERAS
    if suffix == ".pb":
        raise ToolError(f"{path} is one file of a SavedModel; give the folder that contains it")
    if suffix in (".pt", ".pth"):
        raise ToolError(
            f"{path} holds weights without the network; save both with "
            "torch.export.save(torch.export.export(model, inputs), 'model.pt2')"
        )
    if suffix in _KINDS:
        files.read(path)
        return _KINDS[suffix]
    _check_tflite(path)
    return TFLITE


def framework(kind):
    """Return the Framework that converts a kind of model to a float .tflite."""
    return _FRAMEWORKS[kind]


def _check_keras(path, suffix):
    start = files.read(path)[: len(_HDF5)]
    if suffix == ".keras" and start == _HDF5:
        raise ToolError(f"{path} is HDF5, the file format of older versions of Keras; name it .h5")
    if suffix == ".keras" and start[:2] != b"PK":
        raise ToolError(f"{path} is not a Keras file; write it with model.save()")
    if suffix != ".keras" and start != _HDF5:
        raise ToolError(f"{path} is not an HDF5 file; write it with model.save()")


# Raise an error for a file that is not a float .tflite (also inside C source or an archive).
def _check_tflite(path):
    try:
        model = open_model(path)
    except ToolError:
        raise
    except TflmError as error:
        if "neither a .tflite nor a .tflm" not in str(error):
            raise
        raise ToolError(
            f"{path} is neither a .tflite, a .keras, an .h5, a .pt2, an .onnx nor the folder of a "
            "SavedModel; give one of these"
        ) from None
    if model.kind != "tflite":
        raise ToolError(f"{path} is already a .{model.kind}; give the model that it was made from")
    kinds = _quantized_types(TfliteModel(model.data))
    if kinds:
        raise ToolError(
            f"{path} is already quantized (it has {', '.join(kinds)} tensors); give the float32 "
            "or float16 model that it was made from, or change it with tflm requantize"
        )


# The types of quantized tensors in a TfliteModel.
def _quantized_types(model):
    found = set()
    for subgraph in model.subgraphs:
        for i in range(subgraph.tensors_length()):
            tensor = subgraph.tensor(i)
            if tensor.scales_length():
                found.add(dtypes.name(tensor.dtype))
    return sorted(found & {"int4", "int8", "uint8", "int16"})


def check_output(output, *inputs):
    """Raise ToolError if `output` could not be written later, after minutes of work."""
    files.check_output(output, *inputs)
    if Path(output).is_dir():
        raise ToolError(f"cannot write {output}, which is a folder; name a file in it")
    if not Path(output).absolute().parent.is_dir():
        raise ToolError(f"cannot write {output}: its folder does not exist; make it")


def tensor(description, batch=None):
    """Return the TensorInfo of a tensor that a worker describes; its shape may be open.

    batch: replaces an open first dimension.
    """
    shape = None if description["shape"] is None else tuple(description["shape"])
    if shape and shape[0] is None:
        shape = (batch, *shape[1:])
    return _sized(TensorInfo(description["name"], description["dtype"], shape, 0.0, 0, 0))


# A TensorInfo with its size in bytes, if its shape is known.
def _sized(info):
    if info.shape is None or None in info.shape:
        return info
    return replace(info, bytes=_BYTES.get(info.dtype, 1) * prod(info.shape))


def fixed(path, inputs, words):
    """Return the inputs with fixed shapes.

    words: the shapes of `--input-shape`. Any other open batch dimension becomes 1. Raises
    ToolError if a dimension stays open, UnsupportedError for types without a numpy dtype.
    """
    given = shapes_by_number([info.name for info in inputs], words)
    found = []
    for number, info in enumerate(inputs):
        shape = given.get(number, info.shape)
        if shape and shape[0] is None:
            shape = (1, *shape[1:])
        if shape is None or None in shape:
            raise _open_error(path, info)
        info.numpy_dtype()
        found.append(_sized(replace(info, shape=shape)))
    return found


# The ToolError for an input with open dimensions.
def _open_error(path, info):
    known, example = "of unknown rank", "1,96,96,1"
    if info.shape is not None:
        known = "x".join("?" if size is None else str(size) for size in info.shape)
        example = ",".join(["1", *("N" if n is None else str(n) for n in info.shape[1:])])
    return ToolError(
        f"input '{info.name}' of {path} is {known}, and a .tflite for boards has fixed shapes; "
        f"give --input-shape {info.name}={example}"
    )
