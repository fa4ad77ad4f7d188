# tflm_tools: Region: consecutive operators of a graph that can run in bands together
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from functools import cached_property

from ..model.graph import root_of
from .channel_groups import group_counts
from .peak_memory import RegionMemory
from .row_access import row_access_of
from .row_dependencies import RowDependencies
from .row_windows import SlidingRows

_FEW_BANDS = (16, 8, 4, 3)  # numbers of bands that are tried with high bands


@dataclass
class FeatureMap:
    """A tensor that a region reads or writes by rows, whatever views of it operators use.

    writer: position in the region of the operator that writes it; None if it exists before.
    readers: [(position of an operator, position among its inputs)].
    is_internal: only the region uses it, so a buffer for some rows is enough.
    is_needed_after: it is read after the region, too.
    """

    tensor: object
    rows: int
    writer: int | None = None
    readers: list = field(default_factory=list)
    is_internal: bool = False
    is_needed_after: bool = True

    @cached_property
    def row_bytes(self):
        return self.tensor.nbytes() // self.rows


@dataclass
class Region:
    """Operators first..end-1 of a model, in this order; the last one needs all the others.

    A position is a number among `nodes`; a key identifies a FeatureMap.
    accesses: the RowAccess of each node. feature_maps: {key: FeatureMap}.
    inputs: for each node, the keys that it reads by rows, in the order of RowAccess.inputs.
    outputs: the key that each node writes.
    rows_read: a cache of BandLowerBound and peak_memory.py.
    """

    first: int
    end: int
    nodes: list
    accesses: list
    feature_maps: dict = field(default_factory=dict)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    rows_read: dict = field(default_factory=dict)
    _dependencies: dict = field(default_factory=dict)
    _memory: dict = field(default_factory=dict)

    def dependencies(self, position):
        """Return the RowDependencies with the operator at a position as pacing operator."""
        if position not in self._dependencies:
            self._dependencies[position] = RowDependencies(self, position)
        return self._dependencies[position]

    def memory(self, recomputed):
        """Return the RegionMemory for bands that recompute these feature maps."""
        key = tuple(recomputed.items())
        if key not in self._memory:
            self._memory[key] = RegionMemory(self, recomputed)
        return self._memory[key]

    def band_heights(self, heights):
        """Return [(rows of a band, position of the pacing operator)] that may be tried.

        Bands have `heights` rows of the last output, or of a finer feature map if this is less
        than a row of the last output. There are at least two bands. Heights that give a few bands
        only are added for feature maps with many rows.
        """
        rows_of = [self.feature_maps[key].rows for key in self.outputs]
        last = [*heights, *_heights_of_few_bands(rows_of[-1], heights)]
        candidates = [(h, len(rows_of) - 1) for h in last if 2 * h <= rows_of[-1]]
        for rows in sorted({rows for rows in rows_of if rows > rows_of[-1]}):
            position = max(i for i, count in enumerate(rows_of) if count == rows)
            finer = [*heights, *_heights_of_few_bands(rows, heights)]
            candidates += [(h, position) for h in finer if h * max(rows_of[-1], 2) < rows]
        return candidates

    def recompute_options(self):
        """Return [{key: number of channel groups}]: feature maps that bands may recompute.

        A recomputed feature map keeps no rows between bands. This pays if it is computed row by
        row from fewer bytes than it has: a 1x1 convolution that expands, before a depthwise one
        (inverted residual). With more than one channel group, both run for some channels at a
        time.
        """
        groups = {key: self._group_counts(key) for key in self.outputs if self._is_cheap(key)}
        if not groups:
            return []
        # Either rows of the widest feature map are as short as possible, and other rows are not
        # cut shorter than that; or all rows are as short as possible.
        row_bytes = {key: self.feature_maps[key].row_bytes for key in groups}
        shortest = max(size / groups[key][-1] for key, size in row_bytes.items())
        fewest_groups = {
            key: next(count for count in counts if row_bytes[key] / count <= shortest)
            for key, counts in groups.items()
        }
        most_groups = {key: counts[-1] for key, counts in groups.items()}
        options = [dict.fromkeys(groups, 1)]
        return options + [each for each in (fewest_groups, most_groups) if each not in options]

    # True if a feature map is worth recomputing.
    def _is_cheap(self, key):
        feature_map = self.feature_maps[key]
        rows, sources = self.accesses[feature_map.writer].rows, self.inputs[feature_map.writer]
        if not feature_map.is_internal or not sources or not isinstance(rows, SlidingRows):
            return False
        if rows.window > 1 or rows.stride > 1 or any(rows.padding):
            return False
        readers = [self.accesses[position] for position, _ in feature_map.readers]
        if any(reader.is_reduction for reader in readers):
            return False
        if not any(reader.has_windows for reader in readers):
            return False
        source_bytes = sum(self.feature_maps[source].row_bytes for source in sources)
        return source_bytes < feature_map.row_bytes

    def channel_groups(self, position, recomputed):
        """Return in how many channel groups an operator runs together with its only source.

        recomputed: {key: number of channel groups}, as in a BandSchedule.
        """
        sources = self.inputs[position]
        return recomputed.get(sources[0], 1) if len(sources) == 1 else 1

    def keys_read(self, position, recomputed):
        """Return [(position, key)] read by an operator and, in channel groups, by its source."""
        in_groups = self.channel_groups(position, recomputed) > 1
        positions = [position - 1, position] if in_groups else [position]
        return [(at, key) for at in positions for key in self.inputs[at]]

    def rows_needed(self, key, spans):
        """Return (first, end) of the rows of a feature map that its readers need.

        spans: {key of each reader's output: (first, end) of the rows that it computes}.
        """
        needed = []
        for position, _ in self.feature_maps[key].readers:
            (first, end), rows = spans[self.outputs[position]], self.accesses[position].rows
            if first < end and rows.first(first) < rows.end(end - 1):
                needed.append((rows.first(first), rows.end(end - 1)))
        firsts, ends = zip(*needed, strict=True) if needed else ((0,), (0,))
        return min(firsts), max(ends)

    # Into how many channel groups a feature map's writer and its only reader can be cut.
    def _group_counts(self, key):
        feature_map = self.feature_maps[key]
        position = feature_map.writer
        if feature_map.readers != [(position + 1, 0)] or len(self.inputs[position]) > 1:
            return [1]
        return group_counts(*self.nodes[position : position + 2])


# Heights that cut `rows` rows into a few bands, and are larger than all of `heights`.
def _heights_of_few_bands(rows, heights):
    few = [-(-rows // bands) for bands in _FEW_BANDS]
    return [height for height in few if height > max(heights, default=0)]


class RegionFinder:
    """Finds the regions of a GraphSubgraph whose order of operators stays."""

    def __init__(self, subgraph):
        self._nodes = subgraph.nodes
        self._accesses = [row_access_of(node) for node in subgraph.nodes]
        self._uses = {}  # number of a root: [first, last] position that reads or writes it
        self._cut = set()  # roots of which an operator uses some bytes only
        for position, node in enumerate(subgraph.nodes):
            for tensor in node.inputs + node.outputs:
                if tensor is None or tensor.is_constant():
                    continue
                root, _ = root_of(tensor)
                self._uses.setdefault(root.index, [position, position])[1] = position
                if tensor.nbytes() != root.nbytes():
                    self._cut.add(root.index)
        self._results = {root_of(t)[0].index for t in subgraph.output_tensors()}

    def can_run_in_bands(self, position):
        """Return True if the operator itself allows bands."""
        return self._accesses[position] is not None

    def earliest_start(self, end, max_operators):
        """Return the first position of the operators before `end` that can all run in bands."""
        first = end
        while first > 0 and end - first < max_operators and self.can_run_in_bands(first - 1):
            first -= 1
        return first

    def region(self, first, end):
        """Return the Region of operators first..end-1, or None if they cannot run in bands."""
        region = Region(first, end, self._nodes[first:end], self._accesses[first:end])
        if len(region.nodes) < 2 or None in region.accesses:
            return None
        for position, (node, access) in enumerate(zip(region.nodes, region.accesses, strict=True)):
            if not self._add(region, position, node, access):
                return None
        feature_maps = region.feature_maps
        if not any(feature_map.readers for feature_map in feature_maps.values()):
            return None
        last = len(region.nodes) - 1
        for position, key in enumerate(region.outputs):
            feature_map = feature_maps[key]
            if position < last and not feature_map.readers:
                return None  # the last operator does not need it
            feature_map.is_internal = not feature_map.is_needed_after and position < last
        return region

    # Add an operator to a region; False if its tensors do not allow that.
    def _add(self, region, position, node, access):
        written = set(region.outputs)
        keys = []
        for at, tensor in enumerate(node.inputs):
            if tensor is None or tensor.is_constant():
                continue
            key = root_of(tensor)[0].index
            if at not in access.inputs:
                if key in written:
                    return False
                continue
            # Views of a tensor are separate feature maps if the region does not write it.
            key = key if key in written else (key, tensor.index)
            if access.is_reduction and key not in written:
                return False  # all rows exist already
            feature_map = region.feature_maps.get(key)
            if feature_map is None:
                feature_map = self._feature_map(region, tensor, access.rows.input_rows)
                region.feature_maps[key] = feature_map
            if feature_map.rows != access.rows.input_rows:
                return False
            feature_map.readers.append((position, at))
            keys.append(key)
        region.inputs.append(keys)
        key = root_of(node.outputs[0])[0].index
        if key in self._cut or key in written or self._uses[key][0] < region.first + position:
            return False
        feature_map = self._feature_map(region, node.outputs[0], access.rows.output_rows)
        feature_map.writer = position
        region.feature_maps[key] = feature_map
        region.outputs.append(key)
        return True

    def _feature_map(self, region, tensor, rows):
        root = root_of(tensor)[0].index
        is_needed_after = self._uses[root][1] >= region.end or root in self._results
        return FeatureMap(tensor, rows, is_needed_after=is_needed_after)
