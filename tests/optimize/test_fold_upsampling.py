# Tests of the pass fold-upsampling: RESHAPE and TILE become RESIZE_NEAREST_NEIGHBOR
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.network import Network
from support import litert
from support.check import Cases
from tflm.introspection.op_names import name as op_name
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten, optimized_model
from tflm_tools.optimize.passes import passes_without

PATHS = ("saved", "saved armv6m")
RESIZED = ["MAX_POOL_2D", "RESIZE_NEAREST_NEIGHBOR", "MAX_POOL_2D"]
cases = Cases()  # compared with LiteRT, because TFLM has no TILE
banded = Cases()  # compared with TFLM, which runs RESIZE_NEAREST_NEIGHBOR instead of TILE
expected = {}  # name of a case: operators that stay


def _tiled(net, x, *times):
    shape = tuple(d * n for d, n in zip(net.shapes[x], times, strict=True))
    return net.unary("TILE", x, shape=shape, inputs=[net.constant(times)])


# UpSampling2D of TensorFlow's converter, which omits a dimension that does not grow.
def keras(net, x, tall, wide):
    batch, height, width, depth = net.shapes[x]
    if tall > 1:
        x = _tiled(net, net.reshape(x, (batch, height, 1, width, depth)), 1, 1, tall, 1, 1)
        height *= tall
    if wide > 1:
        x = net.reshape(x, (batch, height, width, 1, depth))
        x = _tiled(net, x, 1, 1, 1, wide, 1)
    return net.reshape(x, (batch, height, width * wide, depth))


# UpSampling2D with an open batch size: each dimension separately.
def expanded(net, x, tall, wide):
    for axis, times in ((2, tall), (3, wide)):
        shape = list(net.shapes[x])
        shape.insert(axis, 1)
        x = net.unary("EXPAND_DIMS", x, shape=shape, inputs=[net.constant(axis)])
        x = _tiled(net, x, *(times if i == axis else 1 for i in range(5)))
        shape = list(net.shapes[x])
        shape[axis - 1 : axis + 1] = [shape[axis - 1] * times]
        x = net.reshape(x, shape)
    return x


# Both dimensions at once, with an additional dimension.
def at_once(net, x, tall, wide, name="TILE"):
    batch, height, width, depth = net.shapes[x]
    x = net.reshape(x, (batch, height, 1, width, 1, depth))
    if name == "TILE":
        x = _tiled(net, x, 1, 1, tall, 1, wide, 1)
    else:
        shape = batch, height, tall, width, wide, depth
        x = net.unary(name, x, shape=shape, inputs=[net.constant(shape)], version=2)
    shape = batch, height * tall, width * wide, depth
    x = net.reshape(x, (batch, 1, *shape[1:]))
    return net.unary("SQUEEZE", x, shape=shape, squeeze_dims=[1])


def spread(net, x, tall, wide):
    return at_once(net, x, tall, wide, "BROADCAST_TO")


# Add a case between two pools, which do not round, so that all three runtimes agree.
def add(name, enlarge, operators, shape=(5, 4, 4), batch=1, dtype="int8"):
    net = Network(name, shape, batch, dtype)
    found = enlarge(net, net.pool("MAX_POOL_2D", net.inputs[0], 2, 1))
    x, others = (found[0], found[1:]) if isinstance(found, tuple) else (found, ())
    model = net.build(net.pool("MAX_POOL_2D", x, 2, 1), *others)
    cases.add(name, model, paths=PATHS, runs=1, expected=litert.outputs)
    expected[name] = operators


for factors in ((2, 2), (3, 2), (1, 2), (2, 1)):
    for batch in (1, 2):
        for dtype in ("int8", "float32"):
            name = f"keras {factors} {batch} {dtype}"
            add(name, lambda n, x, f=factors: keras(n, x, *f), RESIZED, (5, 4, 3), batch, dtype)
for enlarge in (expanded, at_once, spread):
    add(enlarge.__name__, lambda n, x, f=enlarge: f(n, x, 3, 2), RESIZED, batch=2)
add("keras int16", lambda n, x: keras(n, x, 2, 2), RESIZED, dtype="int16")
add("one after another", lambda n, x: keras(n, expanded(n, x, 2, 3), 3, 1), RESIZED)
add("a line", lambda n, x: _tiled(n, x, 1, 3, 1, 1), RESIZED, (2, 7, 3))


# Other operators of the chain stay, here RESHAPEs to another picture.
def within_others(net, x):
    x = keras(net, net.reshape(x, (1, 2, 8, 4)), 2, 2)
    return net.reshape(x, (1, 16, 4, 4))


add("within others", within_others,
    ["MAX_POOL_2D", "RESHAPE", "RESIZE_NEAREST_NEIGHBOR", "RESHAPE", "MAX_POOL_2D"],
    (5, 5, 4))  # fmt: skip


# Models that do not change.
def _middle(net, x):
    batch, height, width, depth = net.shapes[x]
    a = _tiled(net, net.reshape(x, (batch, height, 1, width, depth)), 1, 1, 2, 1, 1)
    return a, net.reshape(a, (batch, 2 * height, width, depth))


def second_reader(net, x):
    a, larger = _middle(net, x)
    return larger, net.unary("ABS", a)


def middle_output(net, x):
    a, larger = _middle(net, x)
    return larger, a


# The last RESHAPE changes the scale of the values.
def another_scale(net, x):
    batch, height, width, depth = net.shapes[x]
    x = net.reshape(x, (batch, height, 1, width, depth))
    x = _tiled(net, x, 1, 1, 2, 1, 1)
    return net.unary("RESHAPE", x, 0.07, -100, (batch, 2 * height, width, depth),
                     [net.constant((batch, 2 * height, width, depth))])  # fmt: skip


# Each row is repeated beside itself, which is not an enlarged picture.
def rows_beside(net, x):
    batch, height, width, depth = net.shapes[x]
    x = _tiled(net, net.reshape(x, (batch, height, 1, width, depth)), 1, 1, 2, 1, 1)
    return net.reshape(x, (batch, height, 2 * width, depth))


POOLS = ["MAX_POOL_2D"] * 2
CHAIN = ["MAX_POOL_2D", "RESHAPE", "TILE", "RESHAPE", "MAX_POOL_2D"]
add("second reader", second_reader, [*CHAIN[:-1], "ABS", CHAIN[-1]])
add("middle output", middle_output, CHAIN)
add("another scale", another_scale, CHAIN)
add("rows beside", rows_beside, CHAIN)
# The kernel cannot represent a 41st of a row exactly enough.
add("41 times", lambda n, x: keras(n, x, 41, 1), CHAIN, (3, 2, 1))
for axis, what in enumerate(("batch", "picture below", "picture beside", "channels")):
    times = [1, 1, 1, 1]
    times[axis] = 2
    add(what, lambda n, x, t=tuple(times): _tiled(n, x, *t), ["MAX_POOL_2D", "TILE", POOLS[0]])


# A decoder whose enlarged tensor is the largest one.
def decoder(name, larger, dtype="int8"):
    net = Network(name, (12, 8, 4), dtype=dtype)
    activation = "NONE" if dtype == "float32" else "RELU6"
    x = net.conv(net.inputs[0], 16, 3, activation=activation)
    x = net.conv(larger(net, x), 4, 3, activation=activation)
    return net.build(net.conv(x, 2, 1, activation=activation))


for dtype in ("int8", "int16", "float32"):
    name = f"decoder {dtype}"
    banded.add(
        name, decoder(name, lambda n, x: keras(n, x, 2, 2), dtype),
        paths=("saved", "saved ram", "saved armv6m ram"), runs=2,
        rtol=1e-5 if dtype == "float32" else 0, atol=1e-5 if dtype == "float32" else 0,
        oracle_model=decoder(name, lambda n, x: n.enlarged(x), dtype),
    )  # fmt: skip


@litert.needs_litert
@cases.parametrize
def test_results(case):
    case.check()


@banded.parametrize
def test_bands(case):
    case.check()


@pytest.mark.parametrize("name", expected)
def test_operators(name):
    model = next(case for case in cases if case.name == name).build()
    graph, savings = optimized_model(model, passes=passes_without(("aliases",)))
    nodes = graph.subgraphs[0].nodes
    assert [op_name(node.builtin_code) for node in nodes] == expected[name]
    gone = optimized_model(model)[0].subgraphs[0].nodes_length() - len(nodes)
    assert len({number for saving in savings for number in saving.nodes}) == gone


# The new operator has the number of the last operator that it replaces.
def test_numbers():
    model = next(case for case in cases if case.name == "one after another").build()
    nodes = optimized_model(model, passes=passes_without())[0].subgraphs[0].nodes
    assert [node.index for node in nodes] == [0, 9, 10]
    assert [node.origins for node in nodes] == [(0,), tuple(range(1, 10)), (10,)]


# The enlarged tensor runs in bands, so its rows need not be in memory at the same time.
@pytest.mark.parametrize("dtype", ["int8", "int16", "float32"])
def test_arena(dtype):
    model = next(case for case in banded if case.name == f"decoder {dtype}").build()
    before = flatten(model, optimize="ram", without=("fold-upsampling",))
    after = flatten(model, optimize="ram")
    assert 2 * FlatModel(after).head_bytes < FlatModel(before).head_bytes
