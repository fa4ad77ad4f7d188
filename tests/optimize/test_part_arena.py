# Tests of plans of parts of a model: many tries where a limit is near, whenever it comes
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.forms import every_way
from optimize.test_channel_groups import Inverted
from tflm.tflite.reader import TfliteModel
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory import part_arena
from tflm_tools.optimize.memory.edges import Edges
from tflm_tools.optimize.memory.probe import Probe


# With a limit of what a plan of more tries may need there are these tries, so that no search looks
# at one again and again.
@pytest.mark.parametrize("beside", (0, 7, 1024))
def test_second_looks_are_the_last(monkeypatch, beside):
    for size in range(1, 1200):
        monkeypatch.setattr(part_arena, "place", lambda lives, tries, size=size: (size, []))
        found = part_arena._planned(None, beside, 0, True)
        assert found.size == beside + size and beside < found.may_need <= found.size
        for limit in (found.may_need, found.may_need + 0.04, 0.96 * found.may_need / 0.96):
            if found.may_need <= limit < found.size:
                assert part_arena._planned(None, beside, limit, True).may_need == 0


# A limit that comes near only later finds what one finds that was near from the start.
def test_limits_that_come_near():
    better = 0
    for number in range(6):
        graph = Graph(TfliteModel(Inverted(f"near {number}", blocks=3).model))
        count = len(graph.running()[0].nodes)
        before, behind = Edges(graph, Probe(graph)), Edges(graph, Probe(graph))
        ways = [every_way(each, 0, count)[:12] for each in (before, behind)]
        for edge, other in zip(*ways, strict=True):
            for _ in range(2):
                before.look_at(edge)
            limit = edge.arena - 16
            for _ in range(2):
                behind.look_at(other, limit)
            if any(each is edge for each in every_way(before, 0, count, limit)):
                assert not edge.is_known(limit)
                before.look_at(edge, limit)
                assert edge.is_known(limit) or edge.arena > limit
            fits = other.is_sure and other.arena <= limit
            assert (edge.arena <= limit) == fits
            better += fits
    assert better
