# tflm_tools: which regions of a model run in bands, and how high these are
# MIT license; Copyright (c) 2026 the tflm authors

from .costs import node_cycles
from .edges import Edges
from .fusion import Fusion

_STEP = 256  # bytes between two limits that are tried


class Search:
    """Looks for the cheapest way to run a model in an arena of a given size.

    base_cycles: what it takes with nothing in bands, by estimate.
    """

    def __init__(self, graph, target=None, packing=None, miss=None):
        self.edges = Edges(graph, target, packing, miss)
        self.nodes, self.storing = self.edges.nodes, self.edges.storing
        self.base_cycles = sum(node_cycles(node, target) for node in self.nodes)
        self.base_cycles += sum(c[0].cycles for c in map(self.storing.choices, self.nodes) if c)

    # The cheapest way through the model with at most `limit` bytes: (cycles, edges), or None.
    # Edges that nobody has looked at may need more; those in bands at most a share of the limit.
    def _path(self, limit, share=1.0):
        count = len(self.nodes)
        best = [None] * (count + 1)
        best[0] = 0, None, None  # cycles, Edge, what comes before
        wide = [edge.arena > limit for edge in self.edges.singles]
        for last in range(1, count + 1):
            if best[last - 1] is not None and not wide[last - 1]:
                best[last] = best[last - 1][0], self.edges.singles[last - 1], best[last - 1]
            is_wide = wide[last - 1]
            for first in range(last - 2, self.edges.longest(last) - 1, -1):
                is_wide = is_wide or wide[first]
                if not is_wide or best[first] is None:
                    continue
                for edge in self.edges.banded(first, last, share * limit):
                    cycles = best[first][0] + edge.cycles
                    if best[last] is None or cycles < best[last][0]:
                        best[last] = cycles, edge, best[first]
        if best[-1] is None:
            return None
        edges, at = [], best[-1]
        while at[1] is not None:
            edges.append(at[1])
            at = at[2]
        return best[-1][0], edges[::-1]

    def within(self, limit, most=None, share=1.0):
        """The cheapest Fusion that needs at most `limit` bytes, or None.

        most: cycles that it may cost. share: of the limit that its regions may need.
        """
        while True:
            found = self._path(limit, share)
            if found is None or most is not None and found[0] > most:
                return None
            unsure = [edge for edge in found[1] if not edge.is_sure]
            if not unsure:
                fusion = Fusion([], limit, found[0])
                for edge in found[1]:
                    if edge.progress is not None:
                        fusion.chains.append(edge.progress)
                        fusion.stored.update(edge.stored)
                return fusion
            self.edges.look_at(unsure[0])

    def cheapest(self, most, cycles, step=_STEP):
        """The Fusion with the least arena that costs at most `cycles`, by halving; `most`: bytes.

        cycles: None for any number; step: bytes between two limits. None when nothing below `most`
        does.
        """
        low, high, best = 0, most // step, None
        while low < high:
            middle = (low + high) // 2
            fusion = self.within(middle * step, cycles)
            if fusion is not None:
                best, high = fusion, middle
            else:
                low = middle + 1
        return best
