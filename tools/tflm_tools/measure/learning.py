# tflm_tools: learning: teaches classes to a Learner on the host from a few examples of a data set
# MIT license; Copyright (c) 2026 the tflm authors

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .. import files
from ..errors import ToolError
from ..flat.features import LAST, METHODS
from ..flat.flatten import flatten
from ..model.flat_file import FlatFile
from ..model.labels import labels_of_model
from ..model.model_file import open_model
from ..port import unix_port
from ..render.common import Shown
from .dataset import load
from .evaluation import Score, score_of_classes
from .examples import ReadOptions

_MAX_CLASSES = 255  # of a Learner


@dataclass
class Learning(Shown):
    """The result of `tflm learn`; sizes are in bytes.

    features: how many numbers the Learner gets for an input. taught: number of examples for
    teaching. count: number of examples for testing. threshold: with one class, the distance from
    which an input counts as unlike the class; unusual: how many of the test examples are unlike.
    """

    _shown = ("learning", "print_learning")

    model: str
    data: str
    method: str
    features: int
    labels: list[str]
    taught: int
    count: int
    score: Score
    threshold: int | None
    unusual: int
    arena_bytes: int
    flat_bytes: int
    output: str
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class LearnOptions:
    """How learn() teaches and tests a Learner.

    feature: the tensor that the Learner gets (flat/features.py); from a .tflm it gets the tensor
    that the model keeps, or the output. method: one of METHODS. per_class: number of examples of
    each class that are taught, the first ones in the data; all others are predicted. k: number of
    neighbours. test: other data to predict; then all data is taught. target, pixels: as for
    flatten and run. timeout: seconds.
    """

    feature: str = LAST
    method: str = "prototypes"
    per_class: int = 5
    k: int = 3
    test: str | dict | None = None
    target: str | None = None
    pixels: tuple[float, float] | None = None
    timeout: float | None = None

    def check(self):
        """Raise ToolError for an unknown method."""
        if self.method not in METHODS:
            names = ", ".join(METHODS)
            raise ToolError(f"there is no method {self.method!r}; take one of: {names}")


def learn(path, data, output=None, examples=None, **options):
    """Teach a Learner in the unix port, and predict the other examples; return a Learning.

    data: as for `tflm eval`, with classes of any number. output: the .tflm to write, with network
    and classifier. examples: the file to write for Learner.load() on a board. options: the fields
    of LearnOptions. A board gives the same answers bit for bit. Raises TflmError.
    """
    options = LearnOptions(**options)
    options.check()
    test, pixels = options.test, options.pixels
    files.check_outputs((output, examples), path, data, test)
    model = open_model(path)
    flat = model.data
    if model.kind == "tflite":
        flat = flatten(model.data, features=(options.feature,), target=options.target)
    names = labels_of_model(model)
    taught = _examples(data, model, names, pixels)
    asked = _examples(test, model, names, pixels) if test else taught
    first, rest = _split(taught.labels, None if test else options.per_class)
    if test:
        rest = np.arange(asked.count)
    classes = np.unique(taught.labels[first])
    rest = rest[np.isin(asked.labels[rest], classes)] if len(classes) > 1 else rest
    _check(data, classes, rest, test)
    folders = taught.order.names if taught.order else {}
    labels = [folders.get(c, str(c)) for c in classes.tolist()]
    runs = [taught.runs[i] for i in first] + [asked.runs[i] for i in rest]
    numbers = np.searchsorted(classes, taught.labels[first])
    answer, flat, kept = _teach(flat, runs, numbers, labels, options)
    for written, content in ((output, flat), (examples, kept)):
        if written:
            files.write(written, content)
    wanted = np.searchsorted(classes, asked.labels[rest]) if len(classes) > 1 else []
    return Learning(
        model=str(path),
        data="arrays" if isinstance(data, dict) else str(data),
        method=options.method,
        features=answer["features"],
        labels=labels,
        taught=len(first),
        count=len(rest),
        score=score_of_classes(np.array(wanted), np.array(answer["predicted"]), len(classes)),
        threshold=answer["threshold"],
        unusual=answer["unusual"],
        arena_bytes=FlatFile(flat).arena_bytes,
        flat_bytes=len(flat),
        output=str(output or ""),
        notes=taught.notes,
    )


def _examples(data, model, names, pixels):
    if len(model.inputs) != 1:
        raise ToolError(
            f"the model has {len(model.inputs)} inputs, a Learner supports one; use another model"
        )
    found = load(data, model.inputs, None, ReadOptions(tuple(names), pixels=pixels))
    if found.batch != 1:
        raise ToolError(
            f"the model has a batch of {found.batch}, a Learner supports a batch of 1; use "
            "another model"
        )
    return found


# (numbers of the examples to teach, numbers of the others). The examples to teach alternate
# between the classes.
def _split(labels, per_class):
    found = [np.flatnonzero(labels == c)[:per_class] for c in np.unique(labels)]
    longest = max(len(numbers) for numbers in found)
    first = [numbers[i] for i in range(longest) for numbers in found if i < len(numbers)]
    return np.array(first), np.setdiff1d(np.arange(len(labels)), first)


def _check(data, classes, rest, test):
    if len(classes) > _MAX_CLASSES:
        raise ToolError(
            f"{data} has {len(classes)} classes, a Learner supports {_MAX_CLASSES}; leave some out"
        )
    if not len(rest):
        what = f"{test} has no example of these classes" if test else "no example is left to test"
        raise ToolError(f"{what}; teach fewer with --per-class, or give --test")


# Run device/learn.py; returns (its answer, the .tflm, the file of examples).
def _teach(flat, runs, numbers, labels, options):
    with tempfile.TemporaryDirectory(prefix="tflm-") as name:
        folder = Path(name)
        (folder / "model").write_bytes(flat)
        (folder / "inputs").write_bytes(b"".join(run[0].tobytes() for run in runs))
        job = {
            "model": str(folder / "model"),
            "inputs": str(folder / "inputs"),
            "numbers": numbers.tolist(),
            "labels": labels,
            "count": len(runs) - len(numbers),
            "method": options.method,
            "k": options.k,
            "examples": str(folder / "examples"),
            "output": str(folder / "output"),
        }
        limit = options.timeout or unix_port.DEFAULT_TIMEOUT
        answer = unix_port.run_script("learn", job, folder, unix_port.DEFAULT_HEAP, limit)
        return answer, (folder / "output").read_bytes(), (folder / "examples").read_bytes()
