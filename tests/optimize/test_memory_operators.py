# Tests of operators that run in bands between convolutions: each kind, with each dtype
# MIT license; Copyright (c) 2026 the tflm authors

from optimize.banded_models import banded_model, differences_from_tflm
from optimize.network import Network
from support.inputs import generator
from tflm.model import FlatModel
from tflm_tools.bands import band_op
from tflm_tools.flat.flatten import flatten

COUNT = 4  # graphs of a kind and type


# Each function below returns (add(net, source, pick), dtypes): add() adds one operator after
# `source` to a Network and returns the number of its output. pick(*choices) chooses at random.
def _unary(name, *dtypes, **options):
    return lambda net, source, pick: net.unary(name, source, **options), dtypes


def _binary(name, *dtypes):
    def add(net, source, pick):
        depth = net.shapes[source][3]
        shape = pick((depth,), (1, 1, depth), (1,)) if name != "PRELU" else (1, 1, depth)
        values = net.random.integers(1, 100, shape)
        kind = "int8" if name == "PRELU" and net.dtype == "int16" else None
        constant = net.tensor(shape, 0.02, -3, values, kind)
        first, second = source, constant
        if name != "PRELU":
            kind = pick("constant second", "constant first", "two tensors")
            if kind == "two tensors":
                second = net.unary("ABS", source)
            elif kind == "constant first":
                first, second = constant, source
        return net.binary(name, first, second)

    return add, dtypes


# A binary operator with one value for each pixel, computed from its channels: a mask or a norm.
def _by_pixels(net, source, pick):
    shape, axes = (*net.shapes[source][:3], 1), [net.constant([3])]
    if net.dtype == "int16":
        beside = net.conv(source, 1)
    else:
        name = pick("MEAN", "SUM")
        beside = net.unary(name, source, shape=shape, inputs=axes, keep_dims=True)
    return net.binary(pick("MUL", "ADD", "SUB"), *pick((source, beside), (beside, source)))


def _softmax(net, source, pick):
    return net.unary("SOFTMAX", source, 1 / 256, -128, beta=1.0)


def _padded(net, source, pick):
    sides = [tuple(int(n) for n in net.random.integers(0, 4, 2)) for _ in range(2)]
    return net.pad(source, sides, pick(None, 7))


# A PAD of channels, as shortcuts of residual networks have them.
def _widened(net, source, pick):
    shape = net.shapes[source]
    paddings = [(0, 0), (0, 0), (0, 0), (2, 2)]
    output = net.tensor((*shape[:3], shape[3] + 4), *net.quantization[source])
    net.builder.operator("PAD", [source, net.constant(paddings)], [output])
    return output


def _resized(net, source, pick):
    _, height, width, depth = net.shapes[source]
    sides = pick((2 * height, 2 * width), (3 * height, width), (height + 5, width + 3), (5, 4))
    options = pick({}, {"align_corners": True}, {"half_pixel_centers": True})
    shape = (1, *sides, depth)
    inputs = [net.constant(sides)]
    return net.unary("RESIZE_BILINEAR", source, shape=shape, inputs=inputs, **options)


_ALL = "int8", "int16", "float32"
_KINDS = {
    "LEAKY_RELU": _unary("LEAKY_RELU", *_ALL, alpha=0.1),
    "ABS": _unary("ABS", *_ALL),
    "RELU6": _unary("RELU6", "float32", "int16"),
    "ELU": _unary("ELU", "int8"),
    "NEG": _unary("NEG", "float32"),
    "SQUARE": _unary("SQUARE", "float32"),
    "FLOOR": _unary("FLOOR", "float32"),
    **{name: _binary(name, *_ALL) for name in ("ADD", "MUL", "MAXIMUM", "MINIMUM", "PRELU")},
    "SQUARED_DIFFERENCE": _binary("SQUARED_DIFFERENCE", "int8", "float32"),
    "MUL of pixels": (_by_pixels, _ALL),
    "SOFTMAX": (_softmax, ("int8",)),
    "PAD": (_padded, _ALL),
    "PAD of channels": (_widened, ("int8", "float32")),
    "RESIZE_BILINEAR": (_resized, ("int8",)),
}


# (name, .tflite, flat model, RomStorage) of a random network in bands with an operator between two
# convolutions, or None if it cannot run in bands.
def _random_model(kind, dtype, number):
    name = f"{kind} {dtype} {number}"
    random = generator(name)

    def pick(*choices):
        return choices[int(random.integers(len(choices)))]

    shape = *pick((9, 5), (12, 4), (1, 17), (16, 6)), 4
    net = Network(name, shape, dtype=dtype)
    activation = "NONE" if dtype == "float32" else "RELU6"
    first = net.conv(net.inputs[0], pick(4, 8), pick(1, 3), pick(1, 2), activation=activation)
    add, _ = _KINDS[kind]
    last = net.conv(add(net, first, pick), 4, pick(1, 3), pick(1, 2), activation=activation)
    model = net.build(last)
    rows = max(net.shapes[last][1:3])
    last_operator = len(net.builder.main.table.operators) - 1
    height, pacing = pick(1, 2, 3) if rows > 4 else 1, pick(last_operator, 0)
    banded = banded_model(model, [(0, last_operator, height, pacing)])
    return None if banded is None else (name, model, *banded[:2])


def test_operators_in_bands():
    models, without_bands = [], []
    for kind, (_, dtypes) in _KINDS.items():
        for dtype in dtypes:
            found = [_random_model(kind, dtype, number) for number in range(COUNT)]
            found = [each for each in found if each]
            if not any(r.kernel == band_op.KERNEL for each in found for r in each[3].records):
                without_bands.append((kind, dtype, len(found)))
            models += found
    assert not without_bands
    assert not differences_from_tflm([each[:3] for each in models])


# A PADV2 by a computed value is not part of a chain, because records could not name that value.
# Operators around it still run in bands.
def test_padding_by_a_computed_value():
    net = Network("computed padding", (24, 16, 4))
    net.inputs.append(net.tensor((1,), 0.0235))
    value = net.unary("RELU", net.inputs[1])
    first = net.conv(net.conv(net.inputs[0], 8, 3), 8, 3)
    first = net.pool("MAX_POOL_2D", first, 4)
    paddings = net.constant([(0, 0), (2, 1), (1, 3), (0, 0)])
    padded = net.unary("PADV2", first, shape=(1, 9, 8, 8), inputs=[paddings, value])
    model = net.build(net.conv(net.conv(padded, 8, 3), 4, 3))
    assert banded_model(model, [(2, 4, 2)]) is None and banded_model(model, [(1, 3, 2)])
    flat = flatten(model, optimize="ram")
    assert band_op.KERNEL in FlatModel(flat).kernels()
    assert not differences_from_tflm([("computed padding", model, flat)])
