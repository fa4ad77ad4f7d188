# Draw grey pictures with circles, squares and triangles for the detector `shapes`
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

import numpy as np

LABELS = ["circle", "square", "triangle"]
SIDE = 96  # pixels of a picture
CELL = 8  # pixels of a cell of the detector's grid
CELLS = SIDE // CELL
TRAINING = range(10_000, 13_000)  # pictures, by their seeds
HELD_OUT = range(50_000, 50_500)
_MAX_OBJECTS = 3
_MAX_LINES = 3
_RADII = 10.0, 18.0
_GAP = 14  # pixels between the outer circles of two objects, so that their cells do not touch
_SAMPLES = 3  # of a pixel in x and y
_MIN_COVER = 0.3  # the part of a cell that an object covers, for a cell of its class


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


# Return (x, y, radius) of some objects that are apart.
def _positions(random):
    positions = []
    for _ in range(random.randint(0, _MAX_OBJECTS + 1)):
        for _ in range(20):
            radius = random.uniform(*_RADII)
            x, y = random.uniform(radius, SIDE - radius, 2)
            if all(np.hypot(x - a, y - b) >= radius + r + _GAP for a, b, r in positions):
                positions.append((x, y, radius))
                break
    return positions


# Draw thin lines and a slope of brightness: what a camera sees beside the objects.
def _background(random, light, x, y):
    turn = random.uniform(0, 2 * np.pi)
    middle = SIDE / 2
    slope = random.uniform(0, 0.5)
    drawn = light + slope * ((x - middle) * np.cos(turn) + (y - middle) * np.sin(turn))
    for _ in range(random.randint(0, _MAX_LINES + 1)):
        turn = random.uniform(0, 2 * np.pi)
        across = x * np.cos(turn) + y * np.sin(turn)
        along = y * np.cos(turn) - x * np.sin(turn)
        start = random.uniform(-SIDE, SIDE)
        is_line = abs(across - random.uniform(-SIDE, SIDE)) < random.uniform(0.4, 1.2)
        is_line &= (along > start) & (along < start + random.uniform(20, SIDE))
        drawn = np.where(is_line, drawn + random.uniform(-90, 90), drawn)
    return drawn


# Return the means of squares of values.
def _means(values, size):
    count = len(values) // size
    return values.reshape(count, size, count, size).mean(axis=(1, 3))


def picture(seed):
    """Return (pixels, objects, cells) of a picture.

    pixels: uint8 [96, 96]. objects: a list of (x, y, width, height, label) in pixels. cells: the
    classes of the grid, uint8 [12, 12]; 0 is background, 1 the first label.
    """
    random = np.random.RandomState(seed)
    steps = (np.arange(SIDE * _SAMPLES) + 0.5) / _SAMPLES
    y, x = np.meshgrid(steps, steps, indexing="ij")
    light = random.uniform(40, 215)
    drawn = _background(random, light, x, y)
    objects, cells = [], np.zeros((CELLS, CELLS), np.uint8)
    for centre_x, centre_y, radius in _positions(random):
        label = random.randint(len(LABELS))
        contrast = random.uniform(45, 130) * (1 if light < 128 else -1)
        inside = _inside(
            label, x - centre_x, y - centre_y, radius, random.uniform(0, 2 * np.pi)
        )  # fmt: skip
        drawn = np.where(inside, light + contrast, drawn)
        left, right = x[inside].min(), x[inside].max()
        top, bottom = y[inside].min(), y[inside].max()
        objects.append((left, top, right - left, bottom - top, label))
        cells[_means(inside, CELL * _SAMPLES) >= _MIN_COVER] = 1 + label
    pixels = _means(drawn, _SAMPLES)
    pixels += random.normal(0, random.uniform(1, 8), pixels.shape)
    return np.clip(np.round(pixels), 0, 255).astype(np.uint8), objects, cells


def examples(seeds):
    """Return (x [n, 96, 96, 1] from 0 to 1, y [n, 12, 12, 4]: 1 for the class) of pictures."""
    drawn = [picture(seed) for seed in seeds]
    x = np.stack([pixels for pixels, _, _ in drawn])[..., None].astype(np.float32) / 255
    cells = np.stack([cells for _, _, cells in drawn])
    return x, np.eye(1 + len(LABELS), dtype=np.float32)[cells]


def write(folder, seeds):
    """Write pictures (PNG) and their boxes (boxes.csv) for `tflm eval` into a folder."""
    from PIL import Image

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["file,x,y,width,height,class"]
    for seed in seeds:
        pixels, objects, _ = picture(seed)
        name = f"{seed}.png"
        Image.fromarray(pixels).save(folder / name)
        for *box, label in objects:
            lines.append(f"{name},{','.join(f'{side:.2f}' for side in box)},{LABELS[label]}")
        if not objects:
            lines.append(name)
    (folder / "boxes.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: pictures.py FOLDER, for the held-out pictures")
    write(sys.argv[1], HELD_OUT)
