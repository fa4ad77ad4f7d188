# tflm_tools: examples: those that represent a data set, and those that accuracy is measured over
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter

import numpy as np

from ..measure import dataset

_SCORED = 1000  # examples that accuracy is measured over, at most


# `count` of some numbers, evenly from the first to the last.
def _evenly(numbers, count):
    return [numbers[i * len(numbers) // count] for i in range(count)]


def choose(count, limit, labels=None):
    """The numbers of at most `limit` of `count` examples, in their order.

    labels: the class of each, or None. All classes give the same number of examples, as far as
    they have them; within a class, and without classes, they are taken evenly from first to last.
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


# Some examples of all arrays.
def _part(arrays, numbers):
    return {key: np.asarray(array)[numbers] for key, array in arrays.items()}


class Examples:
    """A data set in two parts, each a DataSet.

    taken: what represents it; of `available` examples. classes: (class, taken, available) of each,
    where y holds classes. scored: what accuracy is measured over, None without y; `scored_arrays`
    are the arrays of that. notes: what looks odd. Raises ToolError.
    """

    def __init__(self, data, inputs, outputs, limit, pixels=None):
        arrays, name = data, "the data"
        if not isinstance(data, dict):
            most = max(limit, _SCORED)
            arrays = dataset.read(data, inputs, (), pixels, most, with_targets=False)
            name = str(data)

        def load(arrays):
            return dataset.load(arrays, inputs, outputs, with_targets=False, name=name)

        whole = load(arrays)
        chosen = choose(whole.count, limit, whole.labels)
        self.taken = load(_part(arrays, chosen))
        self.available = whole.count
        self.classes = _classes(whole.labels, chosen)
        self.notes = [] if pixels else whole.notes  # of values that were asked for
        self.scored = None
        if "y" in arrays:
            numbers = choose(whole.count, _SCORED, whole.labels)
            self.scored_arrays = _part(arrays, numbers)
            self.scored = load(self.scored_arrays)


# How many were taken of each class, and of how many.
def _classes(labels, chosen):
    if labels is None:
        return []
    taken, available = Counter(labels[chosen].tolist()), Counter(labels.tolist())
    return [(each, taken[each], available[each]) for each in sorted(available)]
