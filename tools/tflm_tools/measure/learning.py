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
from ..render.notebook import Shown
from .dataset import load
from .evaluation import Score, score_of_classes
from .examples import classes_of

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


def learn(path, data, output=None, feature=LAST, method="prototypes", per_class=5, k=3,
          test=None, examples=None, target=None, pixels=None, timeout=None):  # fmt: skip
    """Teach a Learner in the unix port and ask it about what it has not seen: a Learning.

    data: as for `tflm eval`, with classes of any number. feature: the tensor that the Learner
    sees (flat/features.py); of a .tflm the one that it keeps, or its output. per_class: how many
    examples of each class are taught, the first ones in the data; all others are asked for. test:
    other data to ask for; then all of `data` is taught. output: the .tflm with network and head,
    examples: the file for Learner.load() on a board; None writes none. target, pixels: as for
    flatten and run. timeout: seconds. The board's answers are these, bit for bit. Raises
    TflmError.
    """
    if method not in METHODS:
        raise ToolError(f"there is no method {method!r}; take one of: {', '.join(METHODS)}")
    files.check_outputs((output, examples), path, data, test)
    model = open_model(path)
    flat = model.data
    if model.kind == "tflite":
        flat = flatten(model.data, features=(feature,), target=target)
    names = labels_of_model(model)
    taught = _examples(data, model, names, pixels)
    asked = _examples(test, model, names, pixels) if test else taught
    first, rest = _split(taught.labels, None if test else per_class)
    if test:
        rest = np.arange(asked.count)
    classes = np.unique(taught.labels[first])
    rest = rest[np.isin(asked.labels[rest], classes)] if len(classes) > 1 else rest
    _check(data, classes, rest, test)
    folders = classes_of(data, names)
    labels = [folders.get(c, str(c)) for c in classes.tolist()]
    runs = [taught.runs[i] for i in first] + [asked.runs[i] for i in rest]
    numbers = np.searchsorted(classes, taught.labels[first])
    answer, flat, kept = _teach(flat, runs, numbers, labels, method, k, len(rest), timeout)
    for written, content in ((output, flat), (examples, kept)):
        if written:
            files.write(written, content)
    wanted = np.searchsorted(classes, asked.labels[rest]) if len(classes) > 1 else []
    return Learning(
        model=str(path),
        data="arrays" if isinstance(data, dict) else str(data),
        method=method,
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
    found = load(data, model.inputs, None, labels=names, pixels=pixels)
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
def _teach(flat, runs, numbers, labels, method, k, count, timeout):
    with tempfile.TemporaryDirectory(prefix="tflm-") as name:
        folder = Path(name)
        (folder / "model").write_bytes(flat)
        (folder / "inputs").write_bytes(b"".join(run[0].tobytes() for run in runs))
        job = {
            "model": str(folder / "model"),
            "inputs": str(folder / "inputs"),
            "numbers": numbers.tolist(),
            "labels": labels,
            "count": count,
            "method": method,
            "k": k,
            "examples": str(folder / "examples"),
            "output": str(folder / "output"),
        }
        limit = timeout or unix_port.DEFAULT_TIMEOUT
        answer = unix_port.run_script("learn", job, folder, unix_port.DEFAULT_HEAP, limit)
        return answer, (folder / "output").read_bytes(), (folder / "examples").read_bytes()
