# Tests of reductions of all rows after operators in bands: pools, sums, FULLY_CONNECTED
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from optimize.banded_models import banded_model, differences_from_tflm
from optimize.network import Network
from support.inputs import generator
from tflm.model import FlatModel
from tflm_tools.bands.operators.reduced_rows import LAYOUTS
from tflm_tools.flat.flatten import flatten

COUNT = 12  # graphs of a kind and type


# Adds a FULLY_CONNECTED of a picture, with one scale of the weights or one for each row.
def _dense(net, source, pick):
    units, shape = pick(1, 3, 10, 70), net.shapes[source]
    depth = int(np.prod(shape[1:]))
    rows = units + pick(0, 2)  # weights may have more rows than outputs
    values = net.random.integers(-127, 128, (rows, depth))
    scales, zero_point = net.random.uniform(0.001, 0.003, pick(1, rows)), pick(0, -3)
    if net.dtype == "float32":
        weights = net.builder.tensor((rows, depth), "float32", values / 300)
    else:
        weights = net.builder.tensor(
            (rows, depth), "int8", values, scale=scales,
            zero_point=zero_point if len(scales) == 1 else 0,
        )  # fmt: skip
    bias = None
    if pick(True, False):
        values = net.random.integers(-2000, 2000, rows)
        if net.dtype == "float32":
            bias = net.builder.tensor((rows,), "float32", values / 500)
        else:
            scales = net.quantization[source][0] * scales
            bias = net.builder.tensor((rows,), "int32", values, scale=scales, zero_point=0)
    output = net.tensor((1, units), 0.5, -20)
    net.builder.operator(
        "FULLY_CONNECTED", [source, weights, bias], [output],
        fused_activation_function=pick("NONE", "RELU", "RELU6"),
    )  # fmt: skip
    return output


# Adds a MEAN or SUM over all pixels.
def _reduced(net, source, pick):
    depth, keep = net.shapes[source][3], pick(True, False)
    shape = (1, 1, 1, depth) if keep else (1, depth)
    axes = [net.constant(pick([1, 2], [-2, 1]))]
    return net.unary(pick("MEAN", "SUM"), source, 0.3, -60, shape, axes, keep_dims=keep)


# Adds a pool over the whole width, whose window may omit the last rows.
def _pool(net, source, pick):
    _, height, width, depth = net.shapes[source]
    size = max(1, height - pick(0, 0, 1, 3)) if height > 1 else 1
    options = {"filter_height": size, "filter_width": width, "padding": "VALID"}
    options.update(stride_h=size, stride_w=width)
    if height // size > 1:
        options.update(stride_h=height)
    kind = pick("AVERAGE_POOL_2D", "MAX_POOL_2D")
    options["fused_activation_function"] = pick("NONE", "RELU6")
    return net.unary(kind, source, shape=(1, 1, 1, depth), **options)


_KINDS = {"dense": _dense, "reduced": _reduced, "pool": _pool}


# (name, .tflite, flat model, RomStorage) of a random network whose first convolution runs in bands
# with a reduction, or None if it cannot.
def random_model(kind, dtype, number, target):
    name = f"gathers {kind} {dtype} {number}"
    random = generator(name)

    def pick(*choices):
        return choices[int(random.integers(len(choices)))]

    shape = *pick((9, 5), (12, 4), (1, 17), (16, 6)), 4
    net = Network(name, shape, dtype=dtype)
    activation = "NONE" if dtype == "float32" else "RELU6"
    first = net.conv(net.inputs[0], pick(4, 8), pick(1, 3), pick(1, 2), activation=activation)
    last = _KINDS[kind](net, first, pick)
    model = net.build(last)
    rows = max(net.shapes[first][1:3])
    banded = banded_model(model, [(0, 1, pick(1, 2, 3) if rows > 4 else 1, 0)], target)
    return None if banded is None else (name, model, *banded[:2])


@pytest.mark.parametrize("target", [None, "armv6m"])
def test_random_graphs(target):
    dtypes = ("int8", "float32") if target is None else ("int8",)
    models = [
        random_model(kind, dtype, number, target)
        for kind in _KINDS
        for dtype in dtypes
        for number in range(COUNT)
    ]
    models = list(filter(None, models))
    kernels = {record.kernel for each in models for record in each[3].records}
    assert {k for k in LAYOUTS if "float" not in k or target is None} <= kernels
    assert len(models) > 0.8 * COUNT * len(dtypes) * len(_KINDS)
    assert not differences_from_tflm([each[:3] for each in models])


# (Network, output) of a text classifier: a GATHER of rows of a table by numbers of words, then the
# MEAN of each column.
def _text_classifier(name, count=32):
    net = Network(name, (count,), dtype="float32")
    words = net.builder.tensor((1, count), "int32", name="words")
    net.inputs = [words]
    table = net.builder.tensor((20, 8), "float32", net.random.standard_normal((20, 8)))
    picked = net.tensor((1, count, 8))
    net.builder.operator("GATHER", [table, words], [picked], axis=0)
    mean = net.unary("MEAN", picked, shape=(1, 8), inputs=[net.constant([1])])
    return net, mean


@pytest.mark.parametrize("height", [1, 5])
def test_gathered_words(height):
    net, mean = _text_classifier(f"words {height}")
    model = net.build(mean)
    flat, storage, _ = banded_model(model, [(0, 1, height, 0)])
    assert "pooling_rows_float.eval_float32" in {record.kernel for record in storage.records}
    ranges = {0: (0, 19)}
    assert not differences_from_tflm([("words", model, flat)], ranges=ranges)


# A RESHAPE before FULLY_CONNECTED is a view of the picture.
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_flattened(dtype):
    net = Network(f"flattened {dtype}", (24, 6, 4), dtype=dtype)
    first = net.conv(net.inputs[0], 8, 3, activation="NONE")
    size = int(np.prod(net.shapes[first]))
    reshaped = net.unary("RESHAPE", first, shape=(1, size), inputs=[net.constant([1, size])])
    model = net.build(_dense(net, reshaped, lambda *choices: choices[0]))
    ram, speed = (flatten(model, optimize=level) for level in ("ram", "speed"))
    assert FlatModel(ram).head_bytes < 0.8 * FlatModel(speed).head_bytes
    assert not differences_from_tflm([("flattened", model, ram)])


# A FULLY_CONNECTED does not run in bands if other operators compute its bias.
def test_bias_that_is_computed():
    net = Network("computed bias", (16, 6, 4), dtype="float32")
    net.inputs.append(net.tensor((3,)))
    bias = net.unary("RELU", net.inputs[1])
    first = net.conv(net.inputs[0], 8, 3, activation="NONE")
    values = net.random.integers(-127, 128, (3, 16 * 6 * 8)) / 300
    weights = net.builder.tensor(values.shape, "float32", values)
    output = net.tensor((1, 3))
    net.builder.operator("FULLY_CONNECTED", [first, weights, bias], [output])
    model = net.build(output)
    assert not differences_from_tflm([("computed bias", model, flatten(model, optimize="ram"))])
