# Random small changes of handwriting for training: turn, size, slant, place, and noise.
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

_TURN = 0.15  # radians
_SIZE = 0.12
_SLANT = 0.2
_SHIFT = 0.8  # pixels
_NOISE = 0.5  # standard deviation, of 16


# For each image and output pixel, the row and column in the source image (float, may lie outside).
def _sources(count, side, random):
    turn = random.uniform(-_TURN, _TURN, (count, 1, 1))
    slant = random.uniform(-_SLANT, _SLANT, (count, 1, 1))
    height, width = random.uniform(1 - _SIZE, 1 + _SIZE, (2, count, 1, 1))
    down, right = random.uniform(-_SHIFT, _SHIFT, (2, count, 1, 1))
    centre = (side - 1) / 2
    row, column = np.mgrid[:side, :side] - centre
    column = column + slant * row
    rows = (np.cos(turn) * row - np.sin(turn) * column) * height
    columns = (np.sin(turn) * row + np.cos(turn) * column) * width
    return rows + down + centre, columns + right + centre


def augment(images, random):
    """Images [n, side, side, 1] of 0..16, each changed at random; float32, the same shape.

    Samples the sources bilinearly; what lies outside an image is empty paper (0). `random` is a
    numpy RandomState.
    """
    count, side = images.shape[:2]
    pad = 4  # more than the farthest source: all of them lie inside
    padded = np.pad(images[..., 0].astype(np.float32), ((0, 0), (pad, pad), (pad, pad)))
    rows, columns = _sources(count, side, random)
    top = np.floor(rows).astype(int)
    left = np.floor(columns).astype(int)
    below, beside = rows - top, columns - left
    index = np.arange(count)[:, None, None]

    def pixel(row, column):
        return padded[index, row + pad, column + pad]

    upper = pixel(top, left) * (1 - beside) + pixel(top, left + 1) * beside
    lower = pixel(top + 1, left) * (1 - beside) + pixel(top + 1, left + 1) * beside
    result = upper * (1 - below) + lower * below + random.normal(0, _NOISE, rows.shape)
    return np.clip(result, 0, 16).astype(np.float32)[..., None]
