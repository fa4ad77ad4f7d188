# tflm_tools: RowDependencies: how many rows of each feature map exist while one operator advances
# MIT license; Copyright (c) 2026 the tflm authors


class RowDependencies:
    """How many rows of each feature map of a region exist after each row of one operator.

    That operator sets the pace: operators that depend on it compute all rows that they can, and
    the other operators compute the rows that these need.

    rows: rows of the pacing operator's output.
    available: {key: [rows that exist after 0, 1, 2... rows of the pacing operator]}.

    1. Walk forwards from the pacing operator: each operator that depends on it computes what its
       inputs allow.
    2. Walk backwards through the others: each one computes what its readers need.
    3. All rows of feature maps that nothing in the region writes exist from the beginning.
    """

    def __init__(self, region, position):
        self._region = region
        key = region.outputs[position]
        self.rows = region.feature_maps[key].rows
        rounded_up = region.accesses[position].rows.rounded_up
        self.available = {key: list(map(rounded_up, range(self.rows + 1)))}
        for at in range(position + 1, len(region.nodes)):
            self._forward(at)
        for at in range(len(region.nodes) - 1, -1, -1):
            key = region.outputs[at]
            if key not in self.available:
                self.available[key] = self._backward(region.feature_maps[key])
        for key, feature_map in region.feature_maps.items():
            self.available.setdefault(key, [feature_map.rows] * (self.rows + 1))

    def band_count(self, height):
        """Return the number of bands of `height` rows of the pacing operator."""
        return -(-self.rows // height)

    def computed_rows(self, height):
        """Return {key: rows that exist before the first and after each band of `height` rows}."""
        rest = self.rows % height > 0
        return {key: rows[::height] + rest * rows[-1:] for key, rows in self.available.items()}

    # Step 1: the rows that an operator can compute, if it depends on the pacing operator.
    def _forward(self, position):
        region = self._region
        inputs = [self.available[key] for key in region.inputs[position] if key in self.available]
        if inputs:
            computable = region.accesses[position].rows.computable
            rows = [computable(min(available)) for available in zip(*inputs, strict=True)]
            rows[0] = 0  # also if the first output rows need padding only
            self.available[region.outputs[position]] = rows

    # Step 2: the rows of a feature map that its readers need. In the end, all rows exist if other
    # operators need them, or if they come from a source, which delivers every row.
    def _backward(self, feature_map):
        accesses = self._region.accesses
        writer, needed = accesses[feature_map.writer], [0] * (self.rows + 1)
        for position, _ in feature_map.readers:
            end, rows = accesses[position].rows.end, self.available[self._region.outputs[position]]
            needed = [
                max(before, end(count - 1)) if count else before
                for before, count in zip(needed, rows, strict=True)
            ]
        needed = list(map(writer.rows.rounded_up, needed))
        if feature_map.is_needed_after or not writer.inputs:
            needed[-1] = feature_map.rows
        return needed
