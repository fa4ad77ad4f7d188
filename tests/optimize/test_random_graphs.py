# Tests of optimization passes on random networks, whose results must equal TFLM's
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from optimize.network import Network
from support.check import Cases
from support.inputs import generator
from tflm_tools.flat.flatten import optimized_model
from tflm_tools.optimize.passes import NAMES, passes_without

PATHS = ("saved", "saved armv6m", "saved armv6m bytes")
NETWORKS = 36
cases = Cases()


# A network of random layers. Each layer reads one of the last tensors, and some are outputs.
def network(name):
    random = generator(name + " layers")
    side = int(random.integers(4, 8))
    net = Network(name, (side, side + 1, int(random.integers(1, 6))), int(random.integers(1, 3)))
    live = [net.inputs[0]]
    outputs = []
    for _ in range(int(random.integers(4, 9))):
        source = live[int(random.integers(max(0, len(live) - 2), len(live)))]
        added = _layer(net, random, source, live)
        if added is None:
            continue
        live += added
        if random.random() < 0.15:
            outputs.append(live[-1])
    x = live[-1]
    if random.random() < 0.5 and len(net.shapes[x]) == 4:
        x = net.pool("AVERAGE_POOL_2D", x, min(net.shapes[x][1:3]))
    batch = net.shapes[x][0]
    x = net.reshape(x, (batch, int(np.prod(net.shapes[x][1:]))))
    x = net.dense(x, 5, per_channel=bool(random.integers(2)))
    return net.build(*dict.fromkeys([*outputs, x]))


# Add a random layer; return its outputs, or None if the shape does not permit it.
def _layer(net, random, source, live):
    shape = net.shapes[source]
    kind = random.choice(list(_LAYERS))
    if len(shape) != 4 or min(shape[1:3]) < 3 or np.prod(shape) > 3000:
        return None
    return _LAYERS[kind](net, random, source, live)


def _dead(random, channels):
    share = random.choice([0, 0.3, 0.8])
    return [i for i in range(channels) if random.random() < share]


# Return biases that make constant channels positive, zero, or random.
def _bias(random, channels):
    values = random.integers(-2000, 6000, channels)
    return random.choice([0, 1, -1]) * np.abs(values) if random.random() < 0.5 else values


# Return the activation and quantization of an output, mostly those that allow folding.
def _output(random):
    if random.random() < 0.6:
        return {"activation": "RELU6"}
    zero_point = int(random.choice([-128, -20, 0, 127]))
    activation = str(random.choice(["NONE", "RELU", "RELU_N1_TO_1"]))
    return {"activation": activation, "zero_point": zero_point, "scale": 0.05}


def _conv(net, random, source, live):
    filters = int(random.choice([3, 4, 8, 12, 13]))
    size, padding = int(random.choice([1, 1, 2, 3])), str(random.choice(["SAME", "VALID"]))
    return [
        net.conv(
            source, filters, size, int(random.integers(1, 3)), padding, _dead(random, filters),
            _dead(random, net.shapes[source][3]), _bias(random, filters), **_output(random),
        )
    ]  # fmt: skip


def _depthwise(net, random, source, live):
    multiplier = int(random.choice([1, 1, 2]))
    channels = net.shapes[source][3] * multiplier
    padding = str(random.choice(["SAME", "VALID"]))
    return [
        net.depthwise(
            source, 3, int(random.integers(1, 3)), padding, multiplier, _dead(random, channels),
            _bias(random, channels), **_output(random),
        )
    ]  # fmt: skip


def _padded(net, random, source, live):
    sides = [tuple(int(n) for n in random.integers(0, 3, 2)) for _ in range(2)]
    padded = net.pad(source, sides, random.choice([None, None, -128]))
    kind, stride = random.integers(4), int(random.integers(1, 3))
    if kind == 0:
        return [padded]
    if kind == 1:
        return [net.pool("MAX_POOL_2D", padded, 3, stride)]
    if kind == 2:
        return [net.depthwise(padded, 3, stride, "VALID")]
    return [net.conv(padded, 8, 3, stride, "VALID", _dead(random, 8))]


def _pool(net, random, source, live):
    kind = str(random.choice(["AVERAGE_POOL_2D", "MAX_POOL_2D"]))
    padding = str(random.choice(["SAME", "VALID"]))
    size, stride = int(random.integers(1, 4)), int(random.integers(1, 3))
    return [net.pool(kind, source, size, stride, padding)]


def _sum(net, random, source, live):
    same = [t for t in live if net.shapes[t] == net.shapes[source]]
    return [net.binary("ADD", source, int(random.choice(same)))]


def _unary(net, random, source, live):
    kind = str(random.choice(["RELU", "RELU6", "LOGISTIC", "QUANTIZE"]))
    if kind == "LOGISTIC":
        return [net.unary(kind, source, 1 / 256, -128)]
    if kind == "QUANTIZE" and random.random() < 0.5:
        return [net.unary(kind, source, 0.04, int(random.integers(-128, 128)))]
    return [net.unary(kind, source)]


def _joined(net, random, source, live):
    axis = int(random.choice([1, 3, 3]))
    same = [
        t
        for t in live
        if net.quantization[t] == net.quantization[source]
        and len(net.shapes[t]) == 4
        and all(net.shapes[t][i] == net.shapes[source][i] for i in range(4) if i != axis)
    ]
    return [net.concatenation([source, int(random.choice(same))], axis)]


def _split(net, random, source, live):
    axis = int(random.choice([1, 3]))
    if net.shapes[source][axis] % 2:
        return None
    return net.split(source, axis, 2)


def _moved(net, random, source, live):
    batch, height, width, channels = net.shapes[source]
    return [net.reshape(source, (batch, width, height, channels))]


_LAYERS = {
    "conv": _conv, "conv again": _conv, "depthwise": _depthwise, "pad": _padded, "pool": _pool,
    "sum": _sum, "unary": _unary, "joined": _joined, "split": _split, "moved": _moved,
}  # fmt: skip

for number in range(NETWORKS):
    path = PATHS[number % len(PATHS)]
    cases.add(f"network {number}", network(f"network {number}"), paths=(path,), runs=2)


@cases.parametrize
def test_results(case):
    case.check()


# Each pass changes at least one network, except these passes: the networks have no constants to
# fold, no unread operators, no variables (see test_ring_buffers.py), no loops, no repeated pixels,
# no caches (see test_cache_state.py), no attention, no norms, no gates and no curves of float32.
_ELSEWHERE = (
    "attention", "cache_state", "channel_parts", "constant_folding", "dead_operators",
    "fold_float_curve", "fold_gate", "fold_upsampling", "gru", "loop_state", "norm",
    "ring_buffers",
)  # fmt: skip


@pytest.mark.parametrize("name", [n for n in NAMES if n not in _ELSEWHERE])
def test_pass_is_effective(name):
    found = [
        optimized_model(case.build(), passes=passes_without())[1] for case in list(cases)[:20]
    ]
    assert sum(any(saving.what == name for saving in savings) for savings in found) >= 2
