# Tests of LSTM and SVDF of float32 with int8 weights, which TFLM lacks, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support import litert
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()
_RTOL, _ATOL = 1e-5, 1e-6


# Random int8 weights with one scale.
def _weights(random, shape):
    return Tensor(
        shape,
        "int8",
        random.integers(-127, 128, shape),
        scale=random.uniform(0.002, 0.01),
        zero_point=0,
    )


# Steps of normal inputs, of positive ones, of zeros, of a wide range, of two extremes, and halfway
# between two integers.
def _runs(random, shape):
    values = random.normal(size=shape)
    wide = 10.0 ** random.uniform(-3, 1, shape)
    ends, halves = random.choice([-1.3, 1.3], shape), random.integers(-127, 127, shape) + 0.5
    kinds = values, abs(values), 0 * values, wide, -values, ends, halves / 50
    return [[x.astype("f")] for x in kinds]


def _lstm(name, batches=1, steps=3, size=5, state=4, weights=_weights, **options):
    random = generator(name)
    shape = (steps, batches) if options.get("time_major") else (batches, steps)
    states = [Tensor((batches, state), "float32", variable=True) for _ in range(2)]
    inputs = [
        Tensor((*shape, size), "float32"),
        *[weights(random, (state, size)) for _ in range(4)],
        *[weights(random, (state, state)) for _ in range(4)],
        *[None] * 3,
        *[Tensor((state,), "float32", random.normal(size=state).astype("f")) for _ in range(4)],
        *[None] * 2,
        *states,
        *[None] * 4,
    ]
    options = {"fused_activation_function": "TANH"} | options
    output = Tensor((*shape, state), "float32")
    model = single_op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [output], **options)
    return model, _runs(random, (*shape, size))


for asymmetric in (False, True):
    for keywords in (
        {},
        {"batches": 3},
        {"batches": 3, "time_major": True},
        {"batches": 2, "steps": 1, "size": 1, "state": 1},
        {"size": 90, "state": 17, "steps": 2},
        {"size": 2, "state": 70},
        {"cell_clip": 0.3},
    ):
        name = f"LSTM {asymmetric} {keywords}"
        model, runs = _lstm(name, asymmetric_quantize_inputs=asymmetric, **keywords)
        cases.add(name, model, runs, _RTOL, _ATOL, expected=litert.outputs)


def _two_scales(random, shape):
    scales = np.resize([0.01, 0.02], shape[0])
    return Tensor(shape, "int8", np.ones(shape), scale=scales, zero_point=0)


def _zero_point(random, shape):
    return Tensor(shape, "int8", np.ones(shape), scale=0.1, zero_point=3)


def _without_scale(random, shape):
    return Tensor(shape, "int8", np.ones(shape))


for error, weights in (
    ("a scale for each row", _two_scales),
    ("has a zero point", _zero_point),
    ("has no scale", _without_scale),
):
    cases.add(f"LSTM {error}", _lstm(error, weights=weights)[0], error=error)
cases.add(
    "LSTM without activation",
    _lstm("y", fused_activation_function="NONE")[0],
    error="a cell gate without TANH",
)


def _svdf(
    name, batches=1, size=5, filters=6, memory=4, rank=1, bias=True, times=_weights, **options
):
    random = generator(name)
    units = filters // rank
    inputs = [
        Tensor((batches, size), "float32"),
        _weights(random, (filters, size)),
        times(random, (filters, memory)),
        Tensor((units,), "float32", random.normal(size=units).astype("f")) if bias else None,
        Tensor((batches, filters * memory), "float32", variable=True),
    ]
    model = single_op("SVDF", inputs, [Tensor((batches, units), "float32")], rank=rank, **options)
    return model, _runs(random, (batches, size))


for asymmetric in (False, True):
    for keywords in (
        {},
        {"batches": 3, "rank": 2},
        {"size": 1, "filters": 1, "memory": 1},
        {"rank": 3, "memory": 9},
        {"size": 90, "rank": 6},
        {"bias": False},
        {"fused_activation_function": "RELU"},
        {"fused_activation_function": "TANH"},
    ):
        name = f"SVDF {asymmetric} {keywords}"
        model, runs = _svdf(name, asymmetric_quantize_inputs=asymmetric, **keywords)
        cases.add(name, model, runs, _RTOL, 1e-5, expected=litert.outputs)
cases.add("SVDF zero point", _svdf("x", times=_zero_point)[0], error="has a zero point")


@litert.needs_litert
@cases.parametrize
def test_hybrid_recurrent(case):
    case.check()
