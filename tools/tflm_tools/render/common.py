# tflm_tools: render: the console, tables and numbers that all output shares
# MIT license; Copyright (c) 2026 the tflm authors

import dataclasses
import io
import json
import math
import re
import sys

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

UNKNOWN = "–"

# Control characters but the end of a line, and marks that turn the direction of writing.
_CONTROL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def printable(text):
    """A text without what commands a terminal: file names and replies of boards may hold that."""
    return _CONTROL.sub("?", text)


# A console that shows what it gets, and obeys nothing of it.
class _Console(Console):
    def render(self, renderable, options=None):
        for segment in super().render(renderable, options):
            if not segment.control and _CONTROL.search(segment.text):
                segment = segment._replace(text=printable(segment.text))
            yield segment


def console(file=None):
    """A console for a file, standard output by default: plain text where that is no terminal."""
    if file is None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal without Unicode shows "?"
    return _Console(file=file, highlight=False, soft_wrap=False, emoji=False, markup=False)


def recorder(columns):
    """A console so wide that prints nowhere; export_html() gives what it got, with colours."""
    return _Console(
        file=io.StringIO(), record=True, width=columns, color_system="truecolor",
        force_terminal=True, highlight=False, emoji=False, markup=False,
    )  # fmt: skip


def said(show, result, columns=76):
    """What a function of this room prints of a result, as a text for a console so wide."""
    text = io.StringIO()
    target = console(text)
    target.width = columns
    show(result, target)
    return text.getvalue()


def has_colour(target):
    """True when a console shows colours."""
    return target.color_system is not None and not target.no_color


def table(*columns):
    """An open table; a column is a name, with ">" before it when numbers stand in it."""
    result = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column in columns:
        right = column.startswith(">")
        result.add_column(
            Text(column.lstrip(">")),
            justify="right" if right else "left",
            no_wrap=True,
            overflow="ellipsis",
        )
    return result


# Characters that a table takes when nothing limits it.
def natural_width(grid, target):
    wide = target.options.update(max_width=10_000)
    return Measurement.get(target, wide, grid).maximum


# Narrow a column by some characters: names end in an ellipsis, sentences go over several lines.
def _narrow(column, excess):
    cells = [str(cell) for cell in column.cells]
    widest = max((Text(cell).cell_len for cell in cells), default=0)
    least = 6
    if any(" " in cell for cell in cells):
        column.no_wrap = False
        least = max((Text(word).cell_len for cell in cells for word in cell.split()), default=6)
    column.max_width = max(least, len(str(column.header)), widest - excess)


def show(grid, target, *columns):
    """Print a table. Where it is too wide the named columns get narrower, in this order.

    No other column is cut, numbers and kernels least of all: the lines are too long then.
    """
    for header in columns:
        excess = natural_width(grid, target) - target.width
        if excess <= 0:
            break
        for column in grid.columns:
            if str(column.header) == header:
                _narrow(column, excess)
    options = target.options
    if (width := natural_width(grid, target)) > target.width:
        options = options.update(width=width)
    for line in target.render_lines(grid, options, pad=False):
        target.print(Segments([*line, Segment.line()]), soft_wrap=True, end="")


def size(count):
    """Bytes in the unit that reads best."""
    if count is None:
        return UNKNOWN
    if count < 1024:
        return f"{count} B"
    if count < 1024 * 1024:
        return f"{count / 1024:.1f} KB"
    return f"{count / 1024 / 1024:.2f} MB"


def number(count):
    """A count with thousands apart; a dash where it is not known."""
    return UNKNOWN if count is None else f"{count:,}".replace(",", " ")


def shape(dimensions):
    """A shape as 1x8x8x16; a scalar is "scalar"."""
    if dimensions is None:
        return UNKNOWN
    return "x".join(map(str, dimensions)) or "scalar"


def microseconds(time):
    """A time in the unit that reads best."""
    if time < 1000:
        return f"{time:.0f} µs"
    if time < 1_000_000:
        return f"{time / 1000:.2f} ms"
    return f"{time / 1_000_000:.2f} s"


def milliseconds(time):
    """An estimated time in the unit that reads best, with two significant digits."""
    if time < 1:
        return f"{float(f'{1000 * time:.2g}'):g} µs"
    if time < 1000:
        return f"{float(f'{time:.2g}'):g} ms"
    return f"{float(f'{time / 1000:.2g}'):g} s"


# Dataclasses as dicts, and as texts what JSON does not know: paths, NaN and infinities.
def _plain(value):
    if dataclasses.is_dataclass(value):
        value = dataclasses.asdict(value)
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)


def print_json(value):
    """A dataclass, a list of them, or plain values as JSON."""
    print(json.dumps(_plain(value), indent=2))


def tensor_type(tensor):
    """The type of a TensorInfo in words."""
    return f"{tensor.dtype} as {tensor.kept.dtype}" if tensor.kept else tensor.dtype
