# tflm_tools: render: writes a Scene as PNG with Pillow, in light colours at twice the size
# MIT license; Copyright (c) 2026 the tflm authors

import io

from ..errors import ToolError
from ..extras import installing
from .scene import COLOURS, Label, Line, Rect

_SCALE = 2
_MAX_SIDE = 16000  # pixels
_STRIPE = 7  # distance of two hatching lines, in units of the Scene


# Return a colour of the light palette as (red, green, blue, alpha).
def _colour(role, opacity=1.0):
    text = COLOURS[role][0]
    return tuple(int(text[i : i + 2], 16) for i in (1, 3, 5)) + (round(255 * opacity),)


# Draws shapes onto an image.
class _Painter:
    def __init__(self, scene, pillow, scale):
        image, draw, self._fonts = pillow
        self.scale = scale
        size = round(scene.width * scale), round(scene.height * scale)
        self.image = image.new("RGB", size, _colour("paper")[:3])
        self._new_image = image.new
        self._draw_on = draw.Draw
        self._draw = draw.Draw(self.image, "RGBA")
        self._known = {}

    # Return Pillow's own font in a size.
    def _font(self, size):
        if size not in self._known:
            self._known[size] = self._fonts.load_default(size * self.scale)
        return self._known[size]

    def rect(self, shape):
        corners = [
            (round(shape.x * self.scale), round(shape.y * self.scale)),
            (
                max(round((shape.x + shape.width) * self.scale) - 1, round(shape.x * self.scale)),
                max(round((shape.y + shape.height) * self.scale) - 1, round(shape.y * self.scale)),
            ),
        ]
        fill = None
        if shape.role:
            fill = _colour(shape.role, 0.22 if shape.hatched else shape.opacity)
        outline = _colour(shape.outline) if shape.outline else None
        self._draw.rounded_rectangle(corners, shape.radius * self.scale, fill, outline)
        if shape.hatched:
            self._hatch(corners, _colour(shape.role))

    # Draw stripes from the lower left to the upper right, cut at the corners.
    def _hatch(self, corners, colour):
        (left, top), (right, bottom) = corners
        step = _STRIPE * self.scale
        for total in range((left + top) // step * step, right + bottom + 1, step):
            x = max(left, total - bottom), min(right, total - top)
            if x[0] < x[1]:
                ends = [(x[0], total - x[0]), (x[1], total - x[1])]
                self._draw.line(ends, colour, 2 * self.scale)

    def line(self, shape):
        points = [(x * self.scale, y * self.scale) for x, y in shape.points]
        width = max(1, round(shape.width * self.scale))
        colour = _colour(shape.role)
        if not shape.dashed:
            self._draw.line(points, colour, width)
            return
        (x, top), (_, bottom) = points  # all dashed lines are vertical
        for y in range(round(top), round(bottom), 7 * self.scale):
            self._draw.line([(x, y), (x, min(y + 4 * self.scale, bottom))], colour, width)

    def label(self, shape):
        font = self._font(shape.size)
        at = shape.x * self.scale, shape.y * self.scale
        anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
        stroke = 0.4 * self.scale if shape.bold else 0
        if not shape.turned:
            self._draw.text(at, shape.text, _colour(shape.role), font, anchor,
                            stroke_width=stroke)  # fmt: skip
            return
        # Turned text is drawn in the middle of a separate image, which is then rotated.
        half = round(font.getlength(shape.text) + 2 * shape.size * self.scale)
        mask = self._new_image("L", (2 * half, 2 * half))
        self._draw_on(mask).text((half, half), shape.text, 255, font, anchor)
        mask = mask.rotate(shape.turned, resample=2)
        corner = round(at[0]) - half, round(at[1]) - half
        self.image.paste(_colour(shape.role)[:3], corner, mask)


def png(scene):
    """Return the bytes of a PNG. Raises ToolError without Pillow."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ToolError(
            "a PNG needs Pillow, which is not installed; write an .svg, or install it with: "
            f"{installing('report')}"
        ) from None
    scale = max(1, min(_SCALE, int(_MAX_SIDE / max(scene.width, scene.height))))
    painter = _Painter(scene, (Image, ImageDraw, ImageFont), scale)
    paint = {Rect: painter.rect, Line: painter.line, Label: painter.label}
    for shape in scene.shapes:
        paint[type(shape)](shape)
    data = io.BytesIO()
    painter.image.save(data, "PNG", optimize=True)
    return data.getvalue()
