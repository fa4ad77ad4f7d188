# The detectors of tflm.detect with numpy: candidates, suppression, boxes in pixels
# MIT license; Copyright (c) 2026 the tflm authors

# Candidates are rows (x0, y0, x1, y1, class, score) with coordinates in parts of the input, in the
# order of their anchors.

import numpy as np


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


# Rows of centers and sizes [n, 4], classes and scores.
def _rows(centers, labels, scores, threshold):
    corners = np.concatenate(
        [centers[:, :2] - centers[:, 2:] / 2, centers[:, :2] + centers[:, 2:] / 2], axis=1
    )
    rows = np.column_stack([corners, labels, scores])
    return rows[scores >= threshold]


def yolo_v5(outputs, threshold, size=(1, 1)):
    (values,) = outputs[0]
    labels = values[:, 5:].argmax(1)
    scores = np.clip(values[:, 4], 0, 1) * np.clip(values[:, 5:].max(1), 0, 1)
    return _rows(values[:, :4] / (size * 2), labels, scores, threshold)


def yolo_v8(outputs, threshold, size=(1, 1)):
    (values,) = outputs[0]
    if values.shape[0] < values.shape[1]:
        values = values.T
    labels, scores = values[:, 4:].argmax(1), values[:, 4:].max(1)
    return _rows(values[:, :4] / (size * 2), labels, scores, threshold)


def yolo_grids(outputs, threshold, anchors, softmax):
    """YOLOv2 and v3; anchors[output]: (width, height) in parts of the input."""
    found = []
    for values, sizes in zip(outputs, anchors, strict=True):
        _, rows, columns, channels = values.shape
        cells = values.reshape(rows, columns, len(sizes), channels // len(sizes))
        for y, x, a in np.ndindex(cells.shape[:3]):
            cell = cells[y, x, a]
            classes = np.exp(cell[5:] - cell[5:].max()) if softmax else _sigmoid(cell[5:])
            probability = classes.max() / classes.sum() if softmax else classes.max()
            score = _sigmoid(cell[4]) * probability
            center = (_sigmoid(cell[0]) + x) / columns, (_sigmoid(cell[1]) + y) / rows
            box = [*center, *(np.exp(cell[2:4]) * sizes[a])]
            found.append([*box, cell[5:].argmax(), score])
    found = np.array(found)
    return _rows(found[:, :4], found[:, 4], found[:, 5], threshold)


def ssd(outputs, threshold, anchors, scales, background, logits):
    (offsets,), (scores,) = outputs
    y, x, height, width = anchors.T
    centers = np.column_stack([
        offsets[:, 1] / scales[1] * width + x,
        offsets[:, 0] / scales[0] * height + y,
        np.exp(offsets[:, 3] / scales[3]) * width,
        np.exp(offsets[:, 2] / scales[2]) * height,
    ])  # fmt: skip
    scores = _sigmoid(scores) if logits else scores
    scores = scores[:, int(background) :]
    return _rows(centers, scores.argmax(1), scores.max(1), threshold)


def blaze(outputs, threshold, grids, size):
    """Return (rows, keypoints [n, k, 2] in parts of the input)."""
    (values,), (logits,) = outputs
    anchors = []
    for side, depth in grids:
        for y, x, _ in np.ndindex(side, side, depth):
            anchors.append(((x + 0.5) / side, (y + 0.5) / side))
    points = values.reshape(len(values), -1, 2) / size
    points[:, 0] += anchors
    points[:, 2:] += np.array(anchors)[:, None]
    scores = _sigmoid(logits[:, 0])
    rows = _rows(points[:, :2].reshape(-1, 4), np.zeros(len(values)), scores, threshold)
    return rows, points[scores >= threshold, 2:]


def fomo(outputs, threshold):
    (values,) = outputs[0]
    height, width = values.shape[:2]
    boxes = []
    for y, x in np.ndindex(height, width):
        label = values[y, x, 1:].argmax()
        if values[y, x, 1 + label] >= threshold:
            boxes.append([x, y, x + 1, y + 1, label, values[y, x, 1 + label]])
    merged = True
    while merged:
        merged = False
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                apart = a[0] > b[2] or b[0] > a[2] or a[1] > b[3] or b[1] > a[3]
                if a[4] == b[4] and not apart and not merged:
                    boxes = [box for box in boxes if box is not a and box is not b]
                    boxes.append([*map(min, a[:2], b[:2]), *map(max, a[2:4], b[2:4]), a[4],
                                  max(a[5], b[5])])  # fmt: skip
                    merged = True
            if merged:
                break
    return np.array(boxes).reshape(-1, 6) / [width, height, width, height, 1, 1]


# Intersection over union of two rows.
def _overlap(a, b):
    width, height = np.minimum(a[2:4], b[2:4]) - np.maximum(a[:2], b[:2])
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(row[2] - row[0]) * (row[3] - row[1]) for row in (a, b)]
    return width * height / (sum(areas) - width * height)


def suppress(rows, limit, class_wise=True, most=32):
    """Return the indices of the best rows that remain, best first."""
    kept = []
    for i in np.argsort(-rows[:, 5], kind="stable")[:most]:
        others = [rows[k] for k in kept if not class_wise or rows[k][4] == rows[i][4]]
        if all(_overlap(rows[i], other) <= limit for other in others):
            kept.append(i)
    return kept


def pixels(points, size, frame, fit):
    """Return points [..., 2] in parts of the input as pixels of the frame."""
    size, frame = np.array(size), np.array(frame)
    scale = frame / size
    if fit == "letterbox":
        scale = scale.max()
    elif fit == "crop":
        scale = scale.min()
    inner = size * scale
    return np.clip(np.clip(points, 0, 1) * inner + (frame - inner) / 2, 0, frame)
