# tflm_tools: render: draws the result of `make run` as a Scene: digits and the model's answers
# MIT license; Copyright (c) 2026 the tflm authors

from .common import number, size
from .digits import BLACK, chosen
from .scene import Label, Line, Rect, Scene

_PIXEL = 17
_LEFT, _TOP = 16, 16
_STEP = 200  # from one digit to the next


# Draw one image as squares, and the model's answer below it.
def _digit(scene, demo, i, left):
    image = demo.images[i]
    side = _PIXEL * len(image)
    scene.add(Rect(left, _TOP, side, side, "band"))
    for y, row in enumerate(image):
        for x, value in enumerate(row):
            if value:
                at = left + x * _PIXEL, _TOP + y * _PIXEL
                scene.add(Rect(*at, _PIXEL, _PIXEL, "ink", opacity=int(value) / BLACK))
    right = demo.predictions[i] == demo.labels[i]
    words = f"{demo.predictions[i]}, {100 * demo.scores[i]:.1f} %"
    _mark(scene, left + 2, _TOP + side + 18, right)
    scene.add(Label(left + 22, _TOP + side + 24, words, "ink" if right else "peak", 15, bold=True))
    if not right:
        label = f"it is {demo.labels[i]}"
        scene.add(Label(left + 22, _TOP + side + 44, label, "dim", 13))


# Draw a tick or a cross as lines, because the reader's font may lack them.
def _mark(scene, x, y, right):
    if right:
        scene.add(Line([(x, y), (x + 4, y + 5), (x + 12, y - 6)], "good", 2.4))
        return
    for points in ([(x + 1, y - 5), (x + 11, y + 5)], [(x + 1, y + 5), (x + 11, y - 5)]):
        scene.add(Line(points, "peak", 2.4))


def digits_scene(demo):
    """Return the Scene of a Demo: the digits that print_demo() shows, and the model's size."""
    shown = chosen(demo)
    side = _PIXEL * demo.images.shape[1]
    height = _TOP + side + 92
    scene = Scene(2 * _LEFT + _STEP * (len(shown) - 1) + side, height,
                  "Handwritten digits and the model's answers")  # fmt: skip
    for k, i in enumerate(shown):
        _digit(scene, demo, i, _LEFT + k * _STEP)
    count = len(demo.labels)
    correct = demo.correct()
    words = (
        f"{correct} of {count} held-out images right ({100 * correct / count:.1f} %), "
        f"{size(demo.flat_bytes)} of flash, {number(demo.arena_bytes)} bytes of RAM"
    )
    scene.add(Label(_LEFT, height - 14, words, "ink", 15))
    return scene
