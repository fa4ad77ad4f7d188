# tflm_tools: how many rows bands have made of each value of a region, where one sets the pace
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np


def made_by(region, pace, heights, columns):
    """{key: the row behind the last one that is there once each band has run}, of what is written.

    Arrays with a row for each height: of the rows that a band makes more of the output of the
    operator at `pace`; columns are bands, from 0, before all of them, on.
    """
    return _Made(region, pace, np.array(heights), columns).rows


class _Made:
    def __init__(self, region, pace, heights, columns):
        self._region, key = region, region.outputs[pace]
        count, bands = region.values[key].rows, np.arange(columns)
        self._is_over = bands >= -(-count // heights)[:, None]
        counts = np.minimum(np.outer(heights, bands), count)
        self.rows = {key: region.ways[pace].tables.whole[counts]}
        for place in range(pace + 1, len(region.nodes)):
            self._push(place)
        for place in range(len(region.nodes) - 1, -1, -1):
            if region.outputs[place] not in self.rows:
                self._pull(place)

    # Rows of an operator's output that can be made of the inputs that are there, if it depends on
    # the one that sets the pace.
    def _push(self, place):
        given = [self.rows[key] for key in self._region.inputs[place] if key in self.rows]
        if given:
            made = self._region.ways[place].tables.possible[np.minimum.reduce(given)]
            made[:, 0] = 0  # also of what begins with rows of padding
            self.rows[self._region.outputs[place]] = made

    # Rows of a value that its readers need by the end of each band; all of them in the end, where
    # others need them, and of an input by rows, whose source gives every row.
    def _pull(self, place):
        key, way = self._region.outputs[place], self._region.ways[place]
        value = self._region.values[key]
        needed = [self._needed(at) for at, _ in value.readers]
        made = way.tables.whole[np.maximum.reduce(needed)]
        if value.stays or not way.inputs:
            made[self._is_over] = value.rows
        self.rows[key] = made

    # Rows of its inputs that an operator needs for what is made of its output.
    def _needed(self, place):
        return self._region.ways[place].tables.behind[self.rows[self._region.outputs[place]]]
