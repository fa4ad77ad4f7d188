# tflm_tools: run: a model on inputs of yours, in the MicroPython unix port
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import files
from ..errors import ToolError
from ..model import arrays
from ..model.model_file import open_model
from ..render.notebook import Shown
from .device_model import invoke

_TOP = 5


@dataclass
class OutputInfo:
    """One output; `low`, `high` and `top` (of a row of scores) are real values, not quantized."""

    name: str
    file: str
    dtype: str
    shape: tuple[int, ...]
    low: float | None
    high: float | None
    top: list[tuple[int, float]]


@dataclass
class Run(Shown):
    """What `tflm run` did; times in microseconds of one invoke, arena in bytes.

    arrays: the outputs.
    """

    _shown = ("results", "print_run")
    arrays = ()  # no field, which JSON would show

    model: str
    path: str
    invokes: int
    mean_us: float
    best_us: int
    arena_bytes: int
    outputs: list[OutputInfo]


# A float that JSON can hold.
def _number(value):
    return float(value) if np.isfinite(value) else None


# Lowest, highest and largest values of an output.
def _summary(file, array, info):
    values = arrays.dequantize(array, info)
    top = []
    if array.ndim <= 2 and array.size == max(array.shape, default=0) > 1:
        row = values.reshape(-1)
        order = np.argsort(-row.astype(np.float64), kind="stable")[:_TOP]
        top = [(int(i), _number(row[i])) for i in order]
    low, high = (_number(values.min()), _number(values.max())) if array.size else (None, None)
    return OutputInfo(info.name, str(file), info.dtype, info.shape, low, high, top)


def run(path, inputs, output_dir=None, form="flat", repeat=1, quantize=False, heap=None,
        timeout=None, custom=(), device=None, pixels=None):  # fmt: skip
    """Invoke the model at `path` on arrays or files, one for each input in order.

    Files are .npy, images, sounds or tables; pixels: what black and white of images stand for, as
    model.media.real_values() has it.
    output_dir: where output_0.npy and so on go; None writes none. form: "flat" or "tflite".
    repeat: invokes on the same inputs (a model with state goes on from one to the next).
    quantize: floats may be given for integer inputs. custom: Python files that register custom
    operators. device: a board (board.board_device) instead of the unix port. Raises TflmError.
    """
    model = open_model(path)
    if form == "tflite" and model.kind == "tflm":
        raise ToolError(f"{path} is a .tflm; --path tflite needs the .tflite it was made from")
    if len(inputs) != len(model.inputs):
        raise ToolError(
            f"the model's inputs are {len(model.inputs)}, the files given are {len(inputs)}; "
            "give one --input for each, in order"
        )
    written = _files(output_dir, model, [path, *_paths(inputs), *custom])
    values = [
        arrays.load_input(file, i, info, quantize, pixels)
        for i, (file, info) in enumerate(zip(inputs, model.inputs, strict=True))
    ]
    if output_dir is not None:
        files.make_folder(output_dir)
    result = invoke(
        model, [values], form, repeat, heap=heap, timeout=timeout, custom=custom, device=device
    )
    outputs = []
    for file, array, info in zip(written, result.outputs[0], model.outputs, strict=True):
        if file:
            arrays.save(file, array)
        outputs.append(_summary(file, array, info))
    found = Run(
        model=str(path),
        path=form,
        invokes=repeat,
        mean_us=sum(result.times) / len(result.times),
        best_us=min(result.times),
        arena_bytes=result.arena,
        outputs=outputs,
    )
    found.arrays = result.outputs[0]
    return found


# Inputs that are files.
def _paths(inputs):
    return [each for each in inputs if not isinstance(each, np.ndarray)]


# The files to write, one for each output; "" for none.
def _files(output_dir, model, used):
    if output_dir is None:
        return [""] * len(model.outputs)
    written = [Path(output_dir) / f"output_{i}.npy" for i in range(len(model.outputs))]
    for file in written:
        files.check_output(file, *used)
    return written
