# tflm_tools: examples: chooses the examples for quantization and for measuring accuracy
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from dataclasses import replace

import numpy as np

from ..measure import dataset
from ..measure.class_order import check_count, note_on_labels
from ..measure.examples import ReadExamples

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
    order: the ClassOrder of classes with names, else None. notes: sentences about values that look
    wrong, and about a class order that cannot be right, which leaves `scored` None.
    options: ReadOptions; `limit` is the maximum number of examples for quantization. Raises
    ToolError.
    """

    def __init__(self, data, inputs, outputs, options):
        limit = options.limit
        found, name = ReadExamples(data), "the data"
        if not isinstance(data, dict):
            every = replace(options, limit=max(limit, _MAX_SCORED), with_targets=False)
            found, name = dataset.read(data, inputs, outputs, every), str(data)
        arrays, self.order = found.arrays, found.order
        unclear = check_count(self.order, outputs)
        if unclear:
            arrays = {key: array for key, array in arrays.items() if key != "y"}
            self.order = None

        def load(arrays):
            return dataset.from_arrays(arrays, inputs, outputs, with_targets=False, name=name)

        whole = load(arrays)
        chosen = choose(whole.count, limit, whole.labels)
        self.taken = load(_selected(arrays, chosen))
        self.available = whole.count
        self.classes = _classes(whole.labels, chosen)
        # `pixels` fixes the range of the values.
        self.notes = found.notes + ([] if options.pixels else whole.notes)
        if unclear:
            self.notes.append(f"accuracy was not measured: {unclear}")
        self.notes += filter(None, [note_on_labels(self.order, options.labels)])
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
