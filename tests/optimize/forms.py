# Models in bands for tests: what to fuse is said, not searched for
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf

from support import runner
from support.case import Case
from support.oracle import shared_oracle
from tflm.tflite.graph import Tensor
from tflm.tflite.reader import TfliteModel
from tflm_tools.image.flat_image import image_of
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.bands import in_bands
from tflm_tools.optimize.memory.edge import Edge, Limits
from tflm_tools.optimize.memory.fusion import Fusion, apply
from tflm_tools.optimize.memory.progress import Progress
from tflm_tools.optimize.memory.regions import Regions


# A tensor that is thrown away again.
def _scrap(name, dtype, shape, like):
    return Tensor(1 << 24, name, dtype, tuple(shape))


def banded(model, chains, target=None, led=False):
    """(flat model, RomStorage, Graph) of a .tflite with [(first node, last node, ...)].

    What follows in a tuple is for Progress; led: with bands in front, where these are of use. None
    where these cannot run in bands.
    """
    graph = Graph(TfliteModel(model))
    graph.overlap = True
    regions = Regions(graph.running()[0])
    found = [(regions.region(first, last + 1), pace) for first, last, *pace in chains]
    if any(region is None for region, _ in found):
        return None
    ways = [Progress(region, *pace) for region, pace in found]
    ways = [led and way.led() or way for way in ways]
    if any(in_bands(progress, _scrap) is None for progress in ways):
        return None
    edges = [Edge(way.region.first, way.region.last, 0, progress=way) for way in ways]
    graph = apply(graph, Fusion(edges))
    storage = prepare_graph(graph, target=target)
    return image_of(model, graph, storage), storage, graph


def every_way(edges, first, last, limit=1 << 50):
    """Edges for all ways to run a region in bands for which `limit` bytes may do."""
    known, found = edges.ways(first, last), []
    edge = known and known.cheapest(Limits(limit, limit, limit), inf)
    while edge:
        found.append((edge, edge.arena, edge.may_need))
        edge.arena, edge.may_need = 1 << 60, 0  # so the next one is another one
        edge = known.cheapest(Limits(limit, limit, limit), inf)
    for edge, arena, may_need in found:
        edge.arena, edge.may_need = arena, may_need
    if known:
        known.changed()
    return [edge for edge, *_ in found]


def every_edge(edges):
    """All Edges of a model, looked at: operators by themselves and all regions in bands."""
    count = len(edges.nodes)
    found = [edges.single(place) for place in range(count)]
    for first in range(count - 1):
        for last in range(first + 2, count + 1):
            found += every_way(edges, first, last)
    for edge in found:
        while not edge.is_sure and edge.arena < 1 << 30:
            least = edge.arena if edge.needs else 0
            edges.look_at(edge)
            assert edge.arena >= least
    return [edge for edge in found if edge.is_sure]


def ways(edges, at, count):
    """All ways from operator `at` to the last one, as lists of Edges."""
    if at == count:
        yield []
    for edge in edges:
        if edge.first == at:
            for rest in ways(edges, edge.last, count):
                yield [edge, *rest]


def failures(forms, slices=(1, 3), ranges=None):
    """What is wrong with [(name, .tflite, flat model)], beside TFLM: a list of texts.

    ranges: of random inputs, as Case has them.
    """
    judged, jobs = [], []
    for name, model, flat in forms:
        case = Case(name, model, inputs="random", runs=2, slices=slices, ranges=ranges or {})
        runs = case.input_lists()
        judged.append((case, case.wanted(shared_oracle(), runs)))
        jobs.append(case.job("banded", flat, runs))
    outcomes = runner.run(jobs, timeout=60.0, modules=runner.REPOSITORY / "modules")
    texts = [w.judge(c, "banded", o) for (c, w), o in zip(judged, outcomes, strict=True)]
    return [text for text in texts if text]
