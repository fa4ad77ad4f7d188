# tflm_tools: Pace: how many rows of each value of a region there are, as one operator goes on
# MIT license; Copyright (c) 2026 the tflm authors


class Pace:
    """What is there of a Region when the operator at a place has made 0, 1, 2... rows.

    What depends on it has made as many rows as it can then, and the others as many as this needs.
    rows: of its output. there: {key: rows of each value, by rows of that}.
    """

    def __init__(self, region, place):
        self._region = region
        key = region.outputs[place]
        self.rows = region.values[key].rows
        whole = region.ways[place].rows.whole
        self.there = {key: list(map(whole, range(self.rows + 1)))}
        for at in range(place + 1, len(region.nodes)):
            self._push(at)
        for at in range(len(region.nodes) - 1, -1, -1):
            if region.outputs[at] not in self.there:
                self.there[region.outputs[at]] = self._pull(region.values[region.outputs[at]])
        for key, value in region.values.items():
            self.there.setdefault(key, [value.rows] * (self.rows + 1))

    def bands(self, height):
        """How many bands of `height` rows there are."""
        return -(-self.rows // height)

    def made(self, height):
        """{key: rows that are there behind each band of `height` rows}, 0 rows first."""
        rest = self.rows % height > 0
        return {key: rows[::height] + rest * rows[-1:] for key, rows in self.there.items()}

    # Rows of an operator's output that can be made of the inputs that are there, if it depends on
    # the one that sets the pace.
    def _push(self, place):
        region = self._region
        given = [self.there[key] for key in region.inputs[place] if key in self.there]
        if given:
            possible = region.ways[place].rows.possible
            made = [possible(min(there)) for there in zip(*given, strict=True)]
            made[0] = 0  # also of what begins with rows of padding
            self.there[region.outputs[place]] = made

    # Rows of a value that its readers need; all of them in the end, where others need them, and of
    # an input by rows, whose source gives every row.
    def _pull(self, value):
        ways = self._region.ways
        whole, wanted = ways[value.writer].rows.whole, [0] * (self.rows + 1)
        for place, _ in value.readers:
            behind, made = ways[place].rows.behind, self.there[self._region.outputs[place]]
            wanted = [
                max(before, behind(count - 1)) if count else before
                for before, count in zip(wanted, made, strict=True)
            ]
        wanted = list(map(whole, wanted))
        if value.stays or not ways[value.writer].inputs:
            wanted[-1] = value.rows
        return wanted
