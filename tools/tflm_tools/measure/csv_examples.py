# tflm_tools: csv_examples: reads a .csv as examples of a data set: a row for each, or for a sample
# MIT license; Copyright (c) 2026 the tflm authors

import re
from dataclasses import dataclass
from math import prod

import numpy as np

from ..errors import ToolError
from ..model import media
from ..model.csv_table import read_table, shown
from .class_order import values_of_one

# Names of a first column that is no input: a time stamp, or the row numbers of pandas.
_EXTRA = re.compile(r"(time|date|stamp|millis|index|unnamed|ms\b|id\b|t\b|$)", re.IGNORECASE)


@dataclass
class CsvExamples:
    """x: [example, *shape of one]. y: words or numbers, one or more for each example, or None.

    is_class: True if y are classes. notes: what was left out of the file.
    """

    x: np.ndarray
    y: np.ndarray | list[str] | None
    is_class: bool
    notes: list[str]


def read_examples(path, info, outputs=None, with_targets=True):
    """Return the CsvExamples of a .csv for an input (TensorInfo).

    A row holds all numbers of the input and then the target: a class as a number or a word, or the
    values of output 0. A column of words may be anywhere. Or a row holds one sample of a window,
    such as three axes, and the class; then rows that follow each other in the same class are cut
    into windows. A first column of times or row numbers is left out if it does not fit.

    outputs: the TensorInfo of each output, None if every number is a class. with_targets: False if
    the targets may be missing. Raises ToolError.
    """
    table = read_table(path)
    reader = _Reader(table, info, outputs, with_targets)
    columns = [*range(table.width)]
    found = reader.read(columns, None)
    if found is None and len(columns) > 1 and _is_extra(table):
        found = reader.read(columns[1:], 0)
    if found is None:
        raise ToolError(reader.reason())
    return found


# True if the first column is none of the input's: times, or row numbers.
def _is_extra(table):
    if table.header:
        return bool(_EXTRA.match(table.header[0]))
    return table.is_words(0)


def windows_of(table, info):
    """Return the windows in a CsvTable of one class, which holds a recording: [window, *shape].

    None if its rows are no samples of the input.
    """
    columns = [*range(table.width)]
    for chosen, clock in ((columns, None), (columns[1:], 0)):
        if clock == 0 and (not chosen or not _is_extra(table)):
            break
        length = _window(info, len(chosen))
        if length and len(table.rows) >= length:
            return _cut(table.numbers(chosen), [(0, len(table.rows))], length, info)
    return None


# The number of rows of a window whose rows have `width` numbers, 0 if there is none.
def _window(info, width):
    if info.block:
        axes = getattr(info.block.settings, "axes", 0)
        return info.block.settings.length if width == axes else 0
    sizes = [size for size in media.of_one(info.shape) if size > 1]
    if len(sizes) > 1:
        return sizes[0] if width == prod(sizes[1:]) else 0
    return sizes[0] // width if sizes and width and sizes[0] % width == 0 else 0


# Windows of `length` rows in each range of rows; the rest of a range is left out.
def _cut(rows, ranges, length, info):
    starts = [at for first, last in ranges for at in range(first, last - length + 1, length)]
    return as_inputs(np.array([rows[at : at + length].reshape(-1) for at in starts]), info)


def as_inputs(rows, info):
    """Return rows of numbers as inputs; of samples, if the input has a FeatureBlock."""
    if info.block:
        rows = np.stack([info.block.features_of(row, info) for row in rows])
    return rows.reshape(-1, *media.of_one(info.shape))


class _Reader:
    """Reads a CsvTable with some of its columns."""

    def __init__(self, table, info, outputs, with_targets):
        self.table, self.info, self.with_targets = table, info, with_targets
        self.elements = info.block.samples if info.block else prod(info.shape)
        self.outputs = values_of_one(outputs[0]) if outputs else 0  # 0: y must be classes

    def read(self, columns, clock):
        """Return the CsvExamples of these columns, None if their number does not fit.

        clock: a column of times or row numbers, or None.
        """
        table = self.table
        names = [column for column in columns if table.is_words(column)]
        if len(names) > 1:
            return None
        if names:
            numbers = [column for column in columns if column != names[0]]
            return self._with_classes(numbers, table.words(names[0]), clock)
        width = len(columns)
        if not self.with_targets and width == self.elements:
            return CsvExamples(self._rows(columns), None, True, [])
        if width == self.elements + 1:
            y, is_class = self._targets(columns[-1])
            return CsvExamples(self._rows(columns[:-1]), y, is_class, [])
        if self.outputs > 1 and width == self.elements + self.outputs:
            x, y = self._rows(columns[: self.elements]), table.numbers(columns[self.elements :])
            return CsvExamples(x, y, False, [])
        if _window(self.info, width - 1):
            return self._windows(columns[:-1], self._classes(columns[-1]), clock)
        if not self.with_targets and _window(self.info, width):
            return self._windows(columns, None, clock)
        return None

    def _rows(self, columns):
        return as_inputs(self.table.numbers(columns), self.info)

    def _with_classes(self, columns, words, clock):
        if len(columns) == self.elements:
            return CsvExamples(self._rows(columns), words, True, [])
        if _window(self.info, len(columns)):
            return self._windows(columns, words, clock)
        return None

    # (the numbers of the last column, True if they are classes).
    def _targets(self, column):
        values = self.table.numbers([column])[:, 0]
        if self.outputs == 1 and not np.isin(values, (0, 1)).all():
            return values, False
        return self._classes(column), True

    # The numbers of a column of classes.
    def _classes(self, column):
        values = self.table.numbers([column])[:, 0]
        wrong = np.flatnonzero(values != np.round(values))
        if len(wrong):
            at, table = wrong[0], self.table
            remedy = "write whole numbers or words there"
            if self.outputs > 1:
                remedy += f", or the {self.outputs} values of the output"
            raise ToolError(
                f"{table.path}: line {table.lines[at]}, {table.name(column)} is "
                f"{shown(table.rows[at][column])}, which is not a class; {remedy}"
            )
        return values.astype(np.int64)

    # Windows of consecutive rows of one class; a time that goes back begins another recording.
    def _windows(self, columns, classes, clock):
        table = self.table
        length, count = _window(self.info, len(columns)), len(table.rows)
        labels = [0] * count if classes is None else [*classes]
        times = None
        if clock is not None and not table.is_words(clock):
            times = table.numbers([clock])[:, 0]
        ends = [
            i
            for i in range(1, count)
            if labels[i] != labels[i - 1] or (times is not None and times[i] < times[i - 1])
        ]
        ranges = [*zip([0, *ends], [*ends, count], strict=True)]
        longest = max(last - first for first, last in ranges)
        if longest < length:
            raise ToolError(
                f"{self.reason()}; windows of {length} rows need as many rows of a class one "
                f"after the other, this file has at most {longest}"
            )
        x = _cut(table.numbers(columns), ranges, length, self.info)
        y = None
        if classes is not None:
            y = [labels[first] for first, last in ranges for _ in range((last - first) // length)]
            y = y if isinstance(y[0], str) else np.array(y)
        left = count - len(x) * length
        note = f"{table.path}: {len(x)} windows of {length} rows"
        note += f"; {left} rows at ends of recordings were left out" if left else ""
        return CsvExamples(x, y, True, [note])

    def reason(self):
        """Return the error for a table that does not fit."""
        table, info = self.table, self.info
        text = f"{table.path} has {table.description()}"
        words = [column for column in range(table.width) if table.is_words(column)]
        if words:
            first = shown(table.rows[0][words[0]])
            text += f", {table.name(words[0])} has words like {first}"
        if len(words) > 1:
            text += f", {table.name(words[1])}, too"
        text += f"; input '{info.name}' has {self.elements} numbers: write these and the "
        text += "class in each row"
        sizes = [size for size in media.of_one(info.shape) if size > 1]
        if info.block:
            sizes = [info.block.settings.length, getattr(info.block.settings, "axes", 1)]
        if len(sizes) > 1:
            text += f", or {prod(sizes[1:])} numbers of a sample and the class, for windows of "
            text += f"{sizes[0]} rows"
        return text
