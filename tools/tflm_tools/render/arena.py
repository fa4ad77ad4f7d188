# tflm_tools: render: draws an arena plan as text, with operators from left to right
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text

from .common import UNKNOWN, has_colour, number, shape, show, size, table

_AXIS = 10  # columns of the byte axis
_ROWS = 16
_WIDEST_STEP = 9
_SHADES = ("░", "▒", "▓", "·", "+")
_COLOURS = tuple(f"color(16) on color({code})" for code in (110, 151, 180, 175, 146, 116, 187))
_HATCH = "╱"


def block_shades(blocks, count):
    """Return the number of a shade, below `count`, for each block.

    Two blocks that touch have different shades, if there are enough shades.
    """
    chosen = []
    for i, block in enumerate(blocks):
        taken = {chosen[k] for k in range(i) if _touch(blocks[k], block)}
        free = [shade for shade in range(count) if shade not in taken]
        # Prefer the rarest shade: two blocks of one shade look like parts of one tensor.
        chosen.append(min(free, key=lambda shade: chosen.count(shade)) if free else i % count)
    return chosen


# Blocks touch when they are next to each other in time or in memory.
def _touch(a, b):
    in_time = a.first <= b.last + 1 and b.first <= a.last + 1
    in_memory = a.offset <= b.offset + b.size and b.offset <= a.offset + a.size
    return in_time and in_memory


# The drawing as a raster of (character, style): steps from left to right, bytes upwards.
class _Raster:
    def __init__(self, plan, width, colour):
        self.edges = plan.edges()
        operators = self.edges[-1]
        columns = max(8, width - _AXIS - 1)
        self.step_width = max(1, min(_WIDEST_STEP, columns // operators))
        self._scale = self.step_width / max(1, -(-operators // columns))
        # Buffers begin at multiples of 16 bytes. If rows do too, small plans are drawn exactly.
        self.row_bytes = max(16, -(-plan.head_bytes // (_ROWS * 16)) * 16)
        self.rows = max(1, -(-plan.head_bytes // self.row_bytes))
        self.columns = self.column(len(self.edges) - 2) + self.step_width
        self.cells = [[(" ", "")] * self.columns for _ in range(self.rows)]
        self._owners = [[None] * self.columns for _ in range(self.rows)]  # numbers of blocks
        shades = block_shades(plan.blocks, len(_COLOURS if colour else _SHADES))
        for i, (block, shade) in enumerate(zip(plan.blocks, shades, strict=True)):
            for area in block.areas():
                self._draw(i, block, area, shade, colour)
        for i, block in enumerate(plan.blocks):
            self._label(i, block, colour)

    def column(self, step):
        """Return the first column of a step."""
        return int(self.edges[step] * self._scale)

    # Return the columns (start, stop) of steps first..last.
    def _span(self, first, last):
        stop = self.column(last) + self.step_width
        if self.edges[last + 1] - self.edges[last] < 1:  # a band of a chain
            stop = max(self.column(first) + 1, int(self.edges[last + 1] * self._scale))
        return self.column(first), min(stop, self.columns)

    # Return the rows (start, stop) that bytes low..high-1 cover at least half.
    def _rows_of(self, low, high):
        first = (2 * low + self.row_bytes) // (2 * self.row_bytes)
        last = (2 * high + self.row_bytes) // (2 * self.row_bytes)
        return first, min(last, self.rows)

    def _draw(self, i, block, area, shade, colour):
        low, high, first_step, last_step = area
        start, stop = self._span(first_step, last_step)
        first, last = self._rows_of(low, high)
        style = _COLOURS[shade] if colour else ""
        character = " " if colour else _SHADES[shade]
        if block.kind == "scratch":
            style, character = "dim" if colour else "", _HATCH
        for row in range(first, last):
            self.cells[row][start:stop] = [(character, style)] * (stop - start)
            self._owners[row][start:stop] = [i] * (stop - start)
        if first >= last:  # less than half a row: draw a line, but over no other block
            row = min(low // self.row_bytes, self.rows - 1)
            line = style.split(" on ")[-1]
            for k in range(start, stop):
                if self.cells[row][k][0] == " " and not self.cells[row][k][1]:
                    self.cells[row][k] = ("▁", line)

    # Return the visible pieces of block i: [(row, first column, last column + 1)].
    def _visible(self, i):
        pieces = []
        for row, owners in enumerate(self._owners):
            start = None
            for k, owner in enumerate([*owners, None]):
                if owner == i and start is None:
                    start = k
                elif owner != i and start is not None:
                    pieces.append((row, start, k))
                    start = None
        return pieces

    # Write the letter of a block, and its size if that fits, into the widest visible piece.
    def _label(self, i, block, colour):
        text = f" {block.label} {size(block.size)} "
        pieces = self._visible(i) if block.label else []
        # All pieces that hold the whole text are equally good: take the middle one of them.
        widths = [min(stop - start, len(text) + 2) for _, start, stop in pieces]
        pieces = [each for each, width in zip(pieces, widths, strict=True) if width == max(widths)]
        if not pieces:
            return
        row, start, stop = pieces[(len(pieces) - 1) // 2]
        if len(text) > stop - start - 2:
            text = f" {block.label} " if stop - start >= len(block.label) + 4 else block.label
        if len(text) > stop - start:
            return
        at = start + (stop - start - len(text)) // 2
        style = self.cells[row][start][1]
        for k, character in enumerate(text):
            bold = "bold " if colour and character == block.label else ""
            self.cells[row][at + k] = (character, bold + style)


def draw_plan(plan, target):
    """Return the drawing of a Plan as lines of Text for the console `target`."""
    if not plan.blocks:
        return [Text("The plan is empty: no tensor of this model is in the arena.")]
    raster = _Raster(plan, target.width, has_colour(target))
    lines = []
    for row in reversed(range(raster.rows)):
        line = Text(_tick(row, raster, plan), style="dim")
        for character, style in raster.cells[row]:
            line.append(character, style=style or "default")
        lines.append(line)
    lines.append(Text(f"{'0':>{_AXIS - 2}} └" + "─" * raster.columns, style="dim"))
    lines.append(_step_numbers(raster, plan))
    if plan.peak_op is not None:
        lines.append(_peak(raster, plan, target.width))
    return lines


# Return the label of a row on the byte axis: the top row and each fourth row have a number.
def _tick(row, raster, plan):
    top = (row + 1) * raster.row_bytes
    if row == raster.rows - 1:
        return f"{number(plan.head_bytes):>{_AXIS - 2}} ┤"
    if (row + 1) % 4 == 0 and raster.rows - row > 2:
        return f"{number(top):>{_AXIS - 2}} ┤"
    return " " * (_AXIS - 1) + "│"


# Return the line with the operators' numbers below their columns, omitting numbers that overlap.
def _step_numbers(raster, plan):
    cells = [" "] * (_AXIS + raster.columns + 4)
    free_from = 0
    for i, column in enumerate(plan.columns()):
        text = column.label
        start, stop = raster.column(column.first), raster.column(column.last) + raster.step_width
        at = max(0, _AXIS + start + (min(stop, raster.columns) - start - len(text)) // 2)
        wanted = raster.step_width >= 3 or column.bands or i == 0 or (i - 1) % 5 == 0
        if wanted and at >= free_from:
            cells[at : at + len(text)] = text
            free_from = at + len(text) + 1
    cells[:6] = "    op"
    return Text("".join(cells).rstrip(), style="dim")


# Return the line that marks the operator with the most bytes in use.
def _peak(raster, plan, width):
    op = plan.peak_op
    at = _AXIS + raster.column(op + 1) + raster.step_width // 2
    text = f"peak: op {plan.number(op)} {plan.ops[op]}, {number(plan.live_bytes(op))} bytes in use"
    if at + 2 + len(text) <= width:
        return Text(" " * at + "▲ " + text, style="bold")
    return Text(f"{text} ▲".rjust(at + 1), style="bold")


def block_ops(plan, block):
    """Return the numbers of the operators that use a block as a text: "0–2"."""
    chain = next((c for c in plan.chains if c[0] <= block.first and block.last <= c[1]), None)
    if chain is not None:
        return "in bands"
    steps = range(max(block.first - 1, 0), block.last)
    # The step that sets the inputs of a sub-graph has no operator.
    numbers = ["in"] * (not block.first) + [n for n in map(plan.number, steps) if n]
    if not numbers:
        return UNKNOWN
    return f"{numbers[0]}–{numbers[-1]}" if len(numbers) > 1 else numbers[0]


def plan_legend(plan):
    """Return a table that explains each letter of the drawing."""
    result = table("block", "written by", "shape", "type", ">bytes", ">offset", ">ops")
    for block in plan.blocks:
        writer = "input"
        if block.first:
            writer = f"{plan.number(block.first - 1)} {plan.ops[block.first - 1]}".strip()
        used = block_ops(plan, block)
        if block.kind == "scratch":
            result.add_row(_HATCH, f"{writer} scratch", "", "", number(block.size),
                           number(block.offset), used)  # fmt: skip
        else:
            result.add_row(block.label, writer, shape(block.shape), block.dtype,
                           number(block.size), number(block.offset), used)  # fmt: skip
    return result


# Return numbers and names of the operators in lines of `width`; a number stays with its name.
def _op_names(plan, width):
    lines = [""]
    for column in plan.columns()[1:]:
        text = f"{column.label} {column.name}".strip()
        if lines[-1] and len(lines[-1]) + 2 + len(text) > width:
            lines.append("")
        lines[-1] += ("  " if lines[-1] else "") + text
    return lines


def print_plan(plan, target, legend=True):
    """Print a Plan; legend: add a table of the blocks, otherwise a list of the operators."""
    for line in draw_plan(plan, target):
        target.print(line, no_wrap=True, crop=False)
    if legend:
        grid = plan_legend(plan)
        show(grid, target, "written by", "shape", "type")
        return
    target.print()
    for line in _op_names(plan, target.width - _AXIS - 1):
        target.print(Text(" " * _AXIS + line, style="dim"))
