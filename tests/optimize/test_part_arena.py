# Tests of plans for parts of a model: more tries if a limit is near
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.banded_models import all_candidates
from optimize.test_channel_groups import InvertedResiduals
from tflm.tflite.reader import TfliteModel
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory import part_arena
from tflm_tools.optimize.memory.node_costs import NodeCostTable
from tflm_tools.optimize.memory.search.edges import ModelEdges


# A plan with a limit at or above its optimistic bytes gets more tries and is final, so that no
# search examines it again and again.
@pytest.mark.parametrize("unrelated", (0, 7, 1024))
def test_plan_with_more_tries_is_final(monkeypatch, unrelated):
    for size in range(1, 1200):
        monkeypatch.setattr(
            part_arena, "place_buffers", lambda lifetimes, tries, size=size: (size, [])
        )
        plan = part_arena._planned(None, unrelated, 0, True)
        optimistic = plan.optimistic_bytes
        assert plan.size == unrelated + size and unrelated < optimistic <= plan.size
        for limit in (optimistic, optimistic + 0.04, 0.96 * optimistic / 0.96):
            if optimistic <= limit < plan.size:
                assert part_arena._planned(None, unrelated, limit, True).optimistic_bytes == 0


# An Edge that was planned for another limit fits a near limit just if it does when it is planned
# for that limit at once.
def test_near_limits():
    improved = 0
    for number in range(6):
        graph = Graph(TfliteModel(InvertedResiduals(f"near {number}", blocks=3).model))
        count = len(graph.running()[0].nodes)
        first, second = (ModelEdges(graph, NodeCostTable(graph)) for _ in range(2))
        candidates = [all_candidates(edges, 0, count)[:12] for edges in (first, second)]
        for edge, other in zip(*candidates, strict=True):
            for _ in range(2):
                first.examine(edge)
            limit = edge.arena - 16
            for _ in range(2):
                second.examine(other, limit)
            if any(each is edge for each in all_candidates(first, 0, count, limit)):
                assert not edge.is_known(limit)
                first.examine(edge, limit)
                assert edge.is_known(limit) or edge.arena > limit
            fits = other.is_planned and other.arena <= limit
            assert (edge.arena <= limit) == fits
            improved += fits
    assert improved
