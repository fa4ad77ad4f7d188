# tflm_tools: detection: draws boxes on an image
# MIT license; Copyright (c) 2026 the tflm authors

import io

from .. import files
from ..errors import ToolError
from ..extras import installing

_COLOURS = ("#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#008080", "#9a6324", "#808000")


def _pillow():
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise ToolError(f"images need Pillow; install it with: {installing('report')}") from None
    return Image, ImageDraw


# The opened image of a file.
def _open(path):
    image_class, _ = _pillow()
    try:
        image = image_class.open(io.BytesIO(files.read(path)))
        image.load()
    except (OSError, SyntaxError, ValueError, image_class.DecompressionBombError):
        raise ToolError(f"{path} cannot be read as an image; convert it to PNG") from None
    return image


def image_size(path):
    """Return (width, height) of an image file. Raises ToolError."""
    return _open(path).size


def draw(path, found):
    """Return the bytes of a PNG: an image file with a list of Detection. Raises ToolError."""
    image = _open(path).convert("RGB")
    draw = _pillow()[1].Draw(image)
    width = max(1, round(max(image.size) / 200))
    for box in found:
        colour = _COLOURS[box.class_number % len(_COLOURS)]
        right, bottom = box.x + box.width, box.y + box.height
        corners = (box.x, box.y), (max(right - 1, box.x), max(bottom - 1, box.y))
        draw.rectangle(corners, outline=colour, width=width)
        text = f"{box.label} {100 * box.score:.0f} %"
        area = draw.textbbox((box.x + width, box.y + width), text)
        draw.rectangle(area, fill=colour)
        draw.text((box.x + width, box.y + width), text, fill="white")
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()
