# Makes the picture of the page, docs/images/page.png: `make -C page picture`
# MIT license; Copyright (c) 2026 the tflm authors

import io
import math
import sys
from pathlib import Path

from PIL import Image
from steps import draw, expect
from visiting import chromium, served

_SIZE = {"width": 960, "height": 900}
_EDGE = 8  # pixels below the drawing
_COLOURS = 64
# A 2: an arc, a stroke down, a foot.
_TWO = [(0.5 - 0.18 * math.cos(i / 5), 0.31 - 0.19 * math.sin(i / 5)) for i in range(19)]
_TWO += [(0.3, 0.84), (0.5, 0.83), (0.62, 0.85), (0.74, 0.82)]


def main(output):
    """Draw a digit in the built page, and save its first screen."""
    with served(Path("dist/page").absolute()) as address, chromium() as browser:
        page = browser.new_page(viewport=_SIZE, color_scheme="light")
        page.goto(address)
        expect(page.locator("#took")).to_contain_text("ms on a Pico")
        draw(page, [_TWO])
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        expect(page.locator("#speed")).to_have_text("Idle.")
        desk = page.locator("#draw .desk").bounding_box()
        shown = {"x": 0, "y": 0, **_SIZE, "height": desk["y"] + desk["height"] + _EDGE}
        image = Image.open(io.BytesIO(page.screenshot(clip=shown))).convert("RGB")
    image.quantize(_COLOURS, dither=Image.Dither.NONE).save(output, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1])
