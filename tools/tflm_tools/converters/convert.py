# tflm_tools: converts a trained or float model to a .tflite, quantized with example data
# MIT license; Copyright (c) 2026 the tflm authors

import shlex
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from tflm import dtypes
from tflm.errors import TflmError
from tflm.tflite.reader import TfliteModel

from .. import files
from ..errors import ToolError
from ..features.feature_block import use_block
from ..inspection.inspection import inspect
from ..inspection.model_type import is_fast
from ..measure.class_order import ClassOrder, wrong_order
from ..measure.evaluation import Score, evaluate, labels_of, score
from ..measure.examples import ReadOptions
from ..model.labels import with_labels
from ..model.model_file import TensorInfo, open_model
from ..model.schema import op_name
from ..optimize.invoke_time import NOTED_SHARE, nodes_of
from ..render.common import Shown, milliseconds
from . import source, values
from .examples import Examples
from .process import LITERT, TENSORFLOW, ConverterProcess

INT8, INT16, FLOAT32, DYNAMIC, WEIGHTS_ONLY = "int8", "int16", "float32", "dynamic", "weights-only"
_STATIC = INT8, INT16  # forms that need examples
LIMIT = 200  # examples that represent the data
_FEW_EXAMPLES = 50  # with fewer examples there is a note
# A loss of accuracy is noted if it is at least this share of the examples, and this many of them.
_NOTED_LOSS, _NOTED_EXAMPLES = 0.02, 5
_NOTED_ERROR = 0.05  # of the range of the wanted values
_CONVERSIONS = "QUANTIZE", "DEQUANTIZE"


@dataclass
class Footprint:
    """What the float model needs, in bytes; pico_ms: estimated time of an invoke on a Pico."""

    tflite_bytes: int
    flash_bytes: int | None
    arena_bytes: int
    pico_ms: float | None


@dataclass
class ConvertedModel:
    """The contents of a .tflite; sizes in bytes.

    per_channel, per_tensor: weights that have a scale for each channel, or one. float_ops:
    {operator: how many} of the operators that compute in float32, without those that tflm flatten
    removes. float_shares: {operator: their share of the time on a Pico}. flash_bytes: size of the
    .tflm. pico_ms: estimated time of an invoke on a Pico.
    """

    inputs: list[TensorInfo]
    outputs: list[TensorInfo]
    ops: dict[str, int]
    per_channel: int
    per_tensor: int
    tflite_bytes: int
    arena_bytes: int
    float_ops: dict[str, int] = field(default_factory=dict)
    flash_bytes: int | None = None
    pico_ms: float | None = None
    float_shares: dict[str, float] = field(default_factory=dict)


@dataclass
class Converted(Shown):
    """The result of `tflm convert`.

    form: int8, int16 (activations; weights are int8), dynamic, weights-only or float32.
    weight_bits: of the weights of convolutions and fully connected layers. converter: what
    quantized the model; tensorflow: the version, if TensorFlow did. taken: how many examples of
    the `available` ones represent the data; classes: (class, taken, available), if there are any.
    before, after: Score over `scored` examples, in float and as made, in MicroPython; None without
    y. original: the Footprint of the float model, None if tflm does not run it. order: the
    ClassOrder of data whose classes have names.
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
    weight_bits: int = 8
    converter: str = ""
    original: Footprint | None = None
    order: ClassOrder | None = None


@dataclass(frozen=True)
class ConvertOptions:
    """How convert() converts and quantizes a model.

    form: INT8, INT16, DYNAMIC, WEIGHTS_ONLY or FLOAT32. keep_float: inputs and outputs stay
    float32. limit: maximum number of examples that represent the data. input_shapes: as for `tflm
    flatten`. pixels: as for `tflm eval`. custom: files that register custom operators. timeout:
    seconds for an answer of a converter. weight_bits: 8, or 4 for the weights of layers that allow
    it. block: a JSON of Edge Impulse; sounds and tables of the data hold samples for it. labels:
    as for `tflm eval`; the .tflite has them, or else the labels of the float .tflite.
    """

    form: str = INT8
    keep_float: bool = False
    limit: int = LIMIT
    input_shapes: tuple[str, ...] = ()
    pixels: tuple[float, float] | None = None
    custom: tuple[str, ...] = ()
    timeout: float | None = None
    weight_bits: int = 8
    block: object | None = None
    labels: str | tuple[str, ...] | None = None

    def is_whole(self):
        """Return True if TensorFlow can do the whole conversion of a Keras model."""
        return self.form in (*_STATIC, FLOAT32) and self.weight_bits == 8


@dataclass(frozen=True)
class _Request:
    """The arguments of convert()."""

    model: str
    data: object
    options: ConvertOptions
    progress: object

    @property
    def data_name(self):
        return "arrays" if isinstance(self.data, dict) else str(self.data or "")


def convert(model, data, output, progress=None, **options):
    """Write the .tflite of a float model into `output`; return a Converted.

    model: a float32 or float16 .tflite (also inside C source or an archive), a .keras, an .h5,
    the folder of a SavedModel, a .pt2 of PyTorch or an .onnx.
    data: a file or folder as for dataset.read(), or a dict of arrays, y not needed; None for
    DYNAMIC, WEIGHTS_ONLY and FLOAT32.
    progress: called as progress(done, total) for the examples that are evaluated.
    options: the fields of ConvertOptions.
    Raises TflmError; then no file is written.
    """
    options = ConvertOptions(**options)
    path = Path(model)
    source.check_output(output, path, data, options.block, *options.custom)
    kind = source.check(path)
    if data is None and options.form in _STATIC:
        raise ToolError(
            "quantization needs typical inputs; give --data, --dynamic or --no-quantize"
        )
    request = _Request(str(model), data, options, progress)
    if kind == source.KERAS and options.is_whole():
        result, tflite = _with_tensorflow(request)
    else:
        tflite = _float_model(request, kind)
        if kind != source.TFLITE:
            # The .tflite has these shapes.
            request = replace(request, options=replace(options, input_shapes=()))
        result, tflite = _with_litert(request, tflite)
    files.write(output, tflite)
    result.output = str(output)
    return result


# A Keras model or SavedModel, quantized by TensorFlow: (Converted, bytes).
def _with_tensorflow(request):
    with ConverterProcess(TENSORFLOW, request.model, request.options.timeout) as process:
        opened = process.ask("open", model=str(Path(request.model).absolute()))
        job = _Job(request, process, opened, f"TensorFlow {opened['tensorflow']}")
        tflite = job.convert(form=request.options.form, keep_float=request.options.keep_float)
        original = None
        if request.options.form != FLOAT32:
            original = _original(process.convert([], form=FLOAT32, keep_float=True))
        return job.result(tflite, opened["tensorflow"], original), tflite


# A float .tflite (bytes), quantized by LiteRT's quantizer: (Converted, bytes).
def _with_litert(request, tflite):
    does, options = "quantizes a .tflite", request.options
    if options.form in _STATIC:
        _refuse_loops(request.model, tflite, options.form)
    with ConverterProcess(LITERT, request.model, options.timeout, does) as process:
        (process.folder / "source.tflite").write_bytes(tflite)
        opened = process.ask("open", model="source.tflite")
        converter = f"LiteRT's quantizer {opened['version']}"
        job = _Job(request, process, opened, converter, open_model(request.model, tflite))
        original = process.convert([], form=FLOAT32, weight_bits=8, keep_float=True)
        job.check_range(original.read_bytes())
        footprint = _original(original) if options.form != FLOAT32 else None
        made = job.convert(
            form=options.form, weight_bits=options.weight_bits, keep_float=options.keep_float
        )
        return job.result(made, "", footprint), made


# Raise ToolError for a WHILE, which the quantizer does not calibrate.
def _refuse_loops(model, tflite, form):
    loops = [node for node in nodes_of(TfliteModel(tflite)) if op_name(node) == "WHILE"]
    if loops:
        raise ToolError(
            f"{model} has a loop ({loops[0]}), often of an LSTM or GRU, which cannot be {form}; "
            "build the layer with unroll=True, or give --dynamic, whose weights are int8"
        )


# The bytes of a float .tflite of any kind of model.
def _float_model(request, kind):
    path = Path(request.model)
    if kind == source.TFLITE:
        return open_model(path).data
    with ConverterProcess(source.framework(kind), path, request.options.timeout) as process:
        opened = process.ask("open", model=str(path.absolute()))
        tensors = [*map(source.tensor, opened["inputs"])]
        inputs = source.fixed(path, tensors, request.options.input_shapes)
        process.ask("trace", shapes=[info.shape for info in inputs], unroll=True)
        return process.convert([], form=FLOAT32, keep_float=True).read_bytes()


class _Job:
    """One model in a ConverterProcess, opened and traced with fixed shapes, and its examples.

    model_file: the ModelFile of a float .tflite, whose labels may name the classes.
    """

    def __init__(self, request, process, opened, converter, model_file=None):
        self.request, self.process, self.converter = request, process, converter
        model, options = request.model, request.options
        inputs = [*map(source.tensor, opened["inputs"])]
        self.inputs = source.fixed(model, inputs, options.input_shapes)
        shapes = [info.shape for info in self.inputs]
        traced = process.ask("trace", shapes=shapes, unroll=options.form != FLOAT32)
        self.unrolled = traced["unrolled"]
        self.outputs = [source.tensor(entry, *shapes[0][:1]) for entry in traced["outputs"]]
        self.examples = None
        use_block(self, options.block)
        self.labels, origin = labels_of(options.labels, model_file, self.outputs)
        if request.data is not None:
            read_options = ReadOptions(self.labels, origin, options.pixels, options.limit)
            self.examples = Examples(request.data, self.inputs, self.outputs, read_options)
            if options.form in _STATIC:
                values.check_count(request.data_name, self.examples)
                values.check_values(request.data_name, self.examples.taken.runs, self.inputs)

    def check_range(self, tflite):
        """Raise ToolError if the data have another range than the float model expects."""
        if self.examples and not self.request.options.pixels:
            runs = self.examples.taken.runs
            values.check_range(self.request.data_name, runs, self.inputs, tflite)

    def convert(self, **options):
        """Return the bytes of the .tflite, which has the labels."""
        is_static = self.request.options.form in _STATIC
        runs = self.examples.taken.runs if self.examples and is_static else []
        tflite = self.process.convert(runs, **options).read_bytes()
        return with_labels(tflite, "\n".join(self.labels).encode()) if self.labels else tflite

    def result(self, tflite, tensorflow, original):
        """Return the Converted, without `output`."""
        request, examples = self.request, self.examples
        path = self.process.folder / "result.tflite"
        path.write_bytes(tflite)
        result = Converted(
            source=request.model,
            data=request.data_name,
            output="",
            form=request.options.form,
            tensorflow=tensorflow,
            made=_contents(request.model, path, request.options.custom),
            weight_bits=request.options.weight_bits,
            converter=self.converter,
            original=original,
        )
        if examples:
            _add_examples(result, examples)
        if examples and examples.scored:
            predicted = [[each] for each in self.process.predictions(examples.scored.runs)]
            result.before = score(examples.scored, predicted, self.outputs[0])
            said = wrong_order(result.before.confusion, examples.order, self.labels)
            if said:
                raise ToolError(f"{request.data_name}: {said}")
            custom = request.options.custom
            result.after = evaluate(
                path, examples.scored_arrays, custom=custom, progress=request.progress
            ).score
            result.notes += _notes_on_scores(result, examples.scored.values)
        if examples:
            result.notes += values.notes_on_columns(
                examples.taken.runs, self.inputs, result.made.inputs
            )
        result.notes += _notes(result, self.unrolled)
        return result


# The Footprint of a float .tflite, or None if tflm does not run it.
def _original(path):
    try:
        found = inspect(path)
    except TflmError:
        return None
    if found.missing:
        return None
    return Footprint(found.file_bytes, found.flat_bytes, found.arena_bytes, found.pico_ms)


# The ConvertedModel of a .tflite; raises ToolError if tflm lacks one of its operators.
def _contents(model, tflite, custom):
    found = inspect(tflite, custom)
    if found.missing:
        first = found.missing[0]
        others = dict.fromkeys(each.op for each in found.missing if each.op != first.op)
        more = f" (and {', '.join(others)})" if others else ""
        advice = first.advice or "replace the layer that makes it, or give --custom"
        raise ToolError(f"{model}: {first.reason}{more}; {advice}")
    graph = TfliteModel(tflite.read_bytes())
    per_channel, per_tensor = _scales(graph)
    float_ops, float_shares = _float_ops(graph, found)
    return ConvertedModel(
        inputs=found.inputs,
        outputs=found.outputs,
        ops=dict(Counter(op.name for op in found.ops).most_common()),
        per_channel=per_channel,
        per_tensor=per_tensor,
        tflite_bytes=found.file_bytes,
        arena_bytes=found.arena_bytes,
        float_ops=float_ops,
        flash_bytes=found.flat_bytes,
        pico_ms=found.pico_ms,
        float_shares=float_shares,
    )


# ({operator: how many}, {operator: share of the time on a Pico}) of those that read or write
# float32. found: the Inspection.
def _float_ops(graph, found):
    names, shares = Counter(), Counter()
    by_number = {op.index: op.pico_share for op in found.ops}
    for node in nodes_of(graph):
        share = by_number.get(node.index)
        if share is None and found.pico_ms is not None:
            continue  # tflm flatten removes it
        tensors = [t for t in [*node.inputs, *node.outputs] if t is not None]
        is_float = any(t.dtype == dtypes.FLOAT32 for t in tensors)
        if is_float and op_name(node) not in _CONVERSIONS:
            names[op_name(node)] += 1
            shares[op_name(node)] += share or 0
    return dict(names.most_common()), dict(shares)


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


def _add_examples(result, examples):
    result.taken, result.available = examples.taken.count, examples.available
    result.classes, result.order = examples.classes, examples.order
    result.notes += examples.notes
    if examples.scored:
        result.scored = examples.scored.count


# What the user should know before the model goes on a board.
def _notes(result, unrolled):
    notes = []
    if unrolled:
        notes.append(f"unrolled, as loops cannot be quantized: {', '.join(unrolled)}")
    if result.form == FLOAT32:
        notes.append("float32 runs in software on most boards, in four times the memory")
    elif result.form in (DYNAMIC, WEIGHTS_ONLY):
        note = "activations stay float32"
        if result.form == WEIGHTS_ONLY:
            note = "all operators compute in float32"
        if "WHILE" not in result.made.ops:  # loops cannot be int8
            note += "; int8 with --data is faster"
        notes.append(note)
    elif result.taken < _FEW_EXAMPLES:
        notes.append(f"{result.taken} examples may not represent all inputs; a hundred are better")
    if result.form in _STATIC:
        notes += _notes_on_float(result)
    return notes


# A note on operators in float32 that take NOTED_SHARE of the time or more.
def _notes_on_float(result):
    made = result.made
    shares = {name: made.float_shares.get(name) if made.pico_ms else 1 for name in made.float_ops}
    slow = [
        f"{f'{count} ' if count > 1 else ''}{name}"
        + (f" ({shares[name]:.0%} of the time on a Pico)" if made.pico_ms else "")
        for name, count in made.float_ops.items()
        if shares[name] >= NOTED_SHARE
    ]
    if not slow:
        return []
    return [
        f"computed in float32: {', '.join(slow)}; {result.converter} or tflm has no {result.form} "
        "form of these operators; replace these layers if the model is too slow"
    ]


# Notes on accuracy that the quantization loses. values: the wanted ones, or None.
def _notes_on_scores(result, values):
    before, after = result.before, result.after
    if before.right is not None:
        if before.right - after.right >= max(_NOTED_EXAMPLES, _NOTED_LOSS * result.scored):
            return [f"accuracy is lost; {_remedy(result)}"]
        return []
    spread = float(values.max() - values.min())
    share = (after.mean_error - before.mean_error) / spread if spread else 0
    if share < _NOTED_ERROR:
        return []
    return [f"the mean error grew by {share:.0%} of the range of y; {_remedy(result)}"]


# What may give a better model.
def _remedy(result):
    if result.weight_bits < 8:
        return "leave out --int4"
    before = result.original
    if before and is_fast(before.pico_ms):
        kept = "--no-quantize"
        if result.source.endswith(".tflite"):
            kept = f"tflm deploy {shlex.quote(result.source)}"
        time = f"about {milliseconds(before.pico_ms)} on a Pico"
        return f"float32 loses nothing and takes {time}: {kept}; or {_better_quantization(result)}"
    return _better_quantization(result)


def _better_quantization(result):
    return "try more data of all classes" + (", or --int16" if result.form == INT8 else "")
