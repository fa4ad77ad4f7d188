# Draw grey pictures with circles, squares and triangles for the detector `shapes`
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

LABELS = ["circle", "square", "triangle"]
SIDE = 48  # pixels of a picture
CELL = 8  # pixels of a cell of the detector's grid
CELLS = SIDE // CELL
_MAX_OBJECTS = 3
_RADII = 5.0, 8.0
_APART = 17  # pixels between centres in x or y, so that no two objects have neighbouring cells
_FINE = 3  # samples of a pixel in x and y


# Return whether points (x, y from the centre) are inside a shape of a radius, turned by an angle.
def _inside(label, x, y, radius, angle):
    if label == 0:
        return x**2 + y**2 < radius**2
    corners = 4 if label == 1 else 3
    # A point is inside a regular polygon if its projection on each normal is short enough.
    inside = np.ones(x.shape, bool)
    for i in range(corners):
        turn = angle + 2 * np.pi * i / corners
        inside &= x * np.cos(turn) + y * np.sin(turn) < radius * np.cos(np.pi / corners)
    return inside


# Return the centres of some objects, at least _APART in x or y.
def _centres(random):
    found = []
    for _ in range(random.randint(0, _MAX_OBJECTS + 1)):
        for _ in range(20):
            centre = random.uniform(7, SIDE - 7, 2)
            if all(abs(centre - other).max() >= _APART for other in found):
                found.append(centre)
                break
    return found


def picture(seed):
    """Return (pixels, objects) of a picture.

    pixels: float32 [48, 48], 0 to 255. objects: a list of (label, x, y, radius) in pixels.
    """
    random = np.random.RandomState(seed)
    steps = (np.arange(SIDE * _FINE) + 0.5) / _FINE
    y, x = np.meshgrid(steps, steps, indexing="ij")
    light = random.uniform(40, 215)
    # A slope of brightness in the background, and noise of the sensor.
    turn = random.uniform(0, 2 * np.pi)
    slope = random.uniform(0, 0.8) * ((x - 24) * np.cos(turn) + (y - 24) * np.sin(turn))
    fine = light + slope
    objects = []
    for centre in _centres(random):
        label, radius = random.randint(len(LABELS)), random.uniform(*_RADII)
        contrast = random.uniform(45, 130) * (1 if light < 128 else -1)
        dx, dy = x - centre[0], y - centre[1]
        inside = _inside(label, dx, dy, radius, random.uniform(0, 2 * np.pi))
        fine = np.where(inside, light + contrast, fine)
        objects.append((label, float(centre[0]), float(centre[1]), radius))
    pixels = fine.reshape(SIDE, _FINE, SIDE, _FINE).mean(axis=(1, 3))
    pixels += random.normal(0, random.uniform(1, 8), pixels.shape)
    return np.clip(pixels, 0, 255).astype(np.float32), objects


def grid(objects):
    """Return the wanted output of a picture: float32 [6, 6, 4]; class 0 is background."""
    found = np.zeros((CELLS, CELLS, 1 + len(LABELS)), np.float32)
    found[..., 0] = 1
    for label, x, y, _ in objects:
        found[int(y) // CELL, int(x) // CELL] = np.eye(1 + len(LABELS))[1 + label]
    return found


def examples(seeds):
    """Return (x [n, 48, 48, 1] from 0 to 1, y [n, 6, 6, 4]) of pictures."""
    drawn = [picture(seed) for seed in seeds]
    x = np.stack([pixels for pixels, _ in drawn])[..., None] / 255
    return x, np.stack([grid(objects) for _, objects in drawn])
