# tflm_tools: examples: chooses the examples for quantization and for measuring accuracy
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter

import numpy as np

from ..measure import dataset

_MAX_SCORED = 1000  # examples for measuring accuracy


# `count` of these numbers, sampled evenly from the first to the last.
def _evenly(numbers, count):
    return [numbers[i * len(numbers) // count] for i in range(count)]


def choose(count, limit, labels=None):
    """Choose at most `limit` of `count` examples. Return their numbers in ascending order.

    labels: the class of each example, or None. Classes are balanced where possible. Examples of a
    class, or all examples without classes, are sampled evenly from the first to the last.
    """
    if count <= limit:
        return list(range(count))
    if labels is None:
        return _evenly(range(count), limit)
    members = [np.flatnonzero(labels == each).tolist() for each in np.unique(labels)]
    chosen = []
    for done, numbers in enumerate(sorted(members, key=len)):
        share = (limit - len(chosen)) // (len(members) - done)
        chosen += _evenly(numbers, min(share, len(numbers)))
    return sorted(chosen)


# The examples of these numbers in all arrays.
def _selected(arrays, numbers):
    return {key: np.asarray(array)[numbers] for key, array in arrays.items()}


class Examples:
    """The examples of a data set that `tflm convert` uses.

    taken: a DataSet for quantization, chosen from `available` examples. classes: (class, taken,
    available) of each class, if y holds classes.
    scored: a DataSet for measuring accuracy, None without y; scored_arrays: its arrays.
    notes: sentences about values that look wrong. Raises ToolError.
    """

    def __init__(self, data, inputs, outputs, limit, pixels=None):
        arrays, name = data, "the data"
        if not isinstance(data, dict):
            count = max(limit, _MAX_SCORED)
            arrays = dataset.read(data, inputs, (), pixels, count, with_targets=False)
            name = str(data)

        def load(arrays):
            return dataset.from_arrays(arrays, inputs, outputs, with_targets=False, name=name)

        whole = load(arrays)
        chosen = choose(whole.count, limit, whole.labels)
        self.taken = load(_selected(arrays, chosen))
        self.available = whole.count
        self.classes = _classes(whole.labels, chosen)
        self.notes = [] if pixels else whole.notes  # `pixels` fixes the range of the values
        self.scored = None
        if "y" in arrays:
            numbers = choose(whole.count, _MAX_SCORED, whole.labels)
            self.scored_arrays = _selected(arrays, numbers)
            self.scored = load(self.scored_arrays)


# [(class, number of chosen examples, number of all examples)].
def _classes(labels, chosen):
    if labels is None:
        return []
    taken, available = Counter(labels[chosen].tolist()), Counter(labels.tolist())
    return [(each, taken[each], available[each]) for each in sorted(available)]
