# tflm_tools: source: is this a model that can be converted, and which inputs does it have?
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
    """Raise ToolError for what is neither a .keras, an .h5 nor the folder of a SavedModel."""
    if path.is_dir():
        if not any((path / name).exists() for name in ("saved_model.pb", "saved_model.pbtxt")):
            raise ToolError(
                f"{path} is no SavedModel: there is no saved_model.pb in it; give the folder that "
                "model.export(FOLDER) writes"
            )
        return
    start = files.read(path)[: len(_HDF5)]
    if path.suffix == ".keras" and start == _HDF5:
        raise ToolError(f"{path} is HDF5, as Keras wrote it before; name it .h5")
    if path.suffix == ".keras" and start[:2] != b"PK":
        raise ToolError(f"{path} is no file of Keras; write it with model.save()")
    if path.suffix in (".h5", ".hdf5") and start != _HDF5:
        raise ToolError(f"{path} is no HDF5 file; write it with model.save()")
    if path.suffix not in (".keras", ".h5", ".hdf5"):
        raise _refused(path)


# Why another file is not converted.
def _refused(path):
    if path.suffix == ".pb":
        return ToolError(f"{path} is a part of a SavedModel; give the folder that it lies in")
    if path.suffix in (".pt", ".pth", ".onnx"):
        return ToolError(
            f"{path} is no model of Keras or TensorFlow; docs/tutorial/your-own-model.md "
            "tells how PyTorch's become a .tflite"
        )
    try:
        model = open_model(path)
    except TflmError:
        return ToolError(
            f"{path} is neither a .keras, an .h5 nor the folder of a SavedModel; give one of these"
        )
    if model.kind == "tflite" and all(info.dtype == "float32" for info in model.inputs):
        return ToolError(
            f"{path} is a .tflite already, which TensorFlow cannot quantize afterwards; give the "
            "model that it was made from"
        )
    return ToolError(f"{path} is a .{model.kind} already; give the model that it was made from")


def check_output(output, *inputs):
    """Raise ToolError where `output` could not be written after minutes of work."""
    files.check_output(output, *inputs)
    if Path(output).is_dir():
        raise ToolError(f"cannot write {output}, which is a folder; name a file in it")
    if not Path(output).absolute().parent.is_dir():
        raise ToolError(f"cannot write {output}: its folder is not there; make it")


def tensor(told, batch=None):
    """The TensorInfo of what worker.py tells of a tensor; its shape may be open.

    batch: what an open first size of it is.
    """
    shape = None if told["shape"] is None else tuple(told["shape"])
    if shape and shape[0] is None:
        shape = (batch, *shape[1:])
    return _sized(TensorInfo(told["name"], told["dtype"], shape, 0.0, 0, 0))


# With its bytes, where its shape is known.
def _sized(info):
    if info.shape is None or None in info.shape:
        return info
    return replace(info, bytes=_BYTES.get(info.dtype, 1) * prod(info.shape))


def fixed(path, inputs, words):
    """The inputs with a batch of 1 where it is open, and other shapes by `--input-shape` words.

    Raises ToolError where a size stays open, UnsupportedError for strings and the like.
    """
    given = shapes_by_number(ModelFile(Path(path), "keras", b"", inputs, []), words)
    found = []
    for number, info in enumerate(inputs):
        shape = given.get(number, info.shape)
        if shape and shape[0] is None:
            shape = (1, *shape[1:])
        if shape is None or None in shape:
            raise _open(path, info)
        info.numpy_dtype()
        found.append(_sized(replace(info, shape=shape)))
    return found


def _open(path, info):
    known, example = "of any rank", "1,96,96,1"
    if info.shape is not None:
        known = "x".join("?" if size is None else str(size) for size in info.shape)
        example = ",".join(["1", *("N" if n is None else str(n) for n in info.shape[1:])])
    return ToolError(
        f"input '{info.name}' of {path} is {known}, and a .tflite for boards has fixed shapes; "
        f"give --input-shape {info.name}={example}"
    )
