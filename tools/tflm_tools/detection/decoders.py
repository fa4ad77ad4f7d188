# tflm_tools: detection: decodes outputs of detectors to boxes, as tflm.detect does on a board
# MIT license; Copyright (c) 2026 the tflm authors

# A decoder returns candidates: rows (x0, y0, x1, y1, class, score) in the order of the anchors,
# with coordinates relative to the input: 0 to 1.

from dataclasses import dataclass

import numpy as np

from ..errors import ToolError
from ..model import media

AUTO = "auto"
_ANCHOR_COLUMNS = {"ssd": 4, "yolov2": 2, "yolov3": 3}
_SSD_SCALES = np.array([10, 10, 5, 5])
_MAX_CLASSES = 1 << 16
_MAX_NORMALIZED = 2  # larger coordinates are pixels
# Number of anchors: (cells of a side, anchors of a cell) of each grid of MediaPipe's detectors.
_BLAZE_GRIDS = {
    896: [(16, 2), (8, 6)],
    512: [(16, 2)],
    384: [(8, 6)],
    2304: [(48, 1)],
    2944: [(32, 2), (16, 2), (8, 6)],
    2016: [(24, 2), (12, 6)],
    1152: [(24, 2)],
    864: [(12, 6)],
}


@dataclass
class Detection:
    """A box in pixels of the image; number and label of its class; score from 0 to 1."""

    x: int
    y: int
    width: int
    height: int
    class_number: int
    label: str
    score: float


def _sigmoid(x):
    return 1 / (1 + np.exp(-np.clip(x, -50, 50)))


# Candidates of centers and sizes [n, 4], classes [n] and scores [n].
def _rows(centers, classes, scores):
    half = centers[:, 2:] / 2
    corners = np.concatenate([centers[:, :2] - half, centers[:, :2] + half], axis=1)
    return np.column_stack([corners, classes, scores])


# Centers and sizes relative to the input, if they are pixels of it.
def _normalized(centers, size):
    is_pixels = np.abs(centers).max(initial=0) > _MAX_NORMALIZED
    return centers / np.array(size * 2) if is_pixels else centers


def _fomo(outputs, size, anchors):
    (grid,) = outputs[0]
    rows, columns, _ = grid.shape
    y, x = np.mgrid[:rows, :columns].reshape(2, -1)
    cells = grid.reshape(rows * columns, -1)[:, 1:]
    corners = [x / columns, y / rows, (x + 1) / columns, (y + 1) / rows]
    return np.column_stack([*corners, cells.argmax(1), cells.max(1)])


def _yolov5(outputs, size, anchors):
    (values,) = outputs[0]
    scores = np.clip(values[:, 4], 0, 1) * np.clip(values[:, 5:].max(1), 0, 1)
    return _rows(_normalized(values[:, :4], size), values[:, 5:].argmax(1), scores)


def _yolov8(outputs, size, anchors):
    (values,) = outputs[0]
    values = values.T if values.shape[0] < values.shape[1] else values
    scores = np.clip(values[:, 4:].max(1), 0, 1)
    return _rows(_normalized(values[:, :4], size), values[:, 4:].argmax(1), scores)


# Candidates of a grid of logits; sizes: (width, height) of the anchors, relative to the input.
def _grid(values, sizes, is_softmax):
    _, rows, columns, channels = values.shape
    cells = values.reshape(rows, columns, len(sizes), channels // len(sizes))
    y, x = np.mgrid[:rows, :columns][..., None]
    centers = np.stack(
        [
            (_sigmoid(cells[..., 0]) + x) / columns,
            (_sigmoid(cells[..., 1]) + y) / rows,
            np.exp(np.clip(cells[..., 2], -50, 50)) * sizes[:, 0],
            np.exp(np.clip(cells[..., 3], -50, 50)) * sizes[:, 1],
        ],
        axis=-1,
    )
    logits = cells[..., 5:]
    if is_softmax:
        powers = np.exp(logits - logits.max(-1, keepdims=True))
        best = powers.max(-1) / powers.sum(-1)
    else:
        best = _sigmoid(logits.max(-1))
    scores = _sigmoid(cells[..., 4]) * best
    return _rows(centers.reshape(-1, 4), logits.argmax(-1).reshape(-1), scores.reshape(-1))


def _yolov2(outputs, size, anchors):
    _, rows, columns, _ = outputs[0].shape
    return _grid(outputs[0], anchors / (columns, rows), is_softmax=True)


def _yolov3(outputs, size, anchors):
    found = [
        _grid(values, anchors[anchors[:, 0] == i, 1:] / size, is_softmax=False)
        for i, values in enumerate(outputs)
    ]
    return np.concatenate(found)


def _ssd(outputs, size, anchors):
    offsets, scores = outputs if outputs[0].shape[-1] == 4 else outputs[::-1]
    offsets, scores = offsets[0] / _SSD_SCALES, scores[0]
    y, x, height, width = anchors.T
    centers = np.column_stack(
        [
            offsets[:, 1] * width + x,
            offsets[:, 0] * height + y,
            np.exp(np.clip(offsets[:, 3], -50, 50)) * width,
            np.exp(np.clip(offsets[:, 2], -50, 50)) * height,
        ]
    )
    if scores.min() < 0 or scores.max() > 1.01:
        scores = _sigmoid(scores)
    return _rows(centers, scores[:, 1:].argmax(1), scores[:, 1:].max(1))


def _postprocessed(outputs, size, anchors):
    corners, classes, scores, number = outputs
    count = int(np.rint(np.clip(np.nan_to_num(number.reshape(-1)[0]), 0, scores.shape[1])))
    y0, x0, y1, x1 = corners[0, :count].T
    return np.column_stack([x0, y0, x1, y1, classes[0, :count], scores[0, :count]])


def _blaze(outputs, size, anchors):
    boxes = sorted((o for o in outputs if o.shape[-1] > 1), key=lambda o: -o.shape[1])
    scores = sorted((o for o in outputs if o.shape[-1] == 1), key=lambda o: -o.shape[1])
    found = []
    for (values,), (logits,) in zip(boxes, scores, strict=True):
        middles = [
            ((x + 0.5) / side, (y + 0.5) / side)
            for side, depth in _BLAZE_GRIDS[len(values)]
            for y, x, _ in np.ndindex(side, side, depth)
        ]
        centers = values[:, :4] / np.array(size * 2)
        centers[:, :2] += middles
        found.append(_rows(centers, np.zeros(len(values)), _sigmoid(logits[:, 0])))
    return np.concatenate(found)


_DECODERS = {
    "fomo": _fomo,
    "ssd": _ssd,
    "postprocessed": _postprocessed,
    "yolov2": _yolov2,
    "yolov3": _yolov3,
    "yolov5": _yolov5,
    "yolov8": _yolov8,
    "blaze": _blaze,
}
NAMES = (AUTO, *_DECODERS)
_UNSUPPRESSED = ("fomo", "postprocessed")


# Whether outputs of these shapes are what a decoder reads.
def _fits(name, shapes):
    ranks = [len(shape) for shape in shapes]
    if any(shape[0] != 1 for shape in shapes if shape):
        return False
    if name == "postprocessed":
        return len(shapes) == 4 and ranks[0] == 3 and shapes[0][2] == 4
    if name == "blaze":
        counts = [s[1] for s in shapes if len(s) == 3]
        values = [s[2] for s in shapes if len(s) == 3]
        return (
            len(values) == len(shapes)
            and set(counts) <= set(_BLAZE_GRIDS)
            and sorted(counts) == sorted([s[1] for s in shapes if s[2] == 1] * 2)
            and set(values) in ({1, 16}, {1, 18})
        )
    if name == "ssd":
        same = len(shapes) == 2 and ranks == [3, 3] and shapes[0][1] == shapes[1][1]
        return same and 4 in (shapes[0][2], shapes[1][2]) and min(s[2] for s in shapes) > 1
    if name == "yolov3":
        return bool(ranks) and set(ranks) == {4}
    if name in ("fomo", "yolov2"):
        return ranks == [4] and shapes[0][3] > 1
    if ranks != [3]:
        return False
    if name == "yolov5":
        return shapes[0][2] > 5
    return min(shapes[0][1:]) > 4


def choose(name, shapes, has_anchors=False):
    """Return the name of the decoder for outputs of these shapes.

    name: a name of NAMES. has_anchors: the user gives anchors. Raises ToolError if the outputs fit
    no decoder, or not the one that is named.
    """
    text = ", ".join("x".join(map(str, shape)) for shape in shapes)
    if name != AUTO:
        if not _fits(name, shapes):
            raise ToolError(f"outputs {text} do not fit the decoder {name}; use --detect auto")
        return name
    order = ["postprocessed", "blaze", "ssd"]
    order += ["yolov2", "yolov3"] if has_anchors else ["fomo"]
    # [boxes, channels] is YOLOv5's output, [channels, boxes] YOLOv8's.
    is_channels_first = len(shapes) == 1 and len(shapes[0]) == 3 and shapes[0][1] < shapes[0][2]
    order += ["yolov8"] if is_channels_first else ["yolov5"]
    for each in order:
        if _fits(each, shapes):
            return each
    raise ToolError(
        f"no decoder fits the outputs {text}; name one with --detect, and its --anchors"
    )


def read_anchors(path, name, outputs):
    """Return the anchors of a .csv as an array [n, columns]; None for decoders without anchors.

    Columns: y, x, height, width (ssd); width, height in cells (yolov2); output, width, height in
    pixels (yolov3). outputs: shapes of the outputs. Raises ToolError.
    """
    if name not in _ANCHOR_COLUMNS:
        return None
    columns = _ANCHOR_COLUMNS[name]
    if path is None:
        raise ToolError(f"the decoder {name} needs anchors; give them with --anchors FILE.csv")
    anchors = np.array(media.rows(path), np.float64)
    if anchors.ndim != 2 or anchors.shape[1] != columns:
        raise ToolError(
            f"{path} has no anchors of the decoder {name}; write {columns} numbers in each row"
        )
    if name == "ssd":
        is_valid = len(anchors) == outputs[0][1]
    else:
        counts = [len(anchors)]
        if name == "yolov3":
            counts = [int((anchors[:, 0] == i).sum()) for i in range(len(outputs))]
        is_valid = all(
            n and shape[3] % n == 0 and shape[3] // n > 5
            for n, shape in zip(counts, outputs, strict=True)
        )
    if not is_valid:
        raise ToolError(f"{path}: the model has another number of anchors; write a row for each")
    return anchors


# Intersection over union of a row with rows [n, 6].
def overlaps(row, others):
    """Return intersection over union of a box with boxes [n, 4 or more]: x0, y0, x1, y1."""
    inner = np.minimum(row[2:4], others[:, 2:4]) - np.maximum(row[:2], others[:, :2])
    inner = np.prod(np.clip(inner, 0, None), axis=1)
    areas = np.prod(others[:, 2:4] - others[:, :2], axis=1)
    union = (row[2] - row[0]) * (row[3] - row[1]) + areas - inner
    return np.where(union > 0, inner / np.where(union > 0, union, 1), 0.0)


# The best rows, best first, without rows of the same class that overlap a better one.
def _suppress(rows, limit):
    kept = []
    for row in rows[np.argsort(-rows[:, 5], kind="stable")]:
        others = np.array([other for other in kept if other[4] == row[4]]).reshape(-1, 6)
        if not (overlaps(row, others) > limit).any():
            kept.append(row)
    return np.array(kept).reshape(-1, 6)


# Merge cells of the same class that touch, until none do; best first.
def _merge(rows):
    boxes = list(rows)
    i = 0
    while i < len(boxes):
        a = boxes[i]
        for k in range(i):
            b = boxes[k]
            gap = np.maximum(a[:2], b[:2]) - np.minimum(a[2:4], b[2:4])
            if a[4] == b[4] and (gap < 1e-9).all():
                corners = np.minimum(a[:2], b[:2]), np.maximum(a[2:4], b[2:4])
                merged = np.array([*corners[0], *corners[1], a[4], max(a[5], b[5])])
                boxes = boxes[:k] + boxes[k + 1 : i] + [merged] + boxes[i + 1 :]
                i = -1
                break
        i += 1
    found = np.array(boxes).reshape(-1, 6)
    return found[np.argsort(-found[:, 5], kind="stable")]


def decode(name, outputs, size, threshold=0.5, overlap=0.5, anchors=None):
    """Return the boxes of real outputs as rows (x0, y0, x1, y1, class, score), best first.

    Coordinates are relative to the input. name: as choose() returns it. outputs: arrays. size:
    (width, height) of the input. anchors: as read_anchors() returns them.
    """
    arrays = [np.asarray(output, np.float64) for output in outputs]
    with np.errstate(all="ignore"):
        rows = _DECODERS[name](arrays, size, anchors)
    # A float model may have outputs that are no numbers; a class is an index.
    is_box = np.isfinite(rows).all(axis=1) & (rows[:, 4] >= 0) & (rows[:, 4] < _MAX_CLASSES)
    rows = rows[is_box & (rows[:, 5] >= threshold)]
    if name == "fomo":
        return _merge(rows)
    if name in _UNSUPPRESSED:
        return rows
    return _suppress(rows, overlap)


def detections(rows, frame, labels=()):
    """Return rows of decode() as a list of Detection in pixels of an image (width, height)."""
    found = []
    for row in rows:
        corners = np.clip(row[:4], 0, 1) * (frame * 2)
        x0, y0, x1, y1 = (int(value + 0.5) for value in corners)
        number = int(row[4])
        label = labels[number] if number < len(labels) else str(number)
        found.append(Detection(x0, y0, x1 - x0, y1 - y0, number, label, round(float(row[5]), 4)))
    return found
