# Tests of the order of operators: the least peak there is, and outputs as before
# MIT license; Copyright (c) 2026 the tflm authors

import itertools

from optimize.graphs import Network
from optimize.test_random_graphs import network
from support.builder import ModelBuilder
from support.check import Cases
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import optimized_model, prepare
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory import order
from tflm_tools.optimize.memory.levels import BALANCED, OFF, RAM, SPEED, Levels

cases = Cases()


def graph_of(model):
    graph = Graph(TfliteModel(model))
    graph.overlap = True
    return graph


# Two branches whose large tensors need not live together: 1 -> 24 -> 1 channels, twice, and both
# wide layers come first in the file.
def wide_branches(name="wide branches"):
    net = Network(name, (6, 6, 4))
    x = net.inputs[0]
    wide = [net.conv(x, 24), net.conv(x, 24)]
    narrow = [net.conv(w, 4) for w in wide]
    return net.build(net.binary("ADD", *narrow))


cases.add("wide branches", wide_branches(), paths=("speed", "balanced armv6m"))
for number in (4, 37, 43, 82, 87, 89, 102, 113):  # of those that have another order
    name = f"order {number}"
    cases.add(name, network(name), paths=("speed", "balanced", "ram armv6m"))


@cases.parametrize
def test_outputs(case):
    case.check()


# Every order that the dependencies allow, one by one.
def least_peak(moves):
    best = None
    for path in itertools.permutations(range(len(moves.nodes))):
        state = moves.start()
        for i in path:
            if moves.before[i] & ~state.done:
                break
            state = moves.step(state, i)
        else:
            best = state.peak if best is None else min(best, state.peak)
    return best


def test_least_of_all_orders():
    tried = 0
    for number in range(24):
        moves = order._Moves(graph_of(network(f"order {number}")).running()[0])
        if len(moves.nodes) <= 7:  # there are too many orders of more
            assert order._best(moves).peak == least_peak(moves), number
            tried += 1
    assert tried >= 8


def test_wide_branches_need_less():
    model = wide_branches()
    other = order.reordered(graph_of(model))
    assert [node.index for node in other.running()[0].nodes] in ([0, 2, 1, 3, 4], [1, 3, 0, 2, 4])
    sizes = [prepare(model, optimize=level)[1].head_bytes for level in (OFF, SPEED)]
    assert sizes[1] < 0.7 * sizes[0]


# Both orders need as much, but the 1x1 convolution beside the block may run before its second
# half, whose blocks then have the room of what both read.
def test_shortcuts_run_where_scratch_has_most_room():
    net = Network("shortcut", (16, 16, 16))
    first = net.conv(net.inputs[0], 32, 3, 2)
    second = net.conv(first, 32, 3)
    model = net.build(net.binary("ADD", second, net.conv(net.inputs[0], 32, 1, 2)))
    assert order.reordered(graph_of(model)) is None
    other = order.reordered(graph_of(model), for_scratch=True)
    assert [node.index for node in other.running()[0].nodes] in ([0, 2, 1, 3], [2, 0, 1, 3])


def test_chains_stay():
    net = Network("chain", (6, 6, 4))
    x = net.inputs[0]
    for _ in range(4):
        x = net.conv(x, 4)
    assert order.reordered(graph_of(net.build(x))) is None


# A pyramid of features: what is read beside the way up comes between two of the way down.
def pyramid():
    net = Network("pyramid", (32, 32, 4))
    top, beside = net.conv(net.inputs[0], 8, 3, 2), []
    for _ in range(2):
        wide = net.conv(top, 48)
        beside.append(net.conv(top, 16))
        top = net.conv(wide, 16, 3, 2)
    for source in beside[::-1]:
        top = net.binary("ADD", net.enlarged(top), source)
    return net.build(net.conv(top, 8, 3))


cases.add("pyramid", pyramid(), paths=("balanced", "ram", "ram armv6m"))


def levels_in(model, in_order):
    graph = optimized_model(model)[0]
    return Levels(graph, prepare_graph, in_order=in_order)


def test_late_branches_join_bands():
    late, kept = levels_in(pyramid(), False), levels_in(pyramid(), True)
    for level in (BALANCED, RAM):
        heads = [each.prepared(each.model(level)[0]).head_bytes for each in (late, kept)]
        assert heads[0] < 0.8 * heads[1]


# Each of two orders is looked for until the other one has something smaller. What a level comes
# to may depend on that, but not on which level is asked for first.
def test_levels_do_not_depend_on_who_asks_first():
    found = []
    for asked in itertools.permutations((SPEED, BALANCED, RAM)):
        levels = levels_in(pyramid(), False)
        made = {level: levels.model(level) for level in asked}
        heads = {level: levels.prepared(graph).head_bytes for level, (graph, _) in made.items()}
        found.append([(heads[level], made[level][1]) for level in (SPEED, BALANCED, RAM)])
    assert all(each == found[0] for each in found)


# The same operators, each behind all that it waits for, whatever the graph.
def test_late_branches_wait_for_what_they_read():
    others = 0
    for number in range(40):
        graph = graph_of(network(f"order {number}"))
        other, moves = order.late_branches(graph), order._Moves(graph.running()[0])
        if other is None:
            continue
        places = {id(node): i for i, node in enumerate(moves.nodes)}
        done = 0
        for node in other.running()[0].nodes:
            assert not moves.before[places[id(node)]] & ~done
            done |= 1 << places[id(node)]
        assert done == (1 << len(moves.nodes)) - 1
        others += 1
    assert others > 5


# A variable is read and written in the order of the file, whatever that costs.
def test_variables_keep_their_order():
    model = ModelBuilder("variables")
    x = model.tensor((64,), "int32", name="x")
    total = model.tensor((64,), "int32", variable=True, name="total")
    before, after = (model.tensor((64,), "int32") for _ in range(2))
    model.operator("ADD", [x, total], [before])
    model.operator("ADD", [x, total], [total])
    model.operator("ADD", [x, total], [after])
    model.io([x], [before, after])
    moves = order._Moves(graph_of(model.build()).running()[0])
    assert moves.is_chain()


# A graph with a great many sets of operators is searched in part, and soon.
def test_many_branches():
    net = Network("many branches", (4, 4, 4))
    branches = [net.conv(net.conv(net.inputs[0], 12), 4) for _ in range(16)]
    while len(branches) > 1:
        branches = [*branches[2:], net.binary("ADD", *branches[:2])]
    graph = graph_of(net.build(branches[0]))
    moves = order._Moves(graph.running()[0])
    given = moves.start()
    for i in range(len(moves.nodes)):
        given = moves.step(given, i)
    assert order._best(moves).peak < given.peak
