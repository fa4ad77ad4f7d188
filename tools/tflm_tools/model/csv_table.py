# tflm_tools: csv_table: reads a .csv with any separator, a header and columns of words
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
from dataclasses import dataclass

import numpy as np

from .. import files
from ..errors import ToolError

_MAX_BYTES = 1 << 28
_SEPARATORS = {";": "semicolons", "\t": "tabs", ",": "commas"}
_MAX_SHOWN = 24  # characters of a value in a message
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # how Windows marks such a file


@dataclass
class CsvTable:
    """The rows of a .csv as words; all rows have the same number of columns.

    header: the names of the columns, or []. lines: the line of each row in the file,
    starting at 1. separator: between the columns; after another one than a comma, 1,5 is 1.5.
    """

    path: str
    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    separator: str

    @property
    def width(self):
        """Number of columns."""
        return len(self.rows[0])

    def number(self, word):
        """Return the number that a word is, None if it is none."""
        try:
            return float(word if self.separator == "," else word.replace(",", "."))
        except ValueError:
            return None

    def is_words(self, column):
        """Return True if most values of a column are no numbers."""
        words = [row[column] for row in self.rows]
        return sum(self.number(word) is None for word in words) * 2 > len(words)

    def words(self, column):
        """Return the values of a column without spaces around them."""
        return [row[column].strip() for row in self.rows]

    def numbers(self, columns):
        """Return columns as float64 [row, column]. Raises ToolError for a value that is none."""
        found = np.empty((len(self.rows), len(columns)))
        for i, row in enumerate(self.rows):
            for k, column in enumerate(columns):
                number = self.number(row[column])
                if number is None:
                    raise ToolError(
                        f"{self.path}: line {self.lines[i]}, {self.name(column)} is "
                        f"{shown(row[column])}, not a number; correct or remove the line"
                    )
                found[i, k] = number
        return found

    def name(self, column):
        """Return a column in words: its number from 1 on, and its name in the header."""
        text = self.header[column] if self.header else ""
        return f"column {column + 1}" + (f" ({text})" if text else "")

    def description(self):
        """Return in words what the file has."""
        rows = f"{len(self.rows)} row{'' if len(self.rows) == 1 else 's'}"
        separators = _SEPARATORS.get(self.separator, "separators")
        return f"{rows} of {self.width} columns between {separators}"


def shown(word):
    """Return a value of a table for a message."""
    return repr(word if len(word) <= _MAX_SHOWN else word[: _MAX_SHOWN - 1] + "…")


def read_table(path):
    """Return the CsvTable of a file.

    Raises ToolError for a file that cannot be read, and for rows of different length.
    """
    text = _text(path)
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = next((mark for mark in _SEPARATORS if mark in first), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    rows, lines = [], []
    try:
        for row in reader:
            if any(map(str.strip, row)):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise ToolError(f"cannot read {path}: {error}; write numbers with commas") from None
    if len({len(row) for row in rows}) == 1 and not any(row[-1].strip() for row in rows):
        rows = [row[:-1] for row in rows]  # lines that end with a separator
    table = CsvTable(str(path), [], rows, lines, separator)
    if rows and _is_header([table.number(word) for word in rows[0]]):
        table.header = [word.strip() for word in rows.pop(0)]
        del lines[0]
    if not rows:
        raise ToolError(f"{path} holds no numbers; write one row for each example")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != table.width:
            raise ToolError(
                f"{path}: line {line} has {len(row)} columns, line {lines[0]} has {table.width}; "
                "correct the line"
            )
    return table


# True for the numbers of a row that names the columns: none, or 0, 1, 2... and words, as pandas
# writes them.
def _is_header(numbers):
    found = [number for number in numbers if number is not None]
    return len(found) < len(numbers) and found == list(range(len(found)))


def _text(path):
    data = files.read(path, _MAX_BYTES)
    try:
        return data.decode("utf-16" if data[:2] in _UTF_16 else "utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # only the words of the file can differ
