# tflm_tools: source: checks that a model can be converted, and fixes the shapes of its inputs
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import replace
from math import prod
from pathlib import Path

from tflm.errors import TflmError

from .. import files
from ..errors import ToolError
from ..flat.conversion import shapes_by_number
from ..model.model_file import ModelFile, TensorInfo, open_model

_HDF5 = b"\x89HDF\r\n\x1a\n"
_BYTES = {"float32": 4, "float16": 2, "float64": 8, "int64": 8, "int32": 4, "int16": 2}


def check(path):
    """Raise ToolError if a path is neither a .keras, an .h5 nor the folder of a SavedModel."""
    if path.is_dir():
        if not any((path / name).exists() for name in ("saved_model.pb", "saved_model.pbtxt")):
            raise ToolError(
                f"{path} is not a SavedModel: it contains no saved_model.pb; give the folder that "
                "model.export(FOLDER) writes"
            )
        return
    start = files.read(path)[: len(_HDF5)]
    if path.suffix == ".keras" and start == _HDF5:
        raise ToolError(f"{path} is HDF5, the file format of older versions of Keras; name it .h5")
    if path.suffix == ".keras" and start[:2] != b"PK":
        raise ToolError(f"{path} is not a Keras file; write it with model.save()")
    if path.suffix in (".h5", ".hdf5") and start != _HDF5:
        raise ToolError(f"{path} is not an HDF5 file; write it with model.save()")
    if path.suffix not in (".keras", ".h5", ".hdf5"):
        raise _refused(path)


# The ToolError for a file that cannot be converted.
def _refused(path):
    if path.suffix == ".pb":
        return ToolError(f"{path} is one file of a SavedModel; give the folder that contains it")
    if path.suffix in (".pt", ".pth", ".onnx"):
        return ToolError(
            f"{path} is not a model of Keras or TensorFlow; convert a PyTorch model to a .tflite "
            "as in docs/tutorial/your-own-model.md"
        )
    try:
        model = open_model(path)
    except TflmError:
        return ToolError(
            f"{path} is neither a .keras, an .h5 nor the folder of a SavedModel; give one of these"
        )
    if model.kind == "tflite" and all(info.dtype == "float32" for info in model.inputs):
        return ToolError(
            f"{path} is already a .tflite, which TensorFlow cannot quantize afterwards; give the "
            "model that it was made from"
        )
    return ToolError(f"{path} is already a .{model.kind}; give the model that it was made from")


def check_output(output, *inputs):
    """Raise ToolError if `output` could not be written later, after minutes of work."""
    files.check_output(output, *inputs)
    if Path(output).is_dir():
        raise ToolError(f"cannot write {output}, which is a folder; name a file in it")
    if not Path(output).absolute().parent.is_dir():
        raise ToolError(f"cannot write {output}: its folder does not exist; make it")


def tensor(description, batch=None):
    """Return the TensorInfo of a tensor that worker.py describes; its shape may be open.

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
    given = shapes_by_number(ModelFile(Path(path), "keras", b"", inputs, []), words)
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
