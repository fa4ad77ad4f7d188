# tflm.detect: Boxes: the best candidates, in the order of their scores, without overlaps.
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

import micropython

from .fixed_point import ONE

# Fields of a row: corners in parts of the model's input, class, score, anchor.
X0, Y0, X1, Y1, CLASS, SCORE, ANCHOR = range(7)
FIELDS = 7


# Insert row `most` into `count` sorted rows; return their new number. Equal scores stay in the
# order of their insertion. The worst row is lost if there are `most` rows.
@micropython.viper
def _insert(rows: ptr32, count: int, most: int) -> int:
    score = rows[7 * most + 5]
    at = count
    if count == most:
        if rows[7 * count - 2] >= score:
            return count
        at -= 1
    else:
        count += 1
    while at > 0 and rows[7 * at - 2] < score:
        k = 7 * at
        while k < 7 * at + 7:
            rows[k] = rows[k - 7]
            k += 1
        at -= 1
    k = 0
    while k < 7:
        rows[7 * at + k] = rows[7 * most + k]
        k += 1
    return count


# Copy a row from element `source` to element `target`.
@micropython.viper
def _copy(rows: ptr32, source: int, target: int):
    k = 0
    while k < 7:
        rows[target + k] = rows[source + k]
        k += 1


# Add a box to `count` rows, merged with all boxes of its class that touch it; return the new
# number of rows. A merged box may touch more boxes, so the search starts again.
@micropython.viper
def _merge(rows: ptr32, count: int, most: int, x0: int, y0: int, x1: int, y1: int, label: int,
           score: int) -> int:  # fmt: skip
    at = 0
    while at < 7 * count:
        touches = rows[at] <= x1 and rows[at + 2] >= x0
        if touches and rows[at + 1] <= y1 and rows[at + 3] >= y0 and rows[at + 4] == label:
            x0 = x0 if x0 < rows[at] else rows[at]
            y0 = y0 if y0 < rows[at + 1] else rows[at + 1]
            x1 = x1 if x1 > rows[at + 2] else rows[at + 2]
            y1 = y1 if y1 > rows[at + 3] else rows[at + 3]
            score = score if score > rows[at + 5] else rows[at + 5]
            # The last row replaces this one.
            count -= 1
            k = 0
            while k < 6:
                rows[at + k] = rows[7 * count + k]
                k += 1
            at = 0 - 7
        at += 7
    if count < most:
        at = 7 * count
        rows[at] = x0
        rows[at + 1] = y0
        rows[at + 2] = x1
        rows[at + 3] = y1
        rows[at + 4] = label
        rows[at + 5] = score
        count += 1
    return count


# Remove each row that overlaps a better one by more than `limit` (of 65536); return their number.
# The overlap is intersection over union. `class_wise`: only rows of the same class.
@micropython.viper
def _suppress(rows: ptr32, count: int, limit: int, class_wise: int) -> int:
    # Loads of 64-bit MicroPython are unsigned: adding 2.0 makes all coordinates positive.
    two = 0x20000
    mask = 0x7FFFF
    kept = 0
    i = 0
    while i < count:
        a = 7 * i
        ax0 = (rows[a] + two) & mask
        ay0 = (rows[a + 1] + two) & mask
        ax1 = (rows[a + 2] + two) & mask
        ay1 = (rows[a + 3] + two) & mask
        is_kept = 1
        b = 0
        while b < 7 * kept:
            bx0 = (rows[b] + two) & mask
            by0 = (rows[b + 1] + two) & mask
            bx1 = (rows[b + 2] + two) & mask
            by1 = (rows[b + 3] + two) & mask
            width = (ax1 if ax1 < bx1 else bx1) - (ax0 if ax0 > bx0 else bx0)
            height = (ay1 if ay1 < by1 else by1) - (ay0 if ay0 > by0 else by0)
            if width > 0 and height > 0 and (class_wise == 0 or rows[a + 4] == rows[b + 4]):
                most = (ax1 - ax0) | (ay1 - ay0) | (bx1 - bx0) | (by1 - by0)
                shift = 0
                while (most >> shift) >= 0x4000:
                    shift += 1
                inner = (width >> shift) * (height >> shift)
                union = ((ax1 - ax0) >> shift) * ((ay1 - ay0) >> shift)
                union += ((bx1 - bx0) >> shift) * ((by1 - by0) >> shift) - inner
                while union >= 0x8000:
                    union >>= 1
                    inner >>= 1
                if inner * 0x10000 > limit * union:
                    is_kept = 0
                    b = 7 * kept
            b += 7
        if is_kept:
            k = 0
            while k < 7:
                rows[7 * kept + k] = rows[a + k]
                k += 1
            kept += 1
        i += 1
    return kept


class Boxes:
    """At most `most` candidates; field F of row i is rows[FIELDS * i + F]."""

    def __init__(self, most):
        self.rows = array("i", bytes(4 * FIELDS * (most + 1)))
        self.count = 0
        self._most = most

    def set_row(self, i, x0, y0, x1, y1):
        """Set the corners of a row, limited to -2.0 and 4.0."""
        rows, at = self.rows, FIELDS * i
        rows[at + X0] = min(max(x0, -2 * ONE), 4 * ONE)
        rows[at + Y0] = min(max(y0, -2 * ONE), 4 * ONE)
        rows[at + X1] = min(max(x1, -2 * ONE), 4 * ONE)
        rows[at + Y1] = min(max(y1, -2 * ONE), 4 * ONE)

    def add(self, x0, y0, x1, y1, label, score, anchor):
        """Add a candidate, unless `most` candidates have a better score."""
        most = self._most
        self.set_row(most, x0, y0, x1, y1)
        at = FIELDS * most
        self.rows[at + CLASS] = label
        self.rows[at + SCORE] = score
        self.rows[at + ANCHOR] = anchor
        self.count = _insert(self.rows, self.count, most)

    def add_centered(self, x, y, width, height, label, score, anchor):
        """Add a candidate with the center (x, y)."""
        x -= width >> 1
        y -= height >> 1
        self.add(x, y, x + width, y + height, label, score, anchor)

    def merge(self, x0, y0, x1, y1, label, score):
        """Add a box, merged with all boxes of its class that touch it; the order is lost.

        The corners are between 0 and ONE. The box is lost if there are `most` boxes.
        """
        self.count = _merge(self.rows, self.count, self._most, x0, y0, x1, y1, label, score)

    def sort(self):
        """Sort all rows by their scores, the best first."""
        rows, last = self.rows, FIELDS * self._most
        count = 0
        for i in range(self.count):
            _copy(rows, FIELDS * i, last)
            count = _insert(rows, count, self._most)

    def suppress(self, limit, class_wise):
        """Remove each box that overlaps a better one by more than `limit`, ONE for 1.0."""
        self.count = _suppress(self.rows, self.count, limit, int(class_wise))
