# tflm_tools: render: draws an arena plan as a Scene, with operators from left to right
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import block_ops, block_shades
from .common import number, shape, size
from .scene import FILLS, Label, Line, Rect, Scene, fitting, text_width

_LEFT, _RIGHT, _TOP = 72, 20, 68
_HEIGHT = 320  # of the plan
_WIDTH = 880
_MIN_COLUMN, _MAX_COLUMN = 14, 110  # width of an operator
_LABEL_SIZE = 110, 36  # width and height that a label of two lines needs at most


# Return about five round numbers for the byte axis, and the size of the head.
def _ticks(head):
    step = 16
    while head / step > 6:
        step *= 2
    ticks = list(range(0, head, step))
    if len(ticks) > 1 and head - ticks[-1] < step / 2:
        ticks.pop()
    return [*ticks, head]


# Converts steps and bytes to coordinates.
class _Frame:
    def __init__(self, plan):
        self._edges = plan.edges()
        self._head = max(plan.head_bytes, 1)
        self.column = min(_MAX_COLUMN, max(_MIN_COLUMN, _WIDTH / self._edges[-1]))
        self.right = _LEFT + self._edges[-1] * self.column

    def x(self, step):
        return _LEFT + self._edges[step] * self.column

    def y(self, byte):
        return _TOP + _HEIGHT * (1 - byte / self._head)

    # Return (x, y, width, height) of an area: bytes start..stop-1 in steps first..last.
    def box(self, area):
        start, stop, first, last = area
        x, y = self.x(first), self.y(stop)
        return x, y, self.x(last + 1) - x, max(self.y(start) - y, 1)


# Return the tooltip of a block.
def _title(plan, block):
    what = "scratch"
    if block.kind == "tensor":
        what = f"{block.label}: {block.name}, {shape(block.shape)} {block.dtype}"
    return (
        f"{what}; {number(block.size)} bytes from {number(block.offset)} on; "
        f"ops {block_ops(plan, block)}"
    )


# Return spans [(start, stop)] without the bytes that also belong to `others`.
def _without(spans, others):
    for start, stop in others:
        spans = [
            span for a, b in spans for span in ((a, min(b, start)), (max(a, stop), b))
            if span[0] < span[1]
        ]  # fmt: skip
    return spans


# Return the area (start, stop, first, last) of a block in which its label is drawn: the one with
# the most space that no other block covers. Returns None if other blocks cover the whole block.
def _free_area(block, plan, frame):
    bottom = min(area[0] for area in block.areas())
    top = max(area[1] for area in block.areas())
    others = [
        area
        for other in plan.blocks
        if other is not block and other.offset < top and bottom < other.offset + other.size
        for area in other.areas()
    ]

    # Return the bytes [(start, stop)] of areas in a step.
    def used(areas, step):
        return [(a, b) for a, b, first, last in areas if first <= step <= last]

    free = {}
    for step in range(block.first, block.last + 1):
        dead = _without([(bottom, top)], used(block.areas(), step))  # bytes not in use
        free[step] = _without([(bottom, top)], dead + used(others, step))

    peak = None if plan.peak_op is None else plan.peak_op + 1

    # Rate an area: its part that a label of two lines can use, then its whole size. An area that
    # the lines of the peak cross counts half.
    def rating(area):
        _, _, width, height = frame.box(area)
        crossed = area[2] < area[3] and peak is not None and area[2] <= peak <= area[3]
        usable = min(width, _LABEL_SIZE[0]) * min(height, _LABEL_SIZE[1])
        return usable / 2 if crossed else usable, width * height

    areas = []
    for first in free:
        spans = free[first]
        for last in range(first, block.last + 1):
            taken = _without([(bottom, top)], free[last])
            spans = _without(spans, taken)
            areas += [(*span, first, last) for span in spans]
    return max(areas, key=rating, default=None)


# Return the Labels of a block: letter, size and shape, as far as its free area holds them.
def _words(block, plan, frame):
    area = None if block.kind == "scratch" else _free_area(block, plan, frame)
    if area is None:
        return []
    x, y, width, height = frame.box(area)
    if height < 13 or width < 12:
        return []
    lines = [(f"{block.label}  {size(block.size)}", 12, True)]
    if text_width(lines[0][0], 12) > width - 6:
        lines = [(block.label, 11, True)]
    elif height >= 32 and text_width(shape(block.shape), 11) <= width - 6:
        lines.append((shape(block.shape), 11, False))
    top = y + height / 2 - 8 * (len(lines) - 1) + 4
    return [
        Label(x + width / 2, top + 16 * i, text, "ink", points, "middle", bold)
        for i, (text, points, bold) in enumerate(lines)
    ]


# Return the Labels of the operators below the axis, and their height. Narrow columns are labelled
# at a regular distance only.
def _axis(plan, frame):
    columns = plan.columns()
    bottom = _TOP + _HEIGHT
    skip = max(1, -(-16 // int(frame.column)))
    labels = []
    for i, column in enumerate(columns):
        if i % skip and not column.bands:
            continue
        middle = (frame.x(column.first) + frame.x(column.last + 1)) / 2
        text = column.label if column.first == 0 else f"{column.label} {column.name}".strip()
        space = min(150, (middle - 3) / 0.79)  # 0.79 is the cosine of the angle
        labels.append(Label(middle + 5, bottom + 16, fitting(text, 11, space), "dim", 11, "end",
                            turned=38))  # fmt: skip
    longest = max((text_width(label.text, 11) for label in labels), default=0)
    return labels, 0.62 * longest + 30


def arena_scene(plan, title, subtitle=""):
    """Return the Scene of a Plan, with a title and a line below it."""
    frame = _Frame(plan)
    labels, below = _axis(plan, frame)
    width = max(frame.right + _RIGHT, 420)
    scene = Scene(width, _TOP + _HEIGHT + below, title)
    scene.add(Label(16, 22, fitting(title, 14, width - 32), "ink", 14, bold=True))
    scene.add(Label(16, 40, fitting(subtitle, 11.5, width - 32), "dim", 11.5))
    for column in plan.columns():
        if column.bands:
            x = frame.x(column.first)
            scene.add(Rect(x, _TOP, frame.x(column.last + 1) - x, _HEIGHT, "band"))
    for tick in _ticks(plan.head_bytes):
        y = frame.y(tick)
        scene.add(Line([(_LEFT - 4, y), (frame.right, y)], "grid"))
        scene.add(Label(_LEFT - 8, y + 4, number(tick), "dim", 11, "end"))
    for block, shade in zip(plan.blocks, block_shades(plan.blocks, FILLS), strict=True):
        scratch = block.kind == "scratch"
        role = "scratch" if scratch else f"b{shade}"
        # A block that is used in parts overlaps others: let them shine through.
        opacity = 0.85 if block.parts else 1.0
        title = _title(plan, block)
        thick = len(block.areas()) == 1 and not scratch
        for area in block.areas():
            x, y, w, h = frame.box(area)
            outline = "paper" if thick and h > 6 and w > 6 else ""
            scene.add(Rect(x, y, w, h, role, title, scratch, opacity, outline))
    _add_peak(scene, plan, frame)
    for block in plan.blocks:
        scene.add(*_words(block, plan, frame))
    scene.add(Line([(_LEFT, _TOP), (_LEFT, _TOP + _HEIGHT), (frame.right, _TOP + _HEIGHT)], "dim"))
    scene.add(*labels)
    return scene


# Mark the operator with the most bytes in use by two dashed lines.
def _add_peak(scene, plan, frame):
    op = plan.peak_op
    if op is None or not plan.blocks:
        return
    left, right = frame.x(op + 1), frame.x(op + 2)
    if right - left < 3:
        left, right = left - 1, left + 2
    for x in (left, right):
        scene.add(Line([(x, _TOP - 4), (x, _TOP + _HEIGHT)], "peak", 1.4, True))
    text = f"peak: op {plan.number(op)} {plan.ops[op]}, {number(plan.live_bytes(op))} bytes in use"
    text = fitting(text, 11, scene.width - 16)
    at = max(8, min(left, scene.width - 8 - text_width(text, 11)))
    scene.add(Label(at, _TOP - 7, text, "peak", 11, "start", True))
