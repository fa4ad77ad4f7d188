# tflm_tools: RewritePath: the cheapest paths through a rewritten part of a model
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf

from ..costs import min_cycles
from .edges import MAX_REGION, ModelEdges

# A path leads from the beginning of a model to a position: (cycles, Edge or RewritePath, the path
# before that). The path to position 0 is (0, None, None). A list of paths has the best known path
# to each position, or None.


def relax(edges, paths, end, limit, latest_start=None):
    """Set paths[end] to the cheapest path, by an Edge from any earlier position.

    edges: ModelEdges. paths: the paths to all positions before `end`; paths[end] may be set, too.
    limit: bytes of arena. latest_start: Edges start at this position or earlier.
    An operator by itself is tried first. Bands, and layouts with little scratch, are tried only if
    an operator by itself exceeds the limit.
    """
    exceeds = edges.single(end - 1).arena > limit
    latest_start = end - 1 if latest_start is None else latest_start

    def offer(edge):
        cycles = paths[edge.first][0] + edge.cycles
        if paths[end] is None or cycles < paths[end][0]:
            paths[end] = cycles, edge, paths[edge.first]

    if paths[end - 1] is not None and end - 1 <= latest_start:
        if exceeds:
            edge = edges.with_small_scratch(end - 1, limit)
        else:
            edge = edges.with_layouts(end - 1, limit)
        if edge is not None:
            offer(edge)
    for first in range(end - 2, edges.earliest_start(end) - 1, -1):
        exceeds = exceeds or edges.single(first).arena > limit
        if exceeds and paths[first] is not None and first <= latest_start:
            max_cycles = inf if paths[end] is None else paths[end][0] - paths[first][0]
            edge = edges.banded(first, end, limit, max_cycles)
            if edge is not None:
                offer(edge)


class RewritePath:
    """Paths through a rewrite of a part of the model: a Recomputation, or PooledGroups.

    Operators before and after the part run as in the model. cycles: what the rewrite costs more,
    by itself. tensors: TemporaryTensors of the search.
    """

    def __init__(self, rewrite, node_costs, target, tensors):
        self.rewrite = rewrite
        self._more_nodes = len(rewrite.copies) - len(rewrite.dropped)
        self.cycles = min_cycles(rewrite.copies, node_costs, target)
        self.cycles -= min_cycles(rewrite.dropped, node_costs, target)
        self._node_costs, self._tensors = node_costs, tensors
        self._edges = None

    def offer(self, paths, limit):
        """Improve the paths of the model to positions after the rewritten part.

        paths: complete up to the position after the rewrite's reader. limit: bytes.
        """
        first = self.rewrite.first
        reader = self.rewrite.reader + self._more_nodes
        if self._edges is None:
            self._edges = ModelEdges(self.rewrite.graph, self._node_costs, self._tensors)
        own_paths = paths[: first + 1]  # to the positions of the rewritten graph
        end = min(len(self._edges.nodes), reader + MAX_REGION) + 1
        for position in range(first + 1, end):
            own_paths.append(None)
            relax(self._edges, own_paths, position, limit, reader)
        for position in range(reader + 1, end):
            if own_paths[position] is None:
                continue
            cycles, target = own_paths[position][0] + self.cycles, position - self._more_nodes
            if paths[target] is None or cycles < paths[target][0]:
                paths[target] = cycles, self, own_paths[position]
