# Tests of the order of operators: the lowest peak, late branches, and the same results
# MIT license; Copyright (c) 2026 the tflm authors

import itertools

from optimize.network import Network
from optimize.test_random_graphs import network
from support.builder import ModelBuilder
from support.check import Cases
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import optimized_model, prepare
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.levels import BALANCED, OFF, RAM, SPEED, Levels
from tflm_tools.optimize.memory.planned_graphs import PreparedModels
from tflm_tools.optimize.memory.rewrites import operator_order

cases = Cases()


def graph_of(model):
    graph = Graph(TfliteModel(model))
    graph.overlap = True
    return graph


# Two branches that expand to 24 channels and project again. Their large tensors need not exist at
# the same time, but both expanding layers come first in the file.
def wide_branches(name="wide branches"):
    net = Network(name, (6, 6, 4))
    x = net.inputs[0]
    wide = [net.conv(x, 24), net.conv(x, 24)]
    narrow = [net.conv(w, 4) for w in wide]
    return net.build(net.binary("ADD", *narrow))


cases.add("wide branches", wide_branches(), paths=("speed", "balanced armv6m"))
for number in (4, 37, 43, 82, 87, 89, 102, 113):  # some graphs that get another order
    name = f"order {number}"
    cases.add(name, network(name), paths=("speed", "balanced", "ram armv6m"))


@cases.parametrize
def test_outputs(case):
    case.check()


# The lowest peak of all orders that the dependencies allow.
def lowest_peak(dependencies):
    best = None
    for path in itertools.permutations(range(len(dependencies.nodes))):
        state = dependencies.start()
        for i in path:
            if dependencies.before[i] & ~state.done:
                break
            state = dependencies.step(state, i)
        else:
            best = state.peak if best is None else min(best, state.peak)
    return best


def test_lowest_peak_beside_brute_force():
    tried = 0
    for number in range(24):
        dependencies = operator_order._Dependencies(
            graph_of(network(f"order {number}")).running()[0]
        )
        if len(dependencies.nodes) <= 7:  # more operators have too many orders
            assert operator_order._best_state(dependencies).peak == lowest_peak(dependencies), (
                number
            )
            tried += 1
    assert tried >= 8


def test_wide_branches_need_less():
    model = wide_branches()
    other = operator_order.reordered(graph_of(model))
    assert [node.index for node in other.running()[0].nodes] in ([0, 2, 1, 3, 4], [1, 3, 0, 2, 4])
    sizes = [prepare(model, optimize=level)[1].head_bytes for level in (OFF, SPEED)]
    assert sizes[1] < 0.7 * sizes[0]


# Both orders have the same peak. If the 1x1 convolution of the shortcut runs before the second
# convolution, the memory of their input is free for scratch in the second one.
def test_shortcut_leaves_memory_for_scratch():
    net = Network("shortcut", (16, 16, 16))
    first = net.conv(net.inputs[0], 32, 3, 2)
    second = net.conv(first, 32, 3)
    model = net.build(net.binary("ADD", second, net.conv(net.inputs[0], 32, 1, 2)))
    assert operator_order.reordered(graph_of(model)) is None
    other = operator_order.reordered(graph_of(model), for_scratch=True)
    assert [node.index for node in other.running()[0].nodes] in ([0, 2, 1, 3], [2, 0, 1, 3])


def test_chain_keeps_its_order():
    net = Network("chain", (6, 6, 4))
    x = net.inputs[0]
    for _ in range(4):
        x = net.conv(x, 4)
    assert operator_order.reordered(graph_of(net.build(x))) is None


# A feature pyramid. In the file, lateral convolutions come between convolutions of the downward
# path, although only the upward path reads them.
def feature_pyramid():
    net = Network("pyramid", (32, 32, 4))
    top, lateral = net.conv(net.inputs[0], 8, 3, 2), []
    for _ in range(2):
        wide = net.conv(top, 48)
        lateral.append(net.conv(top, 16))
        top = net.conv(wide, 16, 3, 2)
    for source in lateral[::-1]:
        top = net.binary("ADD", net.enlarged(top), source)
    return net.build(net.conv(top, 8, 3))


cases.add("pyramid", feature_pyramid(), paths=("balanced", "ram", "ram armv6m"))


def levels_of_order(model, keep_order):
    graph = optimized_model(model)[0]
    return Levels(graph, PreparedModels(prepare_graph), keep_order=keep_order)


def test_late_branches_allow_larger_regions():
    late, kept = (
        levels_of_order(feature_pyramid(), False),
        levels_of_order(feature_pyramid(), True),
    )
    for level in (BALANCED, RAM):
        heads = [each.prepared(each.model(level)[0]).head_bytes for each in (late, kept)]
        assert heads[0] < 0.8 * heads[1]


# The search in one order stops when the other order has a smaller plan. The plan of a level may
# depend on that, but not on the order in which levels are requested.
def test_levels_do_not_depend_on_the_order_of_requests():
    found = []
    for requests in itertools.permutations((SPEED, BALANCED, RAM)):
        levels = levels_of_order(feature_pyramid(), False)
        plans = {level: levels.model(level) for level in requests}
        heads = {level: levels.prepared(graph).head_bytes for level, (graph, _) in plans.items()}
        found.append([(heads[level], plans[level][1]) for level in (SPEED, BALANCED, RAM)])
    assert all(each == found[0] for each in found)


# Late branches contain all operators, each one after all operators that it depends on.
def test_late_branches_keep_dependencies():
    others = 0
    for number in range(40):
        graph = graph_of(network(f"order {number}"))
        other, dependencies = (
            operator_order.late_branches(graph),
            operator_order._Dependencies(graph.running()[0]),
        )
        if other is None:
            continue
        number_of = {id(node): i for i, node in enumerate(dependencies.nodes)}
        done = 0
        for node in other.running()[0].nodes:
            assert not dependencies.before[number_of[id(node)]] & ~done
            done |= 1 << number_of[id(node)]
        assert done == (1 << len(dependencies.nodes)) - 1
        others += 1
    assert others > 5


# Reads and writes of a variable keep the order of the file.
def test_variables_keep_their_order():
    model = ModelBuilder("variables")
    x = model.tensor((64,), "int32", name="x")
    total = model.tensor((64,), "int32", variable=True, name="total")
    before, after = (model.tensor((64,), "int32") for _ in range(2))
    model.operator("ADD", [x, total], [before])
    model.operator("ADD", [x, total], [total])
    model.operator("ADD", [x, total], [after])
    model.io([x], [before, after])
    dependencies = operator_order._Dependencies(graph_of(model.build()).running()[0])
    assert dependencies.is_chain()


# A graph with very many sets of operators is searched in part only.
def test_many_branches():
    net = Network("many branches", (4, 4, 4))
    branches = [net.conv(net.conv(net.inputs[0], 12), 4) for _ in range(16)]
    while len(branches) > 1:
        branches = [*branches[2:], net.binary("ADD", *branches[:2])]
    graph = graph_of(net.build(branches[0]))
    dependencies = operator_order._Dependencies(graph.running()[0])
    given = dependencies.start()
    for i in range(len(dependencies.nodes)):
        given = dependencies.step(given, i)
    assert operator_order._best_state(dependencies).peak < given.peak
