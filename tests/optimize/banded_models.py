# Test support: models whose banded chains are given, and all plans that a search may choose from
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf

from support import runner
from support.case import Case
from support.oracle import shared_oracle
from tflm.tflite.graph import Tensor
from tflm.tflite.reader import TfliteModel
from tflm_tools.bands.band_schedule import BandSchedule
from tflm_tools.bands.region import RegionFinder
from tflm_tools.bands.write import write_chain
from tflm_tools.image.flat_image import image_of
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.search.band_plan import BandPlan, apply_band_plan
from tflm_tools.optimize.memory.search.edge import Edge

_NO_LIMIT = 1 << 50  # bytes
_TOO_LARGE = 1 << 60  # more than any limit


# A tensor that belongs to no graph.
def _temporary_tensor(name, dtype, shape, like):
    return Tensor(1 << 24, name, dtype, tuple(shape))


def banded_model(model, chains, target=None, warm_up=False):
    """Return (flat model, RomStorage, Graph) of a .tflite in which some operators run in bands.

    chains: [(first operator, last operator, *arguments of BandSchedule after the region)].
    warm_up: add warm-up bands if they help. Returns None if a chain cannot run in bands.
    """
    graph = Graph(TfliteModel(model))
    graph.overlap = True
    finder = RegionFinder(graph.running()[0])
    regions = [(finder.region(first, last + 1), options) for first, last, *options in chains]
    if any(region is None for region, _ in regions):
        return None
    schedules = [BandSchedule(region, *options) for region, options in regions]
    schedules = [warm_up and each.with_warm_up_bands() or each for each in schedules]
    if any(write_chain(each, _temporary_tensor) is None for each in schedules):
        return None
    edges = [Edge(each.region.first, each.region.end, 0, schedule=each) for each in schedules]
    graph = apply_band_plan(graph, BandPlan(edges))
    storage = prepare_graph(graph, target=target)
    return image_of(model, graph, storage), storage, graph


def all_candidates(edges, first, end, limit=_NO_LIMIT):
    """Return the Edges of operators first..end-1 in bands that may keep to `limit` bytes.

    edges: a ModelEdges.
    """
    candidates, found = edges.candidates(first, end), []
    edge = candidates and candidates.cheapest(limit, inf)
    while edge:
        found.append((edge, edge.arena))
        edge.arena = _TOO_LARGE  # so that the next one is found
        edge = candidates.cheapest(limit, inf)
    for edge, arena in found:
        edge.arena = arena
    if candidates:
        candidates.update()
    return [edge for edge, _ in found]


def all_edges(edges):
    """Return all planned Edges of a ModelEdges: single operators, and all regions in bands."""
    count = len(edges.nodes)
    found = [edges.single(position) for position in range(count)]
    for first in range(count - 1):
        for end in range(first + 2, count + 1):
            found += all_candidates(edges, first, end)
    for edge in found:
        while not edge.is_planned and edge.arena < 1 << 30:
            lower_bound = edge.arena if edge.band_costs else 0
            edges.examine(edge)
            assert edge.arena >= lower_bound
    return [edge for edge in found if edge.is_planned]


def all_paths(edges, start, count):
    """Yield all paths from operator `start` to the end of `count` operators, as lists of Edges."""
    if start == count:
        yield []
    for edge in edges:
        if edge.first == start:
            for rest in all_paths(edges, edge.end, count):
                yield [edge, *rest]


def differences_from_tflm(models, slices=(1, 3), ranges=None):
    """Run flat models and TFLM with random inputs; return a text for each model that differs.

    models: [(name, .tflite, flat model)]. ranges: of the inputs; see Case.
    """
    judged, jobs = [], []
    for name, model, flat in models:
        case = Case(name, model, inputs="random", runs=2, slices=slices, ranges=ranges or {})
        runs = case.input_lists()
        judged.append((case, case.wanted(shared_oracle(), runs)))
        jobs.append(case.job("banded", flat, runs))
    outcomes = runner.run(jobs, timeout=60.0, modules=runner.REPOSITORY / "modules")
    texts = [w.judge(c, "banded", o) for (c, w), o in zip(judged, outcomes, strict=True)]
    return [text for text in texts if text]
