# tflm_tools: boxes: reads the wanted boxes of images, for `tflm eval --detect`
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
import json
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from .. import files
from ..errors import ToolError
from .class_order import LABELS, order_of

_MAX_BYTES = 1 << 28
_COLUMNS = 6
_MAX_DIGITS = 9  # of the number of a class


@dataclass
class Image:
    """An image file and its wanted boxes, rows (x0, y0, x1, y1, class) in its pixels."""

    path: Path
    rows: np.ndarray


def read_boxes(path, labels):
    """Return the list of Image of a .json or .csv; image files are relative to its folder.

    A .json has the keys images, annotations and categories of COCO's object detection; crowds are
    left out. A .csv has rows: file, x, y, width, height, class; a row with a file alone is an
    image without boxes. Classes are labels of the model, or numbers; other names are numbered in
    the order of COCO's category ids, or alphabetically. Raises ToolError.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".json", ".csv"):
        raise ToolError(f"{path} has no boxes; with --detect, give a .json or a .csv of boxes")
    entries, names = (_coco if suffix == ".json" else _table)(path)
    if not entries:
        raise ToolError(f"{path} names no images; write a row for each box")
    numbers = _numbers(names, labels)
    found = []
    for name, boxes in entries.items():
        rows = [
            [x, y, x + width, y + height, numbers[label]] for x, y, width, height, label in boxes
        ]
        found.append(Image(Path(path).parent / name, np.array(rows, np.float64).reshape(-1, 5)))
    return found


# {name: number of its class}.
def _numbers(names, labels):
    if labels:
        numbers, order = order_of(names, labels)
        if order.source == LABELS:
            return numbers
    if all(name.isdecimal() and len(name) <= _MAX_DIGITS for name in names):
        return {name: int(name) for name in names}
    return {name: i for i, name in enumerate(names)}


# (x, y, width, height) of texts or numbers; raises ValueError, TypeError or OverflowError.
def _box(values):
    x, y, width, height = map(float, values)
    if not all(map(isfinite, (x, y, width, height))):
        raise ValueError
    return x, y, width, height


# ({file: [(x, y, width, height, class name)]}, class names) of COCO's JSON.
def _coco(path):
    try:
        data = json.loads(files.read(path, _MAX_BYTES))
        names = {entry["id"]: str(entry["name"]) for entry in data["categories"]}
        images = {entry["id"]: str(entry["file_name"]) for entry in data["images"]}
        entries = {name: [] for name in images.values()}
        for box in data["annotations"]:
            if not box.get("iscrowd"):
                numbers = _box(box["bbox"])
                name = names[box["category_id"]]
                entries[images[box["image_id"]]].append((*numbers, name))
        ordered = [names[number] for number in sorted(names)]
    except (
        KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError,
    ):  # fmt: skip
        raise ToolError(
            f"{path} is not JSON of boxes; write images, annotations and categories as COCO does"
        ) from None
    return entries, ordered


# ({file: [(x, y, width, height, class name)]}, class names) of a .csv; the first row may be a
# header.
def _table(path):
    try:
        text = io.StringIO(files.read(path, _MAX_BYTES).decode(), newline="")
        lines = [line for line in csv.reader(text) if line]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ToolError(f"cannot read {path}: {error}; write text with commas") from None
    if lines and lines[0][1:2] == ["x"]:
        lines = lines[1:]
    entries = {}
    for number, line in enumerate(lines, 1):
        boxes = entries.setdefault(line[0], [])
        if len(line) == 1 or not any(line[1:]):
            continue
        try:
            if len(line) != _COLUMNS:
                raise ValueError
            boxes.append((*_box(line[1:5]), line[5].strip()))
        except ValueError:
            raise ToolError(
                f"{path}: row {number} is no box; write file, x, y, width, height, class"
            ) from None
    return entries, sorted({box[4] for boxes in entries.values() for box in boxes})
