# tflm_tools: execution: invokes a model on the user's inputs, for `tflm run`
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .. import files
from ..detection import detect as detection
from ..detection import picture
from ..detection.decoders import Detection
from ..errors import ToolError
from ..features.feature_block import use_block
from ..model import arrays
from ..model.model_file import open_model
from ..port.invocation import InvokeOptions
from ..render.common import Shown
from .device_model import invoke

_PICTURE = "boxes.png"  # in the folder of the outputs
_TOP_VALUES = 5  # largest values of an output that the summary lists


@dataclass
class OutputInfo:
    """The summary of one output; low, high and top are real values, not quantized ones.

    top: (index, value) of the largest values, for an output that is one row of scores.
    """

    name: str
    file: str
    dtype: str
    shape: tuple[int, ...]
    low: float | None
    high: float | None
    top: list[tuple[int, float]]


@dataclass
class Run(Shown):
    """The result of `tflm run`; times in microseconds of one invoke, arena in bytes.

    arrays: the outputs. notes: sentences about input values that look wrong. detections: the
    boxes of a detector, None without `detect`. picture: the image with these boxes, "" if none was
    written.
    """

    _shown = ("results", "print_run")
    arrays = ()  # not a field of the dataclass: JSON must not include it

    model: str
    path: str
    invokes: int
    mean_us: float
    best_us: int
    arena_bytes: int
    outputs: list[OutputInfo]
    notes: list[str] = field(default_factory=list)
    detections: list[Detection] | None = None
    picture: str = ""


# A float that JSON can represent, or None.
def _number(value):
    return float(value) if np.isfinite(value) else None


# The OutputInfo of an output.
def _summary(file, array, info):
    values = arrays.dequantize(array, info)
    top = []
    if array.ndim <= 2 and array.size == max(array.shape, default=0) > 1:
        row = values.reshape(-1)
        order = np.argsort(-row.astype(np.float64), kind="stable")[:_TOP_VALUES]
        top = [(int(i), _number(row[i])) for i in order]
    low, high = (_number(values.min()), _number(values.max())) if array.size else (None, None)
    return OutputInfo(info.name, str(file), info.dtype, info.shape, low, high, top)


@dataclass(frozen=True)
class RunOptions:
    """How run() invokes a model.

    form: "flat" or "tflite". repeat: invokes on the same inputs; variables keep their values from
    one invoke to the next. quantize: accept real numbers of any type. heap, timeout: bytes and
    seconds of MicroPython. custom: Python files that register custom operators. pixels: the
    values of black and white in images, as for model.media.real_values(). detect:
    detection.detect.Settings to decode the outputs of a detector, or None. block: a JSON of Edge
    Impulse; sounds and tables hold samples for it.
    """

    form: str = "flat"
    repeat: int = 1
    quantize: bool = False
    heap: int | None = None
    timeout: float | None = None
    custom: tuple[str, ...] = ()
    pixels: tuple[float, float] | None = None
    detect: detection.Settings | None = None
    block: object | None = None

    def invoke_options(self):
        """Return the InvokeOptions."""
        return InvokeOptions(
            self.form, self.repeat, heap=self.heap, timeout=self.timeout, custom=self.custom
        )


def run(path, inputs, output_dir=None, device=None, **options):
    """Invoke the model at `path` on arrays or files, one for each input in order; return a Run.

    Files are .npy, images, sounds or tables. output_dir: folder for output_0.npy, output_1.npy
    ..., and for boxes.png, the boxes that a detector found in an image; None writes no files.
    device: a board (board.board_device) instead of the unix port. options: the fields of
    RunOptions. Raises TflmError.
    """
    options = RunOptions(**options)
    model = open_model(path)
    use_block(model, options.block)
    if options.form == "tflite" and model.kind == "tflm":
        raise ToolError(f"{path} is a .tflm; --path tflite needs the .tflite it was made from")
    if len(inputs) != len(model.inputs):
        raise ToolError(
            f"the number of inputs given is {len(inputs)}, but the model has {len(model.inputs)}; "
            "give one --input for each, in order"
        )
    input_files = [each for each in inputs if not isinstance(each, np.ndarray)]
    output_files = _output_files(output_dir, model, [path, *input_files, *options.custom])
    detector = detection.detector_of(model, options.detect) if options.detect else None
    notes = []
    values = [
        arrays.load_input(file, i, info, options.quantize, options.pixels, notes)
        for i, (file, info) in enumerate(zip(inputs, model.inputs, strict=True))
    ]
    if output_dir is not None:
        files.make_folder(output_dir)
    result = invoke(model, [values], options.invoke_options(), device)
    outputs = []
    for file, array, info in zip(output_files, result.outputs[0], model.outputs, strict=True):
        if file:
            arrays.save(file, array)
        outputs.append(_summary(file, array, info))
    summary = Run(
        model=str(path),
        path=options.form,
        invokes=options.repeat,
        mean_us=sum(result.times) / len(result.times),
        best_us=min(result.times),
        arena_bytes=result.arena,
        outputs=outputs,
        notes=notes,
    )
    summary.arrays = result.outputs[0]
    if detector:
        image = inputs[0] if detection.is_image(inputs[0]) else None
        summary.detections = detector.detections(result.outputs[0], image)
        if image and output_dir is not None:
            summary.picture = str(Path(output_dir) / _PICTURE)
            files.write(summary.picture, picture.draw(image, summary.detections))
    return summary


# The file to write for each output, "" without a folder. `used`: files that must not be replaced.
def _output_files(output_dir, model, used):
    if output_dir is None:
        return [""] * len(model.outputs)
    output_files = [Path(output_dir) / f"output_{i}.npy" for i in range(len(model.outputs))]
    for file in [*output_files, Path(output_dir) / _PICTURE]:
        files.check_output(file, *used)
    return output_files
