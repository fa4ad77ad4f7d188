# Example: write atan.tflite and atan_int8.tflite, with one custom operator Atan, offset 0.5
# MIT license; Copyright (c) 2026 the tflm authors

# A converter does the same with `converter.allow_custom_ops = True`. This script uses the model
# builder of the tests, which needs the package flatbuffers.

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "tests"))

from support.builder import ModelBuilder  # noqa: E402

OFFSET = 0.5


def make_float():
    """Return the bytes of a model with float32 input and output."""
    model = ModelBuilder("y = atan(x + offset)")
    x = model.tensor((1, 8), "float32", name="x")
    y = model.tensor((1, 8), "float32", name="y")
    return _finish(model, x, y)


def make_int8():
    """Return the bytes of a model with int8 input (-8 to 8) and output (-pi / 2 to pi / 2)."""
    model = ModelBuilder("y = atan(x + offset), int8")
    x = model.tensor((1, 8), "int8", scale=1 / 16, zero_point=0, name="x")
    y = model.tensor((1, 8), "int8", scale=1 / 80, zero_point=0, name="y")
    return _finish(model, x, y)


def _finish(model, x, y):
    model.custom("Atan", [x], [y], {"offset": OFFSET})
    model.io([x], [y])
    model.signature("serving_default", {"x": x}, {"y": y})
    return model.build()


if __name__ == "__main__":
    (FOLDER / "atan.tflite").write_bytes(make_float())
    (FOLDER / "atan_int8.tflite").write_bytes(make_int8())
