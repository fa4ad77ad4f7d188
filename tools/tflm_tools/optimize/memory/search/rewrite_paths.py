# tflm_tools: RewritePath: the cheapest paths through a rewritten part of a model
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf

from .. import costs
from .edges import MAX_REGION, ModelEdges

# A path leads from the beginning of a model to a position: (cycles, Edge or RewritePath, the path
# before that). The path to position 0 is (0, None, None). A list of paths has the best known path
# to each position, or None.


def relax(edges, paths, end, limit, latest_start=None):
    """Set paths[end] to the cheapest path, by an Edge from any earlier position.

    edges: ModelEdges. paths: the paths to all positions before `end`; paths[end] may be set, too.
    limit: bytes of arena. latest_start: Edges start at this position or earlier.
    The choice depends on the differences between the cycles of the paths, not on the cycles. So
    the Edge of the last call is chosen again if these differences are the same, and no Edge to
    `end` has changed.
    """
    latest_start = end - 1 if latest_start is None else latest_start
    first = min(edges.earliest_start(end), end - 1)
    nearby = [path and path[0] for path in paths[first : end + 1]]
    base = next((cycles for cycles in nearby if cycles is not None), 0)
    key = limit, latest_start, [cycles if cycles is None else cycles - base for cycles in nearby]
    last_key, edge = edges.last_choices.get(end, (None, None))
    if last_key != key:
        edge = _cheapest_edge(edges, paths, end, limit, latest_start)
        edges.last_choices[end] = key, edge
    if edge is not None:
        paths[end] = paths[edge.first][0] + edge.cycles, edge, paths[edge.first]


# The Edge of the cheapest path to a position, for relax(); None if no Edge makes it cheaper. An
# operator by itself is tried first. Bands, and layouts with little scratch, are tried only if an
# operator by itself exceeds the limit.
def _cheapest_edge(edges, paths, end, limit, latest_start):
    cheapest, min_cycles = None, inf if paths[end] is None else paths[end][0]
    exceeds = edges.single(end - 1).arena > limit
    if paths[end - 1] is not None and end - 1 <= latest_start:
        if exceeds:
            edge = edges.with_small_scratch(end - 1, limit)
        else:
            edge = edges.with_layouts(end - 1, limit)
        if edge is not None and paths[end - 1][0] + edge.cycles < min_cycles:
            cheapest, min_cycles = edge, paths[end - 1][0] + edge.cycles
    for first in range(end - 2, edges.earliest_start(end) - 1, -1):
        exceeds = exceeds or edges.single(first).arena > limit
        if exceeds and paths[first] is not None and first <= latest_start:
            edge = edges.banded(first, end, limit, min_cycles - paths[first][0])
            if edge is not None and paths[first][0] + edge.cycles < min_cycles:
                cheapest, min_cycles = edge, paths[first][0] + edge.cycles
    return cheapest


class RewritePath:
    """Paths through a rewrite of a part of the model: a Recomputation, or PooledGroups.

    Operators before and after the part run as in the model. cycles: what the rewrite costs more,
    by itself. tensors: TemporaryTensors of the search.
    """

    def __init__(self, rewrite, node_costs, target, tensors):
        self.rewrite = rewrite
        self._more_nodes = len(rewrite.copies) - len(rewrite.dropped)
        self.cycles = costs.min_cycles(rewrite.copies, node_costs, target)
        self.cycles -= costs.min_cycles(rewrite.dropped, node_costs, target)
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
