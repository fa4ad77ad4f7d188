# tflm_tools: eval: accuracy and time of a model over a data set, in the unix port or on a board
# MIT license; Copyright (c) 2026 the tflm authors

import os
from dataclasses import dataclass, field

import numpy as np
from tflm.model import FlatModel
from tflm.tflite.reader import TfliteModel

from ..check import oracle
from ..check.comparison import first_difference
from ..errors import ToolError
from ..execution import task_pool
from ..execution.processes import Processes
from ..model.arrays import dequantize
from ..model.labels import labels_of
from ..model.model_file import open_model
from ..render.notebook import Shown
from .dataset import load

_ORACLE_CHUNK = 256


@dataclass
class Score:
    """How well outputs are what they should be; None for what does not apply.

    accuracy: share of right classes; confusion[i][k]: examples of class i taken for k.
    mean_error, worst_error: absolute differences from the values that are wanted.
    """

    accuracy: float | None = None
    right: int | None = None
    confusion: list[list[int]] = field(default_factory=list)
    mean_error: float | None = None
    worst_error: float | None = None


@dataclass
class Comparison:
    """TFLM's wheel on the same data. differing: examples with an output that is not the same."""

    score: Score
    differing: int
    first_differing: int | None
    median_us: float


@dataclass
class Evaluation(Shown):
    """What `tflm eval` found; times in microseconds of an invoke, which takes `batch` examples."""

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


def evaluate(path, data, compare=False, limit=None, jobs=None, custom=(), device=None,
             progress=None, timeout=None, pixels=None, scheduler=None):  # fmt: skip
    """The Evaluation of a model on data as dataset.load() reads it.

    compare: run TFLM's wheel, too. limit: only so many examples. jobs: processes; one for each
    core without it, where joblib is installed. scheduler: the address of a Dask scheduler, whose
    workers run them then. custom: Python files that register custom operators. device: a board
    (board.board_device), or several. progress: a function (done, total). timeout: seconds for an
    answer. pixels: as for `tflm run`. Variables are reset before each
    invoke. Raises TflmError.
    """
    model = open_model(path)
    if compare:
        oracle.require()
        if model.kind != "tflite":
            raise ToolError(f"{path} is a .tflm; --compare needs the .tflite it was made from")
    labels = labels_of_model(model)
    examples = load(data, model.inputs, model.outputs, limit, labels, pixels)
    if device is None:
        if scheduler is None:
            most = os.cpu_count() if task_pool.has_joblib() else 1
            jobs = min(jobs or most or 1, len(examples.runs))
        device = Processes(jobs, scheduler)
    result = device.invoke(
        model, examples.runs, custom=custom, reset=True, progress=progress, timeout=timeout
    )
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
    if compare:
        try:
            found.comparison = _compare(model, examples, outputs, timeout)
        except oracle.OracleError as error:
            found.notes.append(f"nothing to compare with: {error}")
    return found


def labels_of_model(model):
    """Names of the classes, where a ModelFile has them."""
    graph = TfliteModel(model.data) if model.kind == "tflite" else FlatModel(model.data)
    return labels_of(model.data, graph.metadata())


# Output 0 of every example, as real values: [count, elements].
def _values(examples, outputs, info):
    rows = [dequantize(output[0], info).reshape(examples.batch, -1) for output in outputs]
    return np.concatenate(rows)[: examples.count].astype(np.float64)


def score(examples, outputs, info):
    """The Score of the outputs of all runs of a DataSet; info: the TensorInfo of output 0."""
    values = _values(examples, outputs, info)
    if examples.labels is None:
        errors = np.abs(values - examples.values.reshape(values.shape))
        return Score(mean_error=float(errors.mean()), worst_error=float(errors.max()))
    if values.shape[1] == 1:  # the probability of class 1
        classes, found = 2, (values[:, 0] > 0.5).astype(np.int64)
    else:
        classes, found = values.shape[1], values.argmax(1)
    return score_of_classes(examples.labels, found, classes)


def score_of_classes(wanted, found, classes):
    """The Score of so many classes: those that are wanted, and those that were found."""
    if not len(wanted):
        return Score()
    confusion = np.zeros((classes, classes), np.int64)
    np.add.at(confusion, (wanted, found), 1)
    right = int(np.trace(confusion))
    return Score(right / len(wanted), right, confusion.tolist())


# The same data in TFLM's wheel.
def _compare(model, examples, outputs, timeout):
    theirs, times = [], []
    for at in range(0, len(examples.runs), _ORACLE_CHUNK):
        chunk = examples.runs[at : at + _ORACLE_CHUNK]
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
