# tflm_tools: render: console, tables and number formats for all commands
# MIT license; Copyright (c) 2026 the tflm authors

import dataclasses
import io
import json
import math
import re
import sys
from importlib import import_module

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

# The boards of estimated times (optimize/invoke_time.py), in words.
BOARD_NAMES = {
    "pico": "a Pico",
    "pico2": "a Pico 2",
    "esp32": "an ESP32",
    "esp32c3": "an ESP32-C3",
}
UNKNOWN = "–"

_NOTEBOOK_WIDTH = 100
_NOTEBOOK_PAGE = '<pre style="font-family:monospace;line-height:1.2">{code}</pre>'

# Control characters except the end of a line, and marks that change the direction of writing.
_CONTROL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def printable(text):
    """Return a text without control characters, which file names and boards could inject."""
    return _CONTROL.sub("?", text)


# A console that prints control characters of its texts as "?".
class _Console(Console):
    def render(self, renderable, options=None):
        for segment in super().render(renderable, options):
            if not segment.control and _CONTROL.search(segment.text):
                segment = segment._replace(text=printable(segment.text))
            yield segment


def console(file=None):
    """Return a console for a file, standard output by default; no colours without a terminal."""
    if file is None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal without Unicode shows "?"
    return _Console(file=file, highlight=False, soft_wrap=False, emoji=False, markup=False)


def recorder(columns):
    """Return a console of a width that only records; export_html() returns its coloured text."""
    return _Console(
        file=io.StringIO(), record=True, width=columns, color_system="truecolor",
        force_terminal=True, highlight=False, emoji=False, markup=False,
    )  # fmt: skip


def said(show, result, columns=76):
    """Return the text that a function of this package prints for a result, `columns` wide."""
    text = io.StringIO()
    target = console(text)
    target.width = columns
    show(result, target)
    return text.getvalue()


def has_colour(target):
    """Return True if a console shows colours."""
    return target.color_system is not None and not target.no_color


def table(*columns):
    """Return an empty table; a column is its heading, with ">" before it if it holds numbers."""
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


def natural_width(grid, target):
    """Return the width of a table in characters if nothing limits it."""
    wide = target.options.update(max_width=10_000)
    return Measurement.get(target, wide, grid).maximum


# Narrow a column by `excess` characters: sentences are wrapped, names end in an ellipsis.
def _narrow(column, excess):
    cells = [str(cell) for cell in column.cells]
    widest = max((Text(cell).cell_len for cell in cells), default=0)
    least = 6
    if any(" " in cell for cell in cells):
        column.no_wrap = False
        least = max((Text(word).cell_len for cell in cells for word in cell.split()), default=6)
    column.max_width = max(least, len(str(column.header)), widest - excess)


def show(grid, target, *columns):
    """Print a table. If it is too wide, narrow the named columns, in this order.

    Other columns are never cut: if the table is still too wide, its lines are too long.
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
    """Return a number of bytes in B, KB or MB."""
    if count is None:
        return UNKNOWN
    if count < 1024:
        return f"{count} B"
    if count < 1024 * 1024:
        return f"{count / 1024:.1f} KB"
    return f"{count / 1024 / 1024:.2f} MB"


def number(count):
    """Return a count with its thousands separated; a dash for None."""
    return UNKNOWN if count is None else f"{count:,}".replace(",", " ")


def counted(count, noun):
    """Return a count with its noun: "1 operator", "3 operators"."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def shape(dimensions):
    """Return a shape as "1x8x8x16", or "scalar"; a dash for None."""
    if dimensions is None:
        return UNKNOWN
    return "x".join(map(str, dimensions)) or "scalar"


def microseconds(time):
    """Return a time in µs, ms or s."""
    if time < 1000:
        return f"{time:.0f} µs"
    if time < 1_000_000:
        return f"{time / 1000:.2f} ms"
    return f"{time / 1_000_000:.2f} s"


def milliseconds(time):
    """Return an estimated time in µs, ms or s, with two significant digits."""
    if time < 1:
        return f"{float(f'{1000 * time:.2g}'):g} µs"
    if time < 1000:
        return f"{float(f'{time:.2g}'):g} ms"
    return f"{float(f'{time / 1000:.2g}'):g} s"


# Return a value that JSON can hold: dataclasses become dicts; paths, NaN and infinities texts.
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
    """Print a dataclass, a list of dataclasses, or plain values as JSON."""
    print(json.dumps(_plain(value), indent=2))


def tensor_type(tensor):
    """Return the type of a TensorInfo, and the type on the board if it differs."""
    return f"{tensor.dtype} as {tensor.kept.dtype}" if tensor.kept else tensor.dtype


class Shown:
    """Mixin for results, which notebooks then show as the command prints them.

    _shown: (module of this package, its function that prints the result).
    """

    _shown = ("", "")

    def _repr_html_(self):
        file, function = self._shown
        target = recorder(_NOTEBOOK_WIDTH)
        getattr(import_module(f".{file}", __package__), function)(self, target)
        return target.export_html(inline_styles=True, code_format=_NOTEBOOK_PAGE)
