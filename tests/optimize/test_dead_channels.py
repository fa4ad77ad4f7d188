# Tests of the pass dead-channels: constant channels and channels without a reader are removed
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from optimize.network import Network
from support.check import Cases
from tflm_tools.flat.flatten import optimized_model

PATHS = ("saved", "saved armv6m")
EVERY_OTHER = tuple(range(0, 16, 2))
cases = Cases()
expected = {}  # name of a case: {operator: output channels that stay}


# Add a case; kept: output channels that remain.
def add(name, network, outputs, kept, **options):
    cases.add(name, network.build(*outputs), paths=PATHS, runs=1, **options)
    expected[name] = kept


# A channel without weights has the value of its bias. RELU6 clamps one of these to zero.
BIAS = np.arange(16) * 400 - 400


def separable(name, **options):
    net = Network(name, (6, 7, 3), **options)
    x = net.conv(net.inputs[0], 16, 3, 2, dead=EVERY_OTHER, bias=BIAS)
    return net, x


# Without padding, all constant channels are removed, and the next layer's bias includes them.
net, x = separable("pointwise")
x = net.conv(x, 8)
add("pointwise", net, [x], {0: 8, 1: 8})

net, x = separable("window without padding")
x = net.conv(x, 8, 2, padding="VALID")
add("window without padding", net, [x], {0: 8})

# With padding, a constant differs at the borders, so only channels of zero are removed.
net, x = separable("window with padding")
x = net.conv(x, 8, 3)
add("window with padding", net, [x], {0: 16})
net = Network("zeros and padding", (6, 7, 3))
x = net.conv(net.inputs[0], 16, 3, 2, dead=EVERY_OTHER, bias=-np.abs(BIAS))
x = net.conv(x, 8, 3)
add("zeros and padding", net, [x], {0: 8})

# Channels are followed through depthwise layers, also with a multiplier, and through pools.
for multiplier in (1, 2):
    name = f"depthwise, multiplier {multiplier}"
    net, x = separable(name, batch=2)
    x = net.depthwise(x, padding="VALID", multiplier=multiplier)
    x = net.conv(x, 5)
    add(name, net, [x], {0: 8, 1: 8 * multiplier})
net, x = separable("depthwise with padding")
x = net.depthwise(x)
x = net.conv(x, 5)
add("depthwise with padding", net, [x], {0: 16})
net = Network("depthwise that is constant", (5, 5, 8))
x = net.conv(net.inputs[0], 16)
x = net.depthwise(x, dead=EVERY_OTHER, bias=BIAS)
x = net.conv(x, 8)
add("depthwise that is constant", net, [x], {0: 8, 1: 8, 2: 8})
for kind in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
    net, x = separable(kind)
    x = net.pool(kind, x, 2, 1, "SAME")
    x = net.reshape(x, (1, 3 * 4 * 16))
    x = net.dense(x, 6)
    add(kind, net, [x], {0: 8, 1: 8, 2: 96, 3: 6})

# A channel that is only read by weights of zero is not computed, nor are channels that only it
# reads.
net = Network("no reader", (5, 5, 8))
x = net.conv(net.inputs[0], 16)
x = net.conv(x, 16)
x = net.conv(x, 8, unread=EVERY_OTHER)
add("no reader", net, [x], {0: 16, 1: 8})
net = Network("no reader of a reader", (5, 5, 8))
x = net.conv(net.inputs[0], 16)
x = net.depthwise(x)
x = net.conv(x, 16, dead=EVERY_OTHER, bias=BIAS)
x = net.conv(x, 8, unread=range(1, 16))
add("no reader of a reader", net, [x], {0: 4, 1: 4, 2: 4})

# A second reader needs all channels.
net, x = separable("an output of the model")
add("an output of the model", net, [x, net.conv(x, 4)], {0: 16})
net, x = separable("two readers")
add("two readers", net, [net.conv(x, 4), net.conv(x, 8, 2, padding="VALID")], {0: 8})
net, x = separable("a reader that is not known")
y = net.unary("SOFTMAX", x, 1 / 256, beta=1.0)
add("a reader that is not known", net, [net.conv(x, 4), y], {0: 16})

# Channels of a sum are removed if neither addend is needed.
net = Network("sum", (4, 4, 8))
a, b = net.conv(net.inputs[0], 16), net.conv(net.inputs[0], 16)
x = net.binary("ADD", a, b)
x = net.conv(x, 4, unread=range(8))
add("sum", net, [x], {0: 8, 1: 8, 2: 8})
net = Network("sum of one constant", (4, 4, 8))
a, b = net.conv(net.inputs[0], 16, dead=range(8)), net.conv(net.inputs[0], 16)
x = net.conv(net.binary("ADD", a, b), 4)
add("sum of one constant", net, [x], {0: 16, 1: 16})
net = Network("the same one twice", (4, 4, 8))
a = net.conv(net.inputs[0], 16)
x = net.conv(net.binary("ADD", a, a), 4, unread=range(4, 16))
add("the same one twice", net, [x], {0: 4})

net = Network("side by side", (4, 4, 8))
a = net.conv(net.inputs[0], 8, dead=range(4), bias=np.arange(8) * 300)
b = net.conv(net.inputs[0], 12, dead=range(8), bias=np.arange(12) * 300)
x = net.conv(net.concatenation([a, b], 3), 8)
add("side by side", net, [x], {0: 4, 1: 4, 2: 8})

net, x = separable("a table between")
x = net.unary("LOGISTIC", x, 1 / 256, -128)
x = net.pad(x, [(1, 1), (0, 2)])
add("a table between", net, [net.conv(x, 4, 2, padding="VALID")], {0: 16})
net = Network("a table and padding of the same value", (4, 5, 8))
x = net.conv(net.inputs[0], 16, dead=EVERY_OTHER, bias=-np.abs(BIAS) - 1)
x = net.unary("RELU6", x)
x = net.pad(x, [(1, 1), (0, 2)])
add("a table and padding of the same value", net, [net.conv(x, 4, 2, padding="VALID")], {0: 8})

net, x = separable("mean", batch=3)
x = net.unary("MEAN", x, shape=(3, 16), inputs=[net.constant([1, 2])])
x = net.dense(x, 7, per_channel=True, bias=np.arange(7) * 100)
add("mean", net, [x], {0: 16})

# FULLY_CONNECTED without a bias gets one. Scales by channel stay scales by channel.
for per_channel in (False, True):
    name = f"dense, per channel {per_channel}"
    net = Network(name, (9,), batch=3)
    x = net.dense(net.inputs[0], 12, range(2, 11), np.arange(12) * 50, per_channel=per_channel)
    x = net.dense(x, 5)
    add(name, net, [x], {0: 4})

# Layers with few channels do not change, and at least four channels stay.
net = Network("all dead", (4, 4, 8))
x = net.conv(net.inputs[0], 8, dead=range(8), bias=np.arange(8) * 250)
x = net.conv(x, 4)
add("all dead", net, [x], {0: 4})
net = Network("three channels", (4, 4, 8))
x = net.conv(net.inputs[0], 3, dead=range(3))
add("three channels", net, [net.conv(x, 4)], {0: 3})

# A channel that is always clamped to the end of the range is constant, whatever its weights.
net = Network("saturated", (4, 4, 8))
x = net.conv(net.inputs[0], 8, bias=np.array([10**7, -(10**7)] * 4), padding="SAME")
add("saturated", net, [net.conv(x, 4, 3, padding="VALID")], {0: 4})

# A constant that does not fit in a bias stays, and so does a layer with a shift above zero.
net = Network("bias too large", (4, 4, 8))
x = net.conv(net.inputs[0], 8, dead=range(8), bias=np.arange(8) * 250)
x = net.conv(x, 4, bias=np.array([(1 << 31) - 5, 0, 0, 1 - (1 << 31)]))
add("bias too large", net, [x], {0: 8})


@cases.parametrize
def test_results(case):
    case.check()


@pytest.mark.parametrize("name", expected)
def test_channels(name):
    model = next(case for case in cases if case.name == name).build()
    graph, savings = optimized_model(model, passes=("dead_channels",))
    nodes = graph.subgraphs[0].nodes
    assert {i: nodes[i].output(0).shape[-1] for i in expected[name]} == expected[name]
    before, _ = optimized_model(model)
    shapes = [node.output(0).shape for node in map(before.subgraphs[0].node, range(len(nodes)))]
    assert bool(savings) == ([node.output(0).shape for node in nodes] != shapes)
