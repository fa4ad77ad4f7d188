# tflm_tools: render: prints the result of `make run`: digits, the model's answers, and its costs
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from rich.text import Text

from .arena import print_plan
from .common import has_colour, microseconds, number, size

_SHADES = " ░▒▓█"
BLACK = 16  # the darkest pixel
_SHOWN = 4  # digits


# Return one row of an image. Two characters a pixel make the image square.
def _pixels(row, colour):
    text = Text()
    for value in row:
        if colour:
            grey = 24 + int(value) * 210 // BLACK
            text.append("  ", style=f"on rgb({grey},{grey},{grey})")
        else:
            text.append(_SHADES[(int(value) * (len(_SHADES) - 1) + BLACK // 2) // BLACK] * 2)
    return text


def chosen(demo):
    """Return the indices of the images to show: the first ones, and the first wrong answer."""
    wrong = np.flatnonzero(demo.predictions != demo.labels)
    first = [i for i in range(len(demo.images)) if i not in wrong[:1]]
    return first[: _SHOWN - 1] + [int(wrong[0])] if len(wrong) else first[:_SHOWN]


# Return the model's answer for one image, and whether it is right.
def _verdict(demo, i):
    right = demo.predictions[i] == demo.labels[i]
    text = Text(
        f"{'✓' if right else '✗'} {demo.predictions[i]}",
        style="bold green" if right else "bold red",
    )
    text.append(f"  {100 * demo.scores[i]:.1f} %", style="default not bold")
    return text


def print_demo(demo, target):
    """Print a Demo: digits, accuracy, time, memory, and the arena plan."""
    shown = chosen(demo)
    gap = "    "
    target.print(
        Text("Handwritten digits, held out from training, read by MicroPython", style="bold")
    )
    target.print()
    for row in range(demo.images.shape[1]):
        line = Text(gap)
        for i in shown:
            line.append(_pixels(demo.images[i][row], has_colour(target))).append(gap)
        target.print(line)
    target.print()
    for texts in ([Text(f"label {demo.labels[i]}") for i in shown],
                  [_verdict(demo, i) for i in shown]):  # fmt: skip
        line = Text(gap)
        for text in texts:
            text.pad_right(2 * demo.images.shape[2] - text.cell_len)
            line.append(text).append(gap)
        target.print(line)
    target.print()
    _print_figures(demo, target)
    print_plan(demo.plan, target, legend=False)
    target.print()
    target.print(Text("Next: docs/tutorial/first-model.md, or .venv/bin/tflm inspect YOUR_MODEL"))


def _print_figures(demo, target):
    count = len(demo.labels)
    rows = (
        (
            "accuracy",
            f"{100 * demo.correct() / count:.1f} %",
            f"{demo.correct()} of {count} held-out images",
        ),
        (
            "time",
            microseconds(float(np.median(demo.times))),
            "an image, in the MicroPython unix port",
        ),
        ("model", size(demo.flat_bytes), "of flash on a board, used in place"),
        (
            "arena",
            f"{number(demo.arena_bytes)} bytes",
            "of RAM: bytes upwards, operators to the right, ╱ scratch",
        ),
    )
    for label, value, words in rows:
        line = Text(f"  {label:<10}")
        target.print(line.append(f"{value:<12}", style="bold").append(words))
    target.print()
