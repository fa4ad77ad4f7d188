# Tests of pooled groups: a convolution and the pool over all of its pixels, by groups of channels
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.forms import every_edge, failures, ways
from optimize.graphs import Network
from support.inputs import generator
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.image.flat_image import image_of
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.costs import least_cycles
from tflm_tools.optimize.memory.edges import Edges
from tflm_tools.optimize.memory.fusion import Fusion, apply
from tflm_tools.optimize.memory.levels import RAM, SPEED
from tflm_tools.optimize.memory.pooled_groups import pooled_groups
from tflm_tools.optimize.memory.probe import Probe
from tflm_tools.optimize.memory.search import Search
from tflm_tools.optimize.passes import passes_without

POOLS = ("MEAN", "kept MEAN", "SUM", "AVERAGE_POOL_2D", "MAX_POOL_2D")
CHANNELS = {96: [2, 4, 8], 200: [2, 5, 10], 104: [2, 13], 90: []}
SIDES = 7, 5


# The .tflite of something small, a convolution that makes many channels, a pool, and what reads it
# unless `last` says that the pool's output is the model's.
def classifier(name, pool, channels, size=1, last=False, sides=SIDES):
    net = Network(f"pooled {name}", (*sides, 8))
    wide = net.conv(net.inputs[0], channels, size)
    return net.build(*_ends(net, wide, pool, channels, last))


def _ends(net, wide, pool, channels, last):
    if pool.endswith(("MEAN", "SUM")):
        keeps = pool.startswith("kept")
        shape = (1, 1, 1, channels) if keeps else (1, channels)
        axes = [net.constant([1, 2])]
        pooled = net.unary(pool.split()[-1], wide, shape=shape, inputs=axes, keep_dims=keeps)
    else:
        pooled = _whole(net, wide, pool)
    return [pooled] if last else [net.dense(pooled, 3)]


# A pool whose window is the whole image.
def _whole(net, wide, pool):
    batch, height, width, channels = net.shapes[wide]
    output = net.tensor((batch, 1, 1, channels), *net.quantization[wide])
    net.builder.operator(
        pool, [wide], [output], filter_height=height, filter_width=width, stride_h=1, stride_w=1,
        padding="VALID",
    )  # fmt: skip
    return output


def _graph(model):
    graph = Graph(TfliteModel(model))
    graph.overlap = True
    return graph


@pytest.mark.parametrize("target", (None, "armv6m"))
def test_outputs(target):
    forms = []
    for number, pool in enumerate(POOLS):
        for channels, counts in CHANNELS.items():
            size, last = 1 + 2 * (number % 2), channels == 200
            model = classifier(f"{pool} {channels}", pool, channels, size, last)
            graph = _graph(model)
            found = pooled_groups(graph)
            assert [len(each.copies) // 2 for each in found] == counts
            for each in found:
                grouped = apply(graph, Fusion(forms=[each]))
                storage = prepare_graph(grouped, target=target)
                forms.append((f"{pool} {each.copies}", model, image_of(model, grouped, storage)))
    assert len(forms) == 40
    assert failures(forms) == []


# A PAD that went into the convolution stays there for each group: SAME pads other sides.
@pytest.mark.parametrize("pool", ("MEAN", "SUM", "AVERAGE_POOL_2D", "MAX_POOL_2D"))
@pytest.mark.parametrize("sides", (((1, 0), (1, 0)), ((3, 2), (3, 2))))
def test_folded_padding(pool, sides):
    net = Network(f"padded {pool} {sides}", (21, 21, 4))
    now = net.pad(net.conv(net.inputs[0], 4), sides)
    wide = net.conv(now, 48, 3 if sides[0][0] == 1 else 5, 2, "VALID")
    model = net.build(*_ends(net, wide, pool, 48, True))
    levels = levels_of(optimized_model(model, savings=passes_without())[0])
    graph = levels.model(RAM)[0]
    assert graph.grouped
    flat = image_of(model, graph, levels.prepared(graph))
    assert failures([("padded", model, flat)]) == []


# Where they do not help, or cannot be.
def test_others_stay():
    net = Network("pooled twice", (*SIDES, 8))
    wide = net.conv(net.inputs[0], 96)
    twice = net.build(*_ends(net, wide, "MEAN", 96, True), *_ends(net, wide, "SUM", 96, True))
    net = Network("pooled output", (*SIDES, 8))
    wide = net.conv(net.inputs[0], 96)
    seen = net.build(wide, *_ends(net, wide, "MEAN", 96, True))
    net = Network("pooled rows", (*SIDES, 8))
    wide = net.conv(net.inputs[0], 96)
    rows = net.unary("MEAN", wide, shape=(1, 5, 96), inputs=[net.constant([1])])
    for model in (twice, seen, net.build(rows), classifier("small", "MEAN", 96, sides=(4, 4))):
        assert pooled_groups(_graph(model)) == []


# They are for less RAM; the outputs are those of TFLM, and each weight is in the file once.
def test_level():
    model = classifier("level", "MEAN", 400, sides=(12, 12))
    levels = levels_of(optimized_model(model, savings=passes_without())[0])
    sizes, constants = {}, {}
    for level in (RAM, SPEED):
        storage = levels.prepared(levels.model(level)[0])
        sizes[level], constants[level] = storage.head_bytes, len(storage.constants)
    assert sizes[RAM] < 0.25 * sizes[SPEED]
    assert constants[RAM] <= constants[SPEED] + 64
    graph = levels.model(RAM)[0]
    flat = image_of(model, graph, levels.prepared(graph))
    assert failures([("level", model, flat)]) == []


# Whatever the limit: the search finds what trying everything finds, with groups and without.
@pytest.mark.parametrize("number", range(2))
def test_search_beside_brute_force(number):
    random = generator(f"pooled search {number}")
    net = Network(f"pooled search {number}", (12, 12, 4))
    now = net.conv(net.inputs[0], int(random.choice([8, 16])), 3, 2)
    now = net.conv(now, 128, 1)
    graph = _graph(net.build(*_ends(net, now, "MEAN", 128, False)))
    search, probe = Search(graph), Probe(graph)
    found = []  # (bytes, cycles) of each way
    for form in (None, *pooled_groups(graph)):
        edges = Edges(form.graph if form else graph, probe)
        more = 0
        if form:
            more = least_cycles(form.copies, probe, None) - least_cycles(form.dropped, probe, None)
        found += [
            (max(edge.arena for edge in way), more + sum(edge.cycles for edge in way))
            for way in ways(every_edge(edges), 0, len(edges.nodes))
        ]
    needs = sorted({arena for arena, _ in found})
    for limit in (needs[0] - 1, *needs):
        costs = [cycles for arena, cycles in found if arena <= limit]
        fusion = search.within(limit)
        assert (fusion and fusion.cycles) == (min(costs) if costs else None)
