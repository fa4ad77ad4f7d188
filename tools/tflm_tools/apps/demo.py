# tflm_tools: apps: classifies handwritten digits in MicroPython, for `make run`
# MIT license; Copyright (c) 2026 the tflm authors

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tflm.errors import TflmError

from .. import files
from ..arena.arena_plan import Plan
from ..errors import ToolError
from ..flat.flatten import flatten
from ..inspection.model_plan import plan_model
from ..optimize.memory.levels import BALANCED
from ..port import unix_port

_FOLDER = Path(__file__).resolve().parents[3] / "models" / "digits"


@dataclass
class Demo:
    """All held-out images with the model's predictions.

    images: uint8 [n, 8, 8] of 0..16. labels, predictions: digits [n]. scores: probability of each
    predicted digit. times: microseconds of each invoke. Sizes in bytes.
    """

    images: np.ndarray
    labels: np.ndarray
    predictions: np.ndarray
    scores: np.ndarray
    times: np.ndarray
    arena_bytes: int
    flat_bytes: int
    plan: Plan

    def correct(self):
        """Return the number of images that were classified correctly."""
        return int((self.predictions == self.labels).sum())


# The held-out images and labels.
def _held_out():
    path = _FOLDER / "digits_test.npz"
    try:
        with np.load(path) as file:
            return file["x"].reshape(-1, 8, 8), file["y"]
    except (OSError, ValueError, KeyError):
        raise ToolError(
            f"cannot read the held-out digits {path}; check out the repository again"
        ) from None


def demo():
    """Flatten the digits model and classify all held-out images in MicroPython; return a Demo."""
    images, labels = _held_out()
    tflite = files.read(_FOLDER / "digits_int8.tflite")
    flat = flatten(tflite)
    with tempfile.TemporaryDirectory(prefix="tflm-") as name:
        folder = Path(name)
        (folder / "digits.tflm").write_bytes(flat)
        (folder / "images").write_bytes(images.tobytes())
        job = {"model": str(folder / "digits.tflm"), "images": str(folder / "images")}
        answer = unix_port.run_script("digits", job, folder)
    columns = (np.array(column) for column in zip(*answer["results"], strict=True))
    predictions, scores, times = columns
    plan = plan_model(_FOLDER / "digits_int8.tflite", BALANCED).plan
    return Demo(images, labels, predictions, scores, times, answer["arena"], len(flat), plan)


def main(picture=None):
    """Run the demo and print its results, or draw them into the .svg file `picture`.

    An error is printed as one line, with exit code 1.
    """
    from ..render.common import console
    from ..render.digits import print_demo
    from ..render.digits_scene import digits_scene
    from ..render.svg import svg

    try:
        result = demo()
        if picture is None:
            print_demo(result, console())
        else:
            files.write(picture, svg(digits_scene(result)).encode())
    except TflmError as error:
        print(f"demo: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
