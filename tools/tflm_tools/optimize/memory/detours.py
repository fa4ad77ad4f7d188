# tflm_tools: the cheapest ways to a place of a model, and those by other forms of a part of it
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf

from .costs import least_cycles
from .edges import LONGEST, Edges


def reach(edges, best, last, limits, latest=None):
    """Let best[last] be the cheapest way to a place: (cycles, Edge or Detour, the way before).

    best: the same for places before, None where no way leads to; best[last] may be one already.
    Edges begin at `latest` at the latest. Bands are only for what does not fit without, and less
    scratch than usual where there are none.
    """
    limit = limits.single
    is_wide = edges.single(last - 1).arena > limit
    latest = last - 1 if latest is None else latest

    def offer(edge):
        cycles = best[edge.first][0] + edge.cycles
        if best[last] is None or cycles < best[last][0]:
            best[last] = cycles, edge, best[edge.first]

    if best[last - 1] is not None and last - 1 <= latest:
        edge = edges.narrow(last - 1, limit) if is_wide else edges.stored(last - 1, limit)
        if edge is not None:
            offer(edge)
    for first in range(last - 2, edges.longest(last) - 1, -1):
        is_wide = is_wide or edges.single(first).arena > limit
        if is_wide and best[first] is not None and first <= latest:
            below = inf if best[last] is None else best[last][0] - best[first][0]
            edge = edges.banded(first, last, limits, below)
            if edge is not None:
                offer(edge)


class Detour:
    """Ways through another form of a part of the model: a SecondPass, or PooledGroups.

    What runs before and behind it runs as in the model itself. cycles: what the form takes more,
    by itself.
    """

    def __init__(self, form, probe, target):
        self.form = form
        self._more = len(form.copies) - len(form.dropped)
        self.cycles = least_cycles(form.copies, probe, target)
        self.cycles -= least_cycles(form.dropped, probe, target)
        self._probe = probe
        self._edges = None
        self._inner = []  # the ways to its places

    def is_for(self, edges):
        """True for the Edges that it goes by."""
        return edges is self._edges

    def forget(self, last=0):
        """Note that ways to places from `last` on may be others than when it was offered."""
        del self._inner[last:]

    def offer(self, best, limits):
        """Let places behind be reached through it: best and Limits as for reach().

        All places up to that of its reader must have been reached. What was found the last time is
        as it was but for what forget() tells of.
        """
        first = self.form.first
        reader = self.form.reader + self._more
        self._edges = self._edges or Edges(self.form.graph, self._probe)
        inner, end = self._inner, min(len(self._edges.nodes), reader + LONGEST) + 1
        if any(way is not known for way, known in zip(best, inner[: first + 1], strict=False)):
            inner.clear()
        inner += best[len(inner) : first + 1]
        for last in range(len(inner), end):
            inner.append(None)
            reach(self._edges, inner, last, limits, reader)
        for last in range(reader + 1, end):
            if inner[last] is None:
                continue
            cycles, behind = inner[last][0] + self.cycles, last - self._more
            if best[behind] is None or cycles < best[behind][0]:
                best[behind] = cycles, self, inner[last]
