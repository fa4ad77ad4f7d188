# tflm_tools: evaluation: measures accuracy and time of a model over a data set
# MIT license; Copyright (c) 2026 the tflm authors

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .. import files
from ..check import oracle
from ..check.comparison import first_difference
from ..errors import ToolError
from ..execution import task_pool
from ..execution.processes import Processes
from ..features.feature_block import use_block
from ..model.arrays import dequantize
from ..model.labels import labels_of_model
from ..model.model_file import open_model
from ..port.invocation import InvokeOptions
from ..render.common import Shown, counted
from .class_order import GIVEN, LABELS, ClassOrder, listed, values_of_one, wrong_order
from .dataset import load
from .examples import ReadOptions

_ORACLE_RUNS = 256  # in one process of the oracle


@dataclass
class Score:
    """The quality of outputs; fields that do not apply are None.

    accuracy: share of right classes. confusion[i][k]: examples of class i classified as k.
    mean_error, worst_error: absolute differences from the wanted values.
    """

    accuracy: float | None = None
    right: int | None = None
    confusion: list[list[int]] = field(default_factory=list)
    mean_error: float | None = None
    worst_error: float | None = None


@dataclass
class Comparison:
    """The result of TFLM's wheel on the same data. differing: examples whose outputs differ."""

    score: Score
    differing: int
    first_differing: int | None
    median_us: float


@dataclass
class Evaluation(Shown):
    """The result of `tflm eval`; times are microseconds of an invoke of `batch` examples.

    labels: names of the classes by output. order: the ClassOrder of a data set whose classes have
    names. wrong_order: a sentence if the classes are right in another order, else "".
    """

    _shown = ("evaluation", "print_evaluation")

    model: str
    data: str
    where: str
    jobs: int
    count: int
    batch: int
    score: Score
    labels: list[str]
    mean_us: float
    median_us: float
    best_us: float
    arena_bytes: int
    notes: list[str]
    comparison: Comparison | None = None
    order: ClassOrder | None = None
    wrong_order: str = ""


@dataclass(frozen=True)
class EvaluateOptions:
    """How evaluate() and evaluate_detector() measure a model.

    compare: also run TFLM's wheel on the data. limit: maximum number of examples. jobs: number of
    processes; by default one for each core if joblib is installed. scheduler: the address of a
    Dask scheduler whose workers run the model. custom: Python files that register custom
    operators. timeout: seconds for one answer of the device. pixels: as for `tflm run`. block: a
    JSON of Edge Impulse; sounds and tables hold samples for it. labels: names of the model's
    outputs in their order, as a list or separated by commas; by default the labels in the model.
    """

    compare: bool = False
    limit: int | None = None
    jobs: int | None = None
    scheduler: str | None = None
    custom: tuple[str, ...] = ()
    timeout: float | None = None
    pixels: tuple[float, float] | None = None
    block: object | None = None
    labels: str | tuple[str, ...] | None = None

    def read_options(self, model):
        """Return the ReadOptions for a ModelFile."""
        labels, source = labels_of(self.labels, model)
        return ReadOptions(labels, source, self.pixels, self.limit)

    def processes(self, runs):
        """Return the Processes of the unix port for this number of runs."""
        if self.scheduler is not None:
            return Processes(self.jobs, self.scheduler)
        processors = os.cpu_count() if task_pool.has_joblib() else 1
        return Processes(min(self.jobs or processors or 1, runs))

    def invoke_options(self):
        """Return the InvokeOptions, which reset the model's variables before each invoke."""
        return InvokeOptions(custom=self.custom, reset=True, timeout=self.timeout)


def evaluate(path, data, device=None, progress=None, **options):
    """Run a model on a data set; return an Evaluation.

    data: as for dataset.load(). device: a board (board.board_device) or several boards; by default
    the unix port. progress: called as progress(done, total). options: the fields of
    EvaluateOptions. Raises TflmError.
    """
    options = EvaluateOptions(**options)
    model = open_model(path)
    use_block(model, options.block)
    if options.compare:
        oracle.require()
        if model.kind != "tflite":
            raise ToolError(f"{path} is a .tflm; --compare needs the .tflite it was made from")
    read_options = options.read_options(model)
    examples = load(data, model.inputs, model.outputs, read_options)
    labels = names_of(read_options.labels, examples.order)
    device = device or options.processes(len(examples.runs))
    result = device.invoke(model, examples.runs, options.invoke_options(), progress)
    outputs, times = result.outputs, result.times
    found = Evaluation(
        model=str(path),
        data="arrays" if isinstance(data, dict) else str(data),
        where=device.where,
        jobs=device.jobs,
        count=examples.count,
        batch=examples.batch,
        score=score(examples, outputs, model.outputs[0]),
        labels=labels,
        mean_us=float(np.mean(times)),
        median_us=float(np.median(times)),
        best_us=float(np.min(times)),
        arena_bytes=result.arena,
        notes=examples.notes,
    )
    if options.compare:
        try:
            found.comparison = _compare(model, examples, outputs, options.timeout)
        except oracle.OracleError as error:
            found.notes.append(f"nothing to compare with: {error}")
    found.order = examples.order
    found.wrong_order = wrong_order(found.score.confusion, examples.order, labels)
    return found


def labels_of(given, model, outputs=None):
    """Return (names of the outputs, their source) for the labels that were given, or a model's.

    given: a list, names separated by commas, a file with a name in each line, or None. model: a
    ModelFile or None. outputs: the TensorInfo of its outputs, if it has no file. Raises ToolError
    if the model has another number of classes.
    """
    outputs = model.outputs if model else outputs
    if given:
        names = _words(given) if isinstance(given, str) else given
        names = tuple(name.strip() for name in names)
        classes = max(2, values_of_one(outputs[0])) if outputs else len(names)
        if len(names) != classes:
            raise ToolError(
                f"--labels has {counted(len(names), 'name')} ({listed([*names])}), the model has "
                f"{classes} classes; give the names of all its outputs in their order, or a file "
                "with a name in each line"
            )
        return names, GIVEN
    return tuple(labels_of_model(model) if model else ()), LABELS


# The names in a text with commas, or in the lines of a file.
def _words(given):
    if "," in given or not Path(given).is_file():
        return given.split(",")
    lines = files.read(given).decode(errors="replace").splitlines()
    return [line for line in lines if line.strip()]


def names_of(labels, order):
    """Return a list of the names of the outputs: labels, or the names of a guessed ClassOrder."""
    if order is None or not order.is_guess():
        return list(labels)
    return [order.names[i] for i in range(len(order.names))]


# Output 0 of every example as real values, [count, elements].
def _values(examples, outputs, info):
    rows = [dequantize(output[0], info).reshape(examples.batch, -1) for output in outputs]
    return np.concatenate(rows)[: examples.count].astype(np.float64)


def score(examples, outputs, info):
    """Return the Score of the outputs of all runs of a DataSet.

    outputs[run][i]: an array. info: the TensorInfo of output 0.
    """
    values = _values(examples, outputs, info)
    if examples.labels is None:
        errors = np.abs(values - examples.values.reshape(values.shape))
        return Score(mean_error=float(errors.mean()), worst_error=float(errors.max()))
    if values.shape[1] == 1:  # output 0 is the probability of class 1
        classes, found = 2, (values[:, 0] > 0.5).astype(np.int64)
    else:
        classes, found = values.shape[1], values.argmax(1)
    return score_of_classes(examples.labels, found, classes)


def score_of_classes(wanted, found, classes):
    """Return the Score of the classes `found`, compared with the classes `wanted`.

    classes: the number of classes.
    """
    if not len(wanted):
        return Score()
    confusion = np.zeros((classes, classes), np.int64)
    np.add.at(confusion, (wanted, found), 1)
    right = int(np.trace(confusion))
    return Score(right / len(wanted), right, confusion.tolist())


# The Comparison with TFLM's wheel on the same data.
def _compare(model, examples, outputs, timeout):
    theirs, times = [], []
    for at in range(0, len(examples.runs), _ORACLE_RUNS):
        chunk = examples.runs[at : at + _ORACLE_RUNS]
        result = oracle.run(model.data, chunk, timeout=timeout, reset=True)
        theirs += result.outputs
        times += result.times
    differing = set()
    for i, (ours, wanted) in enumerate(zip(outputs, theirs, strict=True)):
        for got, other in zip(ours, wanted, strict=True):
            if first_difference(got, other.reshape(got.shape)) is not None:
                first = i * examples.batch
                differing.update(range(first, min(first + examples.batch, examples.count)))
    first = min(differing) if differing else None
    return Comparison(
        score(examples, theirs, model.outputs[0]), len(differing), first, float(np.median(times))
    )
