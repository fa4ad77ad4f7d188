# tflm_tools: reads times of operators from CSV: of `tflm bench --per-op`, or of a Profiler
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
import math
from dataclasses import dataclass

from .. import files
from ..errors import ToolError


@dataclass
class ProfileRow:
    """Time of an operator; `op` is its number, or the event's where nothing else is known."""

    op: int
    name: str
    us: float
    share: float
    cycles: float | None = None


# The columns that hold number, name, time and cycles, by the first line of the file.
_OURS = ("op", "name", "us", "cycles")
_TFLM = ("Event", "Tag", "Ticks", None)


def read_profile(path):
    """A list of ProfileRow, of the first model in the file. Raises ToolError for what is none."""
    try:
        text = files.read(path).decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text), strict=True))
    except (UnicodeDecodeError, csv.Error):
        rows = []
    columns = next((c for c in (_OURS, _TFLM) if rows and set(c[:3]) <= set(rows[0])), None)
    if columns is None:
        raise ToolError(
            f"{path} is no profile; write one with: tflm bench MODEL --per-op --csv FILE"
        )
    if rows[0].get("model"):
        rows = [row for row in rows if row.get("model") == rows[0]["model"]]
    number, name, time, cycles = columns
    found = []
    for i, row in enumerate(rows):
        try:
            count = row.get(cycles) if cycles else None
            entry = ProfileRow(
                int(row[number]), row[name], float(row[time]), 0.0, float(count) if count else None
            )
        except (TypeError, ValueError):
            entry = None
        if entry is None or entry.name is None or not (0 <= entry.us < math.inf):
            raise ToolError(f"{path}: line {i + 2} has no number and time; write the file again")
        found.append(entry)
    total = sum(row.us for row in found) or 1.0
    for row in found:
        row.share = row.us / total
    return found
