# Tests of SVDF on int8 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.scales import rounded_up
from support.single_op import Tensor, single_op

random = np.random.default_rng(27)


# Random values of the whole range of a type.
def integers(shape, dtype):
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype, endpoint=True)


# An SVDF on int8; `state` is the type of the state and of the weights over time.
def int8_model(
    batches=1,
    size=10,
    filters=8,
    memory=6,
    rank=1,
    state="int16",
    bias=True,
    scales=(0.05, 0.02, 0.02, 0.0004, 0.1),
    zero_points=(-7, 0, 0, 5),
    small=1,
    state_data=None,
    **options,
):
    inputs, features, states, times, outputs = scales
    units = filters // rank
    bias_scale = float(np.float32(states) * np.float32(times))
    values = random.integers(-2000, 2000, units) * small
    return single_op(
        "SVDF",
        [
            Tensor((batches, size), "int8", scale=inputs, zero_point=zero_points[0]),
            Tensor((filters, size), "int8", integers((filters, size), np.int8), scale=features),
            Tensor(
                (filters, memory),
                state,
                integers((filters, memory), np.dtype(state)),
                scale=times,
                zero_point=zero_points[1],
            ),
            Tensor((units,), "int32", values, scale=bias_scale) if bias else None,
            Tensor(
                (batches, filters * memory),
                state,
                state_data,
                variable=True,
                scale=states,
                zero_point=zero_points[2],
            ),
        ],
        [Tensor((batches, units), "int8", scale=outputs, zero_point=zero_points[3])],
        rank=rank,
        **options,
    )


integer = Cases()
WIDE = (0.05, 0.02, 0.02, 0.0004, 0.1)
NARROW = (0.05, 0.02, 0.8, 0.02, 0.5)
for state, scales in (("int16", WIDE), ("int8", NARROW)):
    for keywords in (
        {},
        {"batches": 3, "rank": 2},
        {"size": 1, "filters": 1, "memory": 1},
        {"size": 96, "filters": 70, "memory": 8, "rank": 1},
        {"size": 130, "filters": 72, "rank": 72, "memory": 2},
        {"batches": 2, "filters": 66, "rank": 33},
        {"zero_points": (127, 3, 0, -128)},
        {"zero_points": (-128, -3, 100, 127)},
        {"zero_points": (-128, 0, -100, 127)},
        {"fused_activation_function": "RELU"},
        {"fused_activation_function": "TANH", "asymmetric_quantize_inputs": True},
    ):
        keywords = {"state": state, "scales": scales} | keywords
        integer.add(f"{state} {keywords}", int8_model(**keywords), runs=12)
    integer.add(f"{state} reset", int8_model(state=state, scales=scales), runs=4, reset=True)
# TFLM ignores the data of a variable: the state begins at zero.
integer.add("data of the state", int8_model(state_data=np.full((1, 48), 99)), runs=4)
# Multipliers above 1, far below it, and none at all.
for scales in (
    (2.0, 3.0, 0.5, 0.01, 0.001),
    (1e-4, 1e-4, 0.5, 0.01, 2.0),
    (1e-9, 1e-9, 1.0, 1e-6, 90.0),
    (1e-20, 1e-9, 1e-3, 1e-3, 1e-4),
):
    for state in ("int16", "int8"):
        integer.add(f"{state} {scales}", int8_model(scales=scales, state=state), runs=8)


# The state is half of the input's product with 1, and is the output.
def feature_multiplier():
    a, b, product = rounded_up(random)
    quantized = {"scale": 2 * product}
    return single_op(
        "SVDF",
        [
            Tensor((1, 1), "int8", scale=a, zero_point=0),
            Tensor((1, 1), "int8", [1], scale=b),
            Tensor((1, 1), "int16", [1], scale=1.0),
            Tensor((1,), "int32", [0], **quantized),
            Tensor((1, 1), "int16", variable=True, **quantized),
        ],
        [Tensor((1, 1), "int8", **quantized)],
        rank=1,
    )


# The output is half of the bias.
def output_multiplier():
    a, b, product = rounded_up(random)
    bias = np.arange(-255, 256)
    return single_op(
        "SVDF",
        [
            Tensor((1, 1), "int8", scale=0.1, zero_point=0),
            Tensor((511, 1), "int8", np.zeros(511), scale=0.1),
            Tensor((511, 1), "int8", np.zeros(511), scale=b),
            Tensor((511,), "int32", bias, scale=product),
            Tensor((1, 511), "int8", variable=True, scale=a),
        ],
        [Tensor((1, 511), "int8", scale=2 * product, zero_point=0)],
        rank=1,
    )


for i in range(3):
    runs = [[[[value]]] for value in (-127, -3, -1, 1, 3, 99)]
    integer.add(f"multiplier of the features {i}", feature_multiplier(), inputs=runs)
    integer.add(f"multiplier of the outputs {i}", output_multiplier())


@integer.parametrize
def test_int8(case):
    case.check()


# TFLM reads an invalid bias if there is none; tflm starts sums at 0.
others = Cases()
for bias in (True, False):
    random = np.random.default_rng(5)
    model = int8_model(filters=6, rank=2, small=0, bias=bias)
    random = np.random.default_rng(5)
    equivalent = int8_model(filters=6, rank=2, small=0)
    others.add(f"int8 bias {bias}", model, oracle_model=equivalent, runs=6)
# TFLM has no tensors without elements.
others.add(
    "no batches",
    int8_model(batches=0),
    inputs=[[np.zeros((0, 10))]],
    expected=[[np.zeros((0, 8))]],
)
others.add(
    "no inputs",
    single_op(
        "SVDF",
        [
            Tensor((2, 0), "int8", scale=0.1, zero_point=3),
            Tensor((2, 0), "int8", scale=0.1),
            Tensor((2, 3), "int8", [1, 2, 3, 4, 5, 6], scale=0.5),
            Tensor((2,), "int32", [30, -7], scale=0.25),
            Tensor((2, 6), "int8", variable=True, scale=0.5, zero_point=1),
        ],
        [Tensor((2, 2), "int8", scale=0.25, zero_point=2)],
        rank=1,
    ),
    inputs=[[np.zeros((2, 0))] * 2] * 2,
    expected=[[[[32, -5], [32, -5]]]] * 2,
)
# Several operators in a chain, with states of both types.
chain = ModelBuilder()
x = at = chain.tensor((1, 6), "int8", scale=0.05, zero_point=2)
for i, state in enumerate(("int8", "int16", "int8")):
    outputs = chain.tensor((1, 6), "int8", scale=0.06, zero_point=-i)
    tensors = [
        chain.tensor((6, 6), "int8", integers((6, 6), np.int8), scale=0.01),
        chain.tensor((6, 3), state, integers((6, 3), np.dtype(state)) // 2, scale=2.0**-8),
        chain.tensor((6,), "int32", integers((6,), np.int8), scale=2.0**-14),
        chain.tensor((1, 18), state, variable=True, scale=2.0**-6, zero_point=i),
    ]
    chain.operator("SVDF", [at, *tensors], [outputs], rank=1)
    at = outputs
chain.io([x], [at])
others.add("chain", chain.build(), runs=10)
others.add("chain, reset", chain.build(), runs=4, reset=True)


@others.parametrize
def test_others(case):
    case.check()


refused = Cases()
GOOD = {
    0: Tensor((2, 5), "int8", scale=0.1, zero_point=0),
    1: Tensor((6, 5), "int8", integers((6, 5), np.int8), scale=0.1),
    2: Tensor((6, 4), "int16", integers((6, 4), np.int16), scale=0.1),
    3: Tensor((3,), "int32", [1, 2, 3], scale=0.01),
    4: Tensor((2, 24), "int16", variable=True, scale=0.1),
    5: Tensor((2, 3), "int8", scale=0.1, zero_point=0),
}
INT16 = np.zeros((2, 24), np.int16)
for name, number, tensor, error in (
    ("input rank", 0, Tensor((2, 5, 1), "int8", scale=0.1), "2 dimensions"),
    ("features", 1, Tensor((6, 4), "int8", scale=0.1), "should be"),
    ("times", 2, Tensor((5, 4), "int16", scale=0.1), "should be"),
    ("no memory", 2, Tensor((6, 0), "int16", scale=0.1), "no memory"),
    ("bias", 3, Tensor((6,), "int32", scale=0.01), "should have 3"),
    ("bias scale", 3, Tensor((3,), "int32", scale=0.02), "must have the state's scale"),
    ("bias type", 3, Tensor((3,), "int64", scale=0.01), "must be int32"),
    ("state", 4, Tensor((2, 23), "int16", variable=True, scale=0.1), "should be"),
    ("no variable", 4, Tensor((2, 24), "int16", scale=0.1), "variable"),
    ("constant state", 4, Tensor((2, 24), "int16", INT16, scale=0.1), "variable"),
    ("state type", 4, Tensor((2, 24), "int8", variable=True, scale=0.1), "must be int16"),
    ("output", 5, Tensor((2, 6), "int8", scale=0.1), "should be"),
    ("output type", 5, Tensor((2, 3), "int16", scale=0.1), "must be int8"),
    ("no scale", 5, Tensor((2, 3), "int8"), "no scale"),
    ("int16", 0, Tensor((2, 5), "int16", scale=0.1), "must be"),
):
    *inputs, output = (GOOD | {number: tensor}).values()
    refused.add(name, single_op("SVDF", inputs, [output], rank=2), error=error)
*INPUTS, OUTPUT = GOOD.values()
for rank in (0, -1, 4):
    refused.add(f"rank {rank}", single_op("SVDF", INPUTS, [OUTPUT], rank=rank), error="rank")
refused.add("4 inputs", single_op("SVDF", INPUTS[:4], [OUTPUT], rank=2), error="no input 4")


@refused.parametrize
def test_refused(case):
    case.check()
