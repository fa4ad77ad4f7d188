# tflm_tools: render: the arena plan: operators from left to right, bytes from bottom to top
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text

from .common import has_colour, number, shape, size, table

_AXIS = 10  # columns of the byte axis
_ROWS = 16
_WIDEST_STEP = 9
_SHADES = ("░", "▒", "▓", "·", "+")
_COLOURS = tuple(f"black on color({code})" for code in (110, 151, 180, 175, 146, 116, 187))
_HATCH = "╱"


# Which of `count` shades each block gets: never that of a block it touches.
def block_shades(blocks, count):
    chosen = []
    for i, block in enumerate(blocks):
        taken = {chosen[k] for k in range(i) if _touch(blocks[k], block)}
        free = [shade for shade in range(count) if shade not in taken]
        # Take turns, so that blocks of one shade do not look like the same tensor.
        chosen.append(min(free, key=lambda shade: chosen.count(shade)) if free else i % count)
    return chosen


# Blocks touch when they are next to each other in time or in memory.
def _touch(a, b):
    in_time = a.first <= b.last + 1 and b.first <= a.last + 1
    in_memory = a.offset <= b.offset + b.size and b.offset <= a.offset + a.size
    return in_time and in_memory


# A raster of (character, style): steps from left to right, rows from the bottom up.
class _Raster:
    def __init__(self, plan, width, colour):
        self.edges = plan.edges()
        wide = self.edges[-1]  # in operators
        room = max(8, width - _AXIS - 1)
        self.step_width = max(1, min(_WIDEST_STEP, room // wide))
        self._scale = self.step_width / max(1, -(-wide // room))
        # Buffers are multiples of 16 bytes: rows too, so that small plans come out exact.
        self.row_bytes = max(16, -(-plan.head_bytes // (_ROWS * 16)) * 16)
        self.rows = max(1, -(-plan.head_bytes // self.row_bytes))
        self.columns = self.column(len(self.edges) - 2) + self.step_width
        self.cells = [[(" ", "")] * self.columns for _ in range(self.rows)]
        shades = block_shades(plan.blocks, len(_COLOURS if colour else _SHADES))
        for block, shade in zip(plan.blocks, shades, strict=True):
            for area in block.areas():
                self._draw(block, area, shade, colour)
        for block, shade in zip(plan.blocks, shades, strict=True):
            self._label(block, shade, colour)

    def column(self, step):
        """Where a step begins."""
        return int(self.edges[step] * self._scale)

    # Columns of steps, from and up to.
    def _span(self, first, last):
        stop = self.column(last) + self.step_width
        if self.edges[last + 1] - self.edges[last] < 1:  # a band of a chain
            stop = max(self.column(first) + 1, int(self.edges[last + 1] * self._scale))
        return self.column(first), min(stop, self.columns)

    # Rows of which bytes low..high-1 cover half or more.
    def _rows_of(self, low, high):
        first = (2 * low + self.row_bytes) // (2 * self.row_bytes)
        last = (2 * high + self.row_bytes) // (2 * self.row_bytes)
        return first, min(last, self.rows)

    def _draw(self, block, area, shade, colour):
        low, high, first_step, last_step = area
        start, stop = self._span(first_step, last_step)
        first, last = self._rows_of(low, high)
        style = _COLOURS[shade] if colour else ""
        character = " " if colour else _SHADES[shade]
        if block.kind == "scratch":
            style, character = "dim" if colour else "", _HATCH
        for row in range(first, last):
            self.cells[row][start:stop] = [(character, style)] * (stop - start)
        if first >= last:  # thinner than half a row: a line, where there is room
            row = min(low // self.row_bytes, self.rows - 1)
            line = style.split(" on ")[-1]
            for i in range(start, stop):
                if self.cells[row][i][0] == " " and not self.cells[row][i][1]:
                    self.cells[row][i] = ("▁", line)

    # The letter of a block in its middle, with its size where there is room.
    def _label(self, block, shade, colour):
        low, high, first_step, last_step = max(
            block.areas(), key=lambda area: (area[1] - area[0]) * (area[3] - area[2] + 1)
        )
        start, stop = self._span(first_step, last_step)
        first, last = self._rows_of(low, high)
        if first >= last or not block.label:
            return
        text = f" {block.label} {size(block.size)} "
        if len(text) > stop - start - 2:
            text = f" {block.label} " if stop - start >= len(block.label) + 4 else block.label
        if len(text) > stop - start:
            return
        row = (first + last - 1) // 2
        at = start + (stop - start - len(text)) // 2
        style = _COLOURS[shade] if colour else ""
        for i, character in enumerate(text):
            bold = "bold " if colour and character == block.label else ""
            self.cells[row][at + i] = (character, bold + style)


def draw_plan(plan, target):
    """The plan as lines of Text for the console `target`, the peak marked."""
    if not plan.blocks:
        return [Text("The plan is empty: no tensor of this model lies in the arena.")]
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


# The byte axis: the top of the plan, and each fourth row.
def _tick(row, raster, plan):
    top = (row + 1) * raster.row_bytes
    if row == raster.rows - 1:
        return f"{number(plan.head_bytes):>{_AXIS - 2}} ┤"
    if (row + 1) % 4 == 0 and raster.rows - row > 2:
        return f"{number(top):>{_AXIS - 2}} ┤"
    return " " * (_AXIS - 1) + "│"


# Numbers of operators below their columns, as many as fit.
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


# A mark below the operator with the most bytes in use.
def _peak(raster, plan, width):
    op = plan.peak_op
    at = _AXIS + raster.column(op + 1) + raster.step_width // 2
    text = f"peak: op {plan.number(op)} {plan.ops[op]}, {number(plan.live_bytes(op))} bytes in use"
    if at + 2 + len(text) <= width:
        return Text(" " * at + "▲ " + text, style="bold")
    return Text(f"{text} ▲".rjust(at + 1), style="bold")


def block_ops(plan, block):
    """The operators that use a block, as a text: "0–2"."""
    chain = next((c for c in plan.chains if c[0] <= block.first and block.last <= c[1]), None)
    if chain is not None:
        return "in bands"
    first = plan.number(block.first - 1) if block.first else "in"
    last = plan.number(block.last - 1) if block.last else "in"
    return f"{first}–{last}" if block.last > block.first else first


def plan_legend(plan):
    """A table that says what each letter of the drawing is."""
    result = table("", "made by", "shape", "type", ">bytes", ">offset", ">ops")
    for block in plan.blocks:
        made = "input"
        if block.first:
            made = f"{plan.number(block.first - 1)} {plan.ops[block.first - 1]}".strip()
        used = block_ops(plan, block)
        if block.kind == "scratch":
            result.add_row(_HATCH, f"{made} scratch", "", "", number(block.size),
                           number(block.offset), used)  # fmt: skip
        else:
            result.add_row(block.label, made, shape(block.shape), block.dtype,
                           number(block.size), number(block.offset), used)  # fmt: skip
    return result


# Numbers and names of the operators, as lines; a number stays with its name.
def _op_names(plan, width):
    lines = [""]
    for column in plan.columns()[1:]:
        text = f"{column.label} {column.name}".strip()
        if lines[-1] and len(lines[-1]) + 2 + len(text) > width:
            lines.append("")
        lines[-1] += ("  " if lines[-1] else "") + text
    return lines


def print_plan(plan, target, legend=True):
    """Print the drawing, and below it what the letters mean, or else only the operators."""
    for line in draw_plan(plan, target):
        target.print(line, no_wrap=True, crop=False)
    if legend:
        target.print(plan_legend(plan))
        return
    target.print()
    for line in _op_names(plan, target.width - _AXIS - 1):
        target.print(Text(" " * _AXIS + line, style="dim"))
