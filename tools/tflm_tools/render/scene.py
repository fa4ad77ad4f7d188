# tflm_tools: render: Scene: a drawing as a list of shapes, which svg.py and png.py write
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

# Colour of each role as (light, dark). Tensors are filled with "b0" to "b6".
COLOURS = {
    "paper": ("#ffffff", "#16181d"),
    "ink": ("#1d2127", "#e8eaee"),
    "dim": ("#667080", "#98a2b3"),
    "grid": ("#dfe3e9", "#2c313a"),
    "band": ("#f1f3f6", "#1f232a"),
    "scratch": ("#8a93a1", "#7d8796"),
    "peak": ("#c2410c", "#fb923c"),
    "good": ("#15803d", "#4ade80"),
    "b0": ("#8db8e8", "#3d6fa8"),
    "b1": ("#9bd3a5", "#3c7d4c"),
    "b2": ("#f0c27f", "#93672a"),
    "b3": ("#e7a3a3", "#9a4a4f"),
    "b4": ("#c3aee6", "#6b559c"),
    "b5": ("#8fd3d3", "#317878"),
    "b6": ("#d9d98c", "#76762e"),
}
FILLS = 7


@dataclass
class Rect:
    """A rectangle filled with the colour of `role` ("": not filled), or hatched with it."""

    x: float
    y: float
    width: float
    height: float
    role: str
    title: str = ""
    hatched: bool = False
    opacity: float = 1.0
    outline: str = ""
    radius: float = 0.0


@dataclass
class Line:
    """A line through points [(x, y)]."""

    points: list[tuple[float, float]]
    role: str
    width: float = 1.0
    dashed: bool = False


@dataclass
class Label:
    """Text above the base line at y; x is its start, middle or end, as `anchor` says.

    turned: degrees counter-clockwise.
    """

    x: float
    y: float
    text: str
    role: str = "ink"
    size: float = 12.0
    anchor: str = "start"
    bold: bool = False
    turned: float = 0.0


@dataclass
class Scene:
    """Shapes from back to front on paper of width x height; `title` describes the drawing."""

    width: float
    height: float
    title: str
    shapes: list = field(default_factory=list)

    def add(self, *shapes):
        self.shapes += shapes


def text_width(text, size):
    """Return an upper estimate of the width of a text; the reader's font is not known."""
    return 0.58 * size * len(text)


def fitting(text, size, width):
    """Return a text, shortened to `width` with an ellipsis; "" if no letter of it fits."""
    if text_width(text, size) <= width:
        return text
    count = int(width / (0.58 * size)) - 1
    return text[:count] + "…" if count > 1 else ""
