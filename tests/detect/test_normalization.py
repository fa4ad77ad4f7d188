# Tests of tflm.ml.preprocessing: images as inputs, against numpy
# MIT license; Copyright (c) 2026 the tflm authors

import ast

import numpy as np
import pytest
from unit.on_device import device

_CODE = """
from tflm.ml.preprocessing import Normalization

class Image:
    def __init__(self, width, height, data):
        self.size, self.data = (width, height), data

    def width(self):
        return self.size[0]

    def height(self):
        return self.size[1]

    def bytearray(self):
        return self.data
"""
_FILL = """
found = []
for code, size in (("B", 1), ("b", 1), (ord("f"), 4)):
    source = Normalization(SCALE, MEAN, STDEV, ROI)(Image(WIDTH, HEIGHT, PIXELS))
    buffer = bytearray(SHAPE[1] * SHAPE[2] * SHAPE[3] * size)
    source(buffer, SHAPE, code)
    found.append(bytes(buffer))
print([found, source.roi])
"""


# Positions in the source for `count` pixels: (first index, second index, share of the second).
def _positions(size, count):
    at = np.clip((np.arange(count) + 0.5) * size / count - 0.5, 0, size - 1)
    first = at.astype(int)
    return first, np.minimum(first + 1, size - 1), at - first


def _resized(pixels, rows, columns):
    first, second, share = _positions(pixels.shape[0], rows)
    pixels = pixels[first] * (1 - share)[:, None, None] + pixels[second] * share[:, None, None]
    first, second, share = _positions(pixels.shape[1], columns)
    return pixels[:, first] * (1 - share)[:, None] + pixels[:, second] * share[:, None]


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("roi, shape, inner", [
    (None, (12, 16), (12, 16)),  # smaller, of the same aspect
    (None, (30, 24), (18, 24)),  # borders above and below
    ((3, 2, 10, 20), (40, 40), (40, 20)),  # larger, borders at both sides
])  # fmt: skip
def test_normalization(depth, channels, roi, shape, inner):
    random = np.random.RandomState(depth + channels)
    pixels = random.randint(0, 256, (24, 32, depth), np.uint8)
    mean, stdev, scale = (0.4, 0.5, 0.6), (0.2, 0.3, 0.4), (-1.0, 1.0)
    (line,) = device(
        _CODE + _FILL,
        WIDTH=32,
        HEIGHT=24,
        PIXELS=pixels.tobytes(),
        ROI=roi,
        SHAPE=(1, *shape, channels),
        MEAN=mean,
        STDEV=stdev,
        SCALE=scale,
    )
    (plain, signed, floats), used = ast.literal_eval(line)
    x, y, width, height = roi or (0, 0, 32, 24)
    assert used == (x, y, width, height)
    values = _resized(pixels[y : y + height, x : x + width].astype(float), *inner)
    if depth > channels:
        values = values @ [[0.299], [0.587], [0.114]]
    wanted = np.zeros((*shape, channels))
    top, left = (shape[0] - inner[0]) // 2, (shape[1] - inner[1]) // 2
    wanted[top : top + inner[0], left : left + inner[1]] = values
    plain = np.frombuffer(plain, np.uint8).reshape(wanted.shape)
    np.testing.assert_allclose(plain, wanted, atol=2)
    signed = np.frombuffer(signed, np.int8).reshape(wanted.shape)
    np.testing.assert_array_equal(signed, plain.astype(int) - 128)
    luma = [0.299, 0.587, 0.114]
    mean, stdev = (np.dot(v, luma) if channels == 1 else np.array(v) for v in (mean, stdev))
    floats = np.frombuffer(floats, np.float32).reshape(wanted.shape)
    np.testing.assert_allclose(floats, (plain / 255 * 2 - 1 - mean) / stdev, atol=1e-5)


_WRONG = """
def wrong(source, *arguments):
    print(raises(ValueError, source, *arguments))

image = Image(4, 4, bytes(16))
wrong(Normalization(), bytearray(16), (1, 4, 4, 1), "b")
wrong(Normalization()(image), bytearray(8), (1, 8), "b")
wrong(Normalization()(image), bytearray(32), (1, 4, 4, 1), "h")
wrong(Normalization(roi=(2, 2, 3, 3))(image), bytearray(16), (1, 4, 4, 1), "b")
wrong(Normalization()(Image(4, 4, bytes(32))), bytearray(16), (1, 4, 4, 1), "b")
"""


def test_invalid_images():
    lines = device(_CODE + _WRONG)
    assert all("is no image of int8, uint8 or float32" in line for line in lines[:3])
    assert lines[3:] == [
        "the image has 1 bytes for each pixel, the region is (2, 2, 3, 3); pass grey or RGB "
        "pixels and a region inside",
        "the image has 2 bytes for each pixel, the region is (0, 0, 4, 4); pass grey or RGB "
        "pixels and a region inside",
    ]
