# tflm_tools: convert: converts a Keras model or SavedModel to a .tflite, quantized with its data
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tflm.tflite.reader import TfliteModel

from .. import files
from ..errors import ToolError
from ..inspection.inspection import inspect
from ..measure.evaluation import Score, evaluate, score
from ..model.model_file import TensorInfo
from ..render.notebook import Shown
from . import source
from .examples import Examples
from .process import TensorFlow

INT8, INT16, FLOAT32 = "int8", "int16", "float32"
LIMIT = 200  # default number of examples that represent the data
_FEW_EXAMPLES = 50  # with fewer examples there is a note
# A loss of accuracy is noted if it is at least this share of the examples, and this many of them.
_NOTED_LOSS, _NOTED_EXAMPLES = 0.02, 5


@dataclass
class ConvertedModel:
    """The contents of a .tflite; sizes in bytes.

    ops: {operator: count}. per_channel, per_tensor: how many constants have a scale for each
    channel, and how many have one scale.
    """

    inputs: list[TensorInfo]
    outputs: list[TensorInfo]
    ops: dict[str, int]
    per_channel: int
    per_tensor: int
    tflite_bytes: int
    arena_bytes: int


@dataclass
class Converted(Shown):
    """The result of `tflm convert`.

    form: "int8", "int16" (int16 activations, int8 weights) or "float32". tensorflow: its version.
    made: the contents of the .tflite.
    taken: how many of the `available` examples represent the data. classes: (class, taken,
    available) of each class, if y holds classes.
    before, after: the Score of the float model in TensorFlow and of the .tflite in MicroPython,
    over `scored` examples; None without y.
    """

    _shown = ("convert", "print_converted")

    source: str
    data: str
    output: str
    form: str
    tensorflow: str
    made: ConvertedModel
    taken: int = 0
    available: int = 0
    classes: list[tuple[int, int, int]] = field(default_factory=list)
    scored: int = 0
    before: Score | None = None
    after: Score | None = None
    notes: list[str] = field(default_factory=list)


def convert(model, data, output, form=INT8, keep_float=False, limit=LIMIT, input_shapes=(),
            pixels=None, custom=(), timeout=None, progress=None):  # fmt: skip
    """Convert a .keras, an .h5 or the folder of a SavedModel, and write the .tflite to `output`.

    data: a file or folder for dataset.read(), or a dict of arrays; y is optional. It may be None
    only for FLOAT32.
    form: INT8, INT16 or FLOAT32.
    keep_float: keep inputs and outputs float32.
    limit: how many examples represent the data.
    input_shapes: as for `tflm flatten`. pixels: as for `tflm eval`.
    custom: files that register custom operators.
    timeout: seconds that TensorFlow has for one step.
    progress: called as progress(done, total) while examples are evaluated.
    Returns a Converted. Raises TflmError; then nothing is written.
    """
    path = Path(model)
    source.check(path)
    source.check_output(output, path, *[data] if isinstance(data, (str, Path)) else [])
    if data is None and form != FLOAT32:
        raise ToolError("quantization needs typical inputs; give --data, or --no-quantize")
    with TensorFlow(model, timeout) as tensorflow:
        opened = tensorflow.ask("open", model=str(path.absolute()))
        inputs = source.fixed(model, [*map(source.tensor, opened["inputs"])], input_shapes)
        shapes = [info.shape for info in inputs]
        traced = tensorflow.ask("trace", shapes=shapes, unroll=form != FLOAT32)
        outputs = [source.tensor(found, *shapes[0][:1]) for found in traced["outputs"]]
        examples = None if data is None else Examples(data, inputs, outputs, limit, pixels)
        tflite = tensorflow.convert(form, keep_float, examples.taken.runs if examples else [])
        result = Converted(
            source=str(model),
            data="arrays" if isinstance(data, dict) else str(data or ""),
            output=str(output),
            form=form,
            tensorflow=opened["tensorflow"],
            made=_contents(model, tflite, custom),
        )
        if examples:
            _add_examples(result, examples)
        if examples and examples.scored:
            predicted = [[each] for each in tensorflow.predictions(examples.scored.runs)]
            result.before = score(examples.scored, predicted, outputs[0])
            result.after = evaluate(
                tflite, examples.scored_arrays, custom=custom, progress=progress
            ).score
        files.write(output, tflite.read_bytes())
    result.notes += _notes(result, traced["unrolled"])
    return result


# The ConvertedModel of a .tflite; raises ToolError if tflm lacks one of its operators.
def _contents(model, tflite, custom):
    found = inspect(tflite, custom)
    if found.missing:
        first = found.missing[0]
        names = ", ".join(dict.fromkeys(each.op for each in found.missing))
        advice = first.advice or "replace the layer that makes it, or give --custom"
        raise ToolError(
            f"{model} needs operators that tflm lacks: {names} ({first.reason}); {advice}"
        )
    per_channel, per_tensor = _scales(TfliteModel(tflite.read_bytes()))
    return ConvertedModel(
        inputs=found.inputs,
        outputs=found.outputs,
        ops=dict(Counter(op.name for op in found.ops).most_common()),
        per_channel=per_channel,
        per_tensor=per_tensor,
        tflite_bytes=found.file_bytes,
        arena_bytes=found.arena_bytes,
    )


# (number of weights with a scale for each channel, number of weights with one scale).
def _scales(graph):
    weights = [
        tensor
        for subgraph in graph.subgraphs
        for tensor in map(subgraph.tensor, range(subgraph.tensors_length()))
        if tensor.is_constant() and len(tensor.shape) > 1
    ]
    scales = [tensor.scales_length() for tensor in weights]
    return sum(n > 1 for n in scales), scales.count(1)


# Add the numbers of examples to a Converted.
def _add_examples(result, examples):
    result.taken, result.available = examples.taken.count, examples.available
    result.classes = examples.classes
    result.notes += examples.notes
    if examples.scored:
        result.scored = examples.scored.count


# Notes on properties that matter on a board.
def _notes(result, unrolled):
    notes = []
    if unrolled:
        notes.append(f"unrolled, as loops cannot be quantized: {', '.join(unrolled)}")
    if result.form == FLOAT32:
        notes.append("float32 runs in software on most boards, in four times the memory")
    elif result.taken < _FEW_EXAMPLES:
        notes.append(f"{result.taken} examples may not represent all inputs; a hundred are better")
    before, after = result.before, result.after
    lost = before.right - after.right if before and before.right is not None else 0
    if lost >= max(_NOTED_EXAMPLES, _NOTED_LOSS * result.scored):
        notes.append("accuracy is lost; try more data of all classes, or --int16")
    return notes
