# tflm_tools: class_order: finds the output of a model that each class of a data set has
# MIT license; Copyright (c) 2026 the tflm authors

import re
import shlex
from dataclasses import dataclass

import numpy as np

from ..errors import ToolError

LABELS, NUMBERS, ALPHABETICAL = "labels of the model", "numbers of the outputs", "alphabetical"
GIVEN = "--labels"
_MAX_SHOWN = 12  # names in a message
# A matrix is a permutation if this share of all examples, and half of each class, is in one
# column for each class, and few examples of the moved classes are in their own.
_CLEAR, _OF_CLASS, _OWN = 0.6, 0.5, 1 / 3
_MIN_EXAMPLES = 2  # of a class


@dataclass
class ClassOrder:
    """Which output of a model each class of a data set has.

    names: {number of the output: name of the class}. source: what says so: LABELS, GIVEN, NUMBERS,
    or ALPHABETICAL if nothing does.
    """

    names: dict[int, str]
    source: str

    def is_guess(self):
        """Return True if nothing says that the order is right."""
        return self.source == ALPHABETICAL

    def described(self):
        """Return the numbers and names in words: "0 circle, 1 idle"."""
        return listed([f"{number} {name}" for number, name in sorted(self.names.items())])


def listed(words):
    """Return words for a sentence, at most the first _MAX_SHOWN of them."""
    rest = len(words) - _MAX_SHOWN
    return ", ".join(words[:_MAX_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


# Names that differ only in case or in marks between words are the same.
def _folded(name):
    return re.sub(r"[\s_-]+", " ", name).strip().casefold()


def order_of(names, labels, source=LABELS):
    """Return {name: number of its class} and the ClassOrder for the names of a data set.

    labels: the names of the model's outputs, or []. source: where they come from, LABELS or GIVEN.
    Names are compared without regard to case. Raises ToolError if labels have some of the names
    only, or if they were given and lack one.
    """
    names = sorted(set(names))
    exact = {label: i for i, label in reversed([*enumerate(labels)])}
    folded = {_folded(label): i for label, i in reversed(exact.items())}
    numbers = {name: exact.get(name, folded.get(_folded(name))) for name in names}
    unknown = [name for name in names if numbers[name] is None]
    if not unknown:
        return numbers, _order(numbers, labels, source)
    if source == GIVEN or (len(unknown) < len(names) and not all(map(str.isdecimal, names))):
        raise ToolError(
            f"{listed(unknown)}: not among the {source}, {listed([*labels])}; rename "
            f"{'this class' if len(unknown) == 1 else 'these classes'}, or correct --labels"
        )
    if all(map(str.isdecimal, names)):
        return {name: int(name) for name in names}, ClassOrder(
            {int(name): labels[int(name)] if int(name) < len(labels) else name for name in names},
            NUMBERS,
        )
    numbers = {name: i for i, name in enumerate(names)}
    return numbers, ClassOrder({i: name for name, i in numbers.items()}, ALPHABETICAL)


def _order(numbers, labels, source):
    return ClassOrder({i: labels[i] for i in sorted(numbers.values())}, source)


def note_on_labels(order, labels):
    """Return a note if a model has labels and the data set has none of them, else ""."""
    if order is None or not labels or not order.is_guess():
        return ""
    return (
        f"the model's labels are {listed([*labels])}; the data have none of them, so their "
        "classes count in alphabetical order; rename them, or give --labels"
    )


def values_of_one(output):
    """Return the number of values that an output (TensorInfo) has for one example."""
    batch = output.shape[0] if output.shape else 1
    return output.bytes // output.numpy_dtype().itemsize // max(batch, 1)


def check_count(order, outputs):
    """Return why a guessed order cannot be right, "" if it can.

    order: a ClassOrder or None. outputs: the TensorInfo of each output of the model.
    """
    if order is None or not order.is_guess() or not outputs:
        return ""
    classes = max(2, values_of_one(outputs[0]))
    if len(order.names) == classes:
        return ""
    noun = "class" if len(order.names) == 1 else "classes"
    return (
        f"the data have {len(order.names)} {noun} ({listed([*order.names.values()])}), the model "
        f"has {classes}; give --labels the names of all its outputs in their order"
    )


def permutation(confusion):
    """Return [output of each class] if a confusion matrix is right in another order, else None.

    The classes that are in the wrong place must have each other's outputs.
    """
    matrix = np.array(confusion)
    if not matrix.size:
        return None
    classes = np.arange(len(matrix))
    totals, outputs = matrix.sum(1), matrix.argmax(1)
    outputs = np.where(totals, outputs, classes)
    moved = outputs != classes
    if not moved.any() or sorted(outputs) != classes.tolist():
        return None
    right = matrix[classes, outputs]
    if (totals[moved] < _MIN_EXAMPLES).any() or (right[moved] < totals[moved] * _OF_CLASS).any():
        return None
    if right.sum() < _CLEAR * totals.sum():
        return None
    own = matrix.diagonal()[moved].sum()
    return outputs.tolist() if own <= _OWN * right[moved].sum() else None


def wrong_order(confusion, order, labels):
    """Return the sentence about a confusion matrix that is a permutation, "" for another one.

    order: the ClassOrder of the data set, None if y has numbers. labels: names of the outputs.
    """
    outputs = permutation(confusion)
    if outputs is None:
        return ""
    names = dict(enumerate(labels)) | (order.names if order else {})
    matrix = np.array(confusion)
    share = matrix[np.arange(len(matrix)), outputs].sum() / matrix.sum()
    moved = [f"{names.get(i, i)} is output {k}, not {i}" for i, k in enumerate(outputs) if i != k]
    text = f"the classes are in another order than the outputs of the model: {listed(moved)} "
    text += f"({share:.0%} of the examples are right then); "
    if order is None:
        return text + "renumber y"
    right = {k: names.get(i, str(i)) for i, k in enumerate(outputs)}
    return text + "give --labels " + shlex.quote(",".join(right[k] for k in sorted(right)))
