# tflm_tools: detection: computes average precision as COCO defines it
# MIT license; Copyright (c) 2026 the tflm authors

# Boxes are rows: x0, y0, x1, y1, class, and the score for those that were found.

import numpy as np

from .decoders import overlaps

THRESHOLDS = np.arange(50, 100, 5) / 100  # of intersection over union; 0.5 is the first
_MAX_BOXES = 100  # of one image
_RECALLS = np.arange(101) / 100


# Whether each found box of one image and class, best first, matches a wanted box. A wanted box
# matches once: the free one with the largest overlap.
def _matches(found, wanted, threshold):
    is_free = np.ones(len(wanted), bool)
    matches = np.zeros(len(found), bool)
    for i, row in enumerate(found):
        if not is_free.any():
            break
        overlap = np.where(is_free, overlaps(row, wanted), -1)
        best = int(overlap.argmax())
        if overlap[best] >= threshold:
            matches[i], is_free[best] = True, False
    return matches


# The mean of the precision at 101 values of recall; scores and matches of all images.
def _average(scores, matches, wanted):
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(matches[order])
    recall = right / wanted
    precision = right / np.arange(1, len(order) + 1)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    at = np.searchsorted(recall, _RECALLS, side="left")
    return float(np.mean([precision[i] if i < len(precision) else 0.0 for i in at]))


def average_precisions(found, wanted, number):
    """Return the average precision of class `number` at each of THRESHOLDS; None without boxes.

    found, wanted: for each image an array of rows.
    Source: the evaluation of detections of the COCO data set, with 101 values of recall and 100
    boxes for each image.
    """
    wanted = [rows[rows[:, 4] == number] for rows in wanted]
    total = sum(map(len, wanted))
    if not total:
        return None
    best = []
    for rows in found:
        rows = rows[rows[:, 4] == number]
        best.append(rows[np.argsort(-rows[:, 5], kind="stable")][:_MAX_BOXES])
    scores = np.concatenate([rows[:, 5] for rows in best])
    averages = []
    for threshold in THRESHOLDS:
        matches = [
            _matches(rows, others, threshold) for rows, others in zip(best, wanted, strict=True)
        ]
        averages.append(_average(scores, np.concatenate(matches), total))
    return averages
