# tflm_tools: profile_file: reads times of operators from the CSV of a bench or of TFLM's profiler
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
import math
from dataclasses import dataclass

from .. import files
from ..errors import ToolError


@dataclass
class ProfileRow:
    """Time of an operator; `op` is its number, or the number of the event if that is all known."""

    op: int
    name: str
    us: float
    share: float
    cycles: float | None = None


# The columns with number, name, time and cycles, of `tflm bench --per-op` and of TFLM.
_OURS = ("op", "name", "us", "cycles")
_TFLM = ("Event", "Tag", "Ticks", None)


def read_profile(path):
    """Read a CSV; returns a list of ProfileRow for the first model in it.

    Raises ToolError for any other file.
    """
    try:
        text = files.read(path).decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text), strict=True))
    except (UnicodeDecodeError, csv.Error):
        rows = []
    columns = next((c for c in (_OURS, _TFLM) if rows and set(c[:3]) <= set(rows[0])), None)
    if columns is None:
        raise ToolError(
            f"{path} is not a profile; write one with: tflm bench MODEL --per-op --csv FILE"
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
