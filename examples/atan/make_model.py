# An example: makes atan.tflite and atan_int8.tflite: one custom operator Atan, offset 0.5
# MIT license; Copyright (c) 2026 the tflm authors

# A converter does the same with `converter.allow_custom_ops = True`. Here the file is put together
# by the builder that the tests use (it needs the package flatbuffers).

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "tests"))

from support.builder import ModelBuilder  # noqa: E402

OFFSET = 0.5


# float32 in and out.
def make_float():
    model = ModelBuilder("y = atan(x + offset)")
    x = model.tensor((1, 8), "float32", name="x")
    y = model.tensor((1, 8), "float32", name="y")
    return _finish(model, x, y)


# int8 in and out: x from -8 to 8, y from -pi / 2 to pi / 2.
def make_int8():
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
