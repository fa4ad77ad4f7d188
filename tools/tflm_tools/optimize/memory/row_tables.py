# tflm_tools: RowTables: what Rows tell row by row, as arrays, for many bands at once
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

_NEVER = 1 << 40  # behind any row


class RowTables:
    """A Rows, Spread or Listed (plan/windows.py) as arrays of int64.

    first[row]: the first row of the input that a row of the output needs, far behind all of them
    for the row behind the last one. behind[count]: the row behind the last one that `count` rows
    of the output need, 0 for none. possible[count]: rows of the output that `count` rows of the
    input are enough for. whole[count]: rows that are made where `count` are needed. read[count]:
    how many rows of the input `count` rows of the output need; strides may leave some out.
    """

    def __init__(self, rows):
        outputs = range(rows.output_rows)
        self.first = np.array([*map(rows.first, outputs), _NEVER])
        self.behind = np.array([0, *map(rows.behind, outputs)])
        self.possible = np.array([rows.possible(there) for there in range(rows.input_rows + 1)])
        self.whole = np.array([rows.whole(count) for count in range(rows.output_rows + 1)])
        before = np.maximum.accumulate(self.behind[:-1])
        read = np.maximum(0, self.behind[1:] - np.maximum(before, self.first[:-1]))
        self.read = np.concatenate([[0], np.cumsum(read)])
