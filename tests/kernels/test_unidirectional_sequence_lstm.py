# Tests of UNIDIRECTIONAL_SEQUENCE_LSTM against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.single_op import Tensor, single_op

random = np.random.default_rng(44)
ACTIVATION = {"fused_activation_function": "TANH"}


# Return the 24 inputs: `weights` of 8 matrices, 4 biases and the two states; others are absent.
def arguments(source, weights, biases, hidden, cell):
    return [source, *weights, *[None] * 3, *biases, *[None] * 2, hidden, cell, *[None] * 4]


# A model on int8 or int16 ("dtype"). `values` makes the weights of a shape, `spread` is the size
# of the biases; `changes` replaces or adds inputs by their index, e.g. {9: Tensor(...)}.
def quantized(
    dtype="int8",
    batches=1,
    steps=3,
    size=5,
    state=4,
    scales=(0.02, 0.008, 0.01, 0.008),
    cell_scale=2.0**-11,
    zero_points=(-5, 3),
    weights_zero_point=0,
    values=None,
    spread=4000,
    changes=None,
    output=None,
    **options,
):
    inputs, matrix, hidden, recurrent = scales
    if dtype == "int16":
        inputs, hidden = inputs / 256, hidden / 256
    if values is None:

        def values(shape):
            return random.integers(-127, 128, shape)

    def weights(shape, scale):
        factor = random.uniform(0.7, 1.3)
        quantization = {"scale": scale * factor, "zero_point": weights_zero_point}
        return Tensor(shape, "int8", values(shape), **quantization)

    shape = (steps, batches) if options.get("time_major") else (batches, steps)
    bias = "int32" if dtype == "int8" else "int64"
    tensors = arguments(
        Tensor((*shape, size), dtype, scale=inputs, zero_point=zero_points[0]),
        [weights((state, size), matrix) for _ in range(4)]
        + [weights((state, state), recurrent) for _ in range(4)],
        [
            Tensor((state,), bias, random.integers(-spread, spread + 1, state), scale=1e-4)
            for _ in range(4)
        ],
        Tensor((batches, state), dtype, variable=True, scale=hidden, zero_point=zero_points[1]),
        Tensor((batches, state), "int16", variable=True, scale=cell_scale, zero_point=0),
    )
    for i, tensor in (changes or {}).items():
        tensors[i] = tensor
    y = output or Tensor((*shape, state), dtype, scale=hidden, zero_point=zero_points[1])
    return single_op("UNIDIRECTIONAL_SEQUENCE_LSTM", tensors, [y], **(ACTIVATION | options))


integer = Cases()
for dtype in ("int8", "int16"):
    for keywords in (
        {},
        {"batches": 3},
        {"batches": 3, "time_major": True},
        {"batches": 1, "steps": 1, "size": 1, "state": 1},
        {"size": 70, "state": 35, "steps": 2},
        {"size": 3, "state": 67, "steps": 2},
        {"size": 3, "state": 40, "scales": (0.02, 0.02, 0.01, 0.03)},
        {"size": 300, "state": 2, "steps": 2, "scales": (0.01, 0.002, 0.01, 0.01)},
        {"cell_clip": 0.5},
        {"cell_clip": 1e-9},
        {"cell_clip": 15.9999, "spread": 10**6},
        {"cell_clip": 1000.0, "spread": 10**6},
        {"cell_clip": -1.0},
        {"proj_clip": 1.0},
        {"spread": 10**8},
        {"fused_activation_function": "NONE"},
        {"cell_scale": 2.0**-13, "steps": 8},
        {"cell_scale": 2.0**-15, "steps": 8},
        {"cell_scale": 2.0**-9},
        {"cell_scale": 2.0**-1},
        {"cell_scale": 0.0003},
        {"cell_scale": 0.0004},
        {"scales": (1.0, 0.5, 0.01, 0.5)},
        {"scales": (1e-7, 1e-7, 1e-3, 1e-7)},
        {"scales": (1e-12, 1e-12, 1e-3, 1e-7)},
        {"scales": (0.02, 0.008, 1e-5, 0.008)},
    ):
        model = quantized(dtype, **keywords)
        integer.add(f"{dtype} {keywords}", model, runs=4)
    integer.add(f"{dtype} many runs", quantized(dtype), runs=24)
    integer.add(f"{dtype} reset", quantized(dtype, batches=2), runs=4, reset=True)
for zero_points in ((-128, 127), (127, -128), (0, 0)):
    integer.add(f"int8 {zero_points}", quantized(zero_points=zero_points), runs=6)
integer.add("int16 zero points", quantized("int16", zero_points=(-1000, 2000)), runs=6)
integer.add("int16 weights' zero point", quantized("int16", weights_zero_point=4), runs=4)
integer.add("int8 weights' zero point", quantized(weights_zero_point=-4), runs=4)
BIAS = Tensor((4,), "int64", [2**46, 1 - 2**46, -(2**34) - 1, 2**34], scale=1e-6)
for scales in ((1e-3, 1e-3, 0.01, 0.01), (1e-9, 1e-3, 0.01, 0.01), (1e-10, 1e-9, 0.01, 0.01)):
    model = quantized("int16", scales=scales, changes={14: BIAS}, steps=1)
    integer.add(f"int16 large bias {scales}", model)


# Two scales whose product is 2**-13 in float32 and less in double. A gate's multiplier is then 1/2
# or, as TFLM computes it, less, which rounds halves differently. All gates except the cell gate
# are 1/2; the small scale of the output shows every step of the cell gate.
def gate_multiplier():
    while True:
        a = np.float32(random.uniform(0.01, 0.02))
        b = np.float32(2**-13 / float(a))
        if a * b == np.float32(2**-13) and float(a) * float(b) < 2**-13 * (1 - 2e-8):
            break
    zeros = [Tensor((1, 1), "int8", [0], scale=float(b)) for _ in range(8)]
    zeros[2] = Tensor((1, 1), "int8", [1], scale=float(b))
    biases = [Tensor((1,), "int32", [0], scale=2**-13) for _ in range(4)]
    return single_op(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        arguments(
            Tensor((1, 1, 1), "int8", scale=float(a), zero_point=0),
            zeros,
            biases,
            Tensor((1, 1), "int8", variable=True, scale=2.0**-16, zero_point=0),
            Tensor((1, 1), "int16", variable=True, scale=2.0**-15, zero_point=0),
        ),
        [Tensor((1, 1, 1), "int8", scale=2.0**-16, zero_point=0)],
        **ACTIVATION,
    )


for i in range(3):
    runs = [[[value]] for value in (-7, -5, -3, -1, 1, 3, 5, 7)]
    integer.add(f"multiplier {i}", gate_multiplier(), inputs=runs, reset=True)


@integer.parametrize
def test_integers(case):
    case.check()


# A model on float32.
def floating(batches=1, steps=3, size=5, state=4, large=0.4, **options):
    def values(*shape):
        return (random.standard_normal(shape) * large).astype(np.float32)

    shape = (steps, batches) if options.get("time_major") else (batches, steps)
    tensors = arguments(
        Tensor((*shape, size), "float32"),
        [Tensor((state, size), "float32", values(state, size)) for _ in range(4)]
        + [Tensor((state, state), "float32", values(state, state)) for _ in range(4)],
        [Tensor((state,), "float32", values(state)) for _ in range(4)],
        Tensor((batches, state), "float32", variable=True),
        Tensor((batches, state), "float32", variable=True),
    )
    y = Tensor((*shape, state), "float32")
    return single_op("UNIDIRECTIONAL_SEQUENCE_LSTM", tensors, [y], **(ACTIVATION | options))


floats = Cases()
for keywords in (
    {},
    {"batches": 3},
    {"batches": 3, "time_major": True},
    {"steps": 1, "size": 1, "state": 1},
    {"size": 20, "state": 19, "steps": 2},
    {"cell_clip": 0.3},
    {"cell_clip": -0.3},
    {"fused_activation_function": "NONE"},
    {"large": 30.0},
):
    floats.add(f"float32 {keywords}", floating(**keywords), runs=6, rtol=1e-5, atol=1e-7)
floats.add("float32 reset", floating(batches=2), runs=4, reset=True, rtol=1e-5, atol=1e-7)


@floats.parametrize
def test_float32(case):
    case.check()


# TFLM has no tensors without elements.
others = Cases()
for dtype in ("int8", "int16"):
    others.add(
        f"{dtype}, no steps",
        quantized(dtype, steps=0),
        inputs=[[np.zeros((1, 0, 5))]],
        expected=[[np.zeros((1, 0, 4))]],
    )
    others.add(
        f"{dtype}, no inputs",
        quantized(dtype, size=0, spread=0),
        inputs=[[np.zeros((1, 3, 0))]],
        expected=[[np.full((1, 3, 4), 3)]],
    )
others.add(
    "float32, no batches",
    floating(batches=0),
    inputs=[[np.zeros((0, 3, 5))]],
    expected=[[np.zeros((0, 3, 4))]],
)


@others.parametrize
def test_others(case):
    case.check()


refused = Cases()
MATRIX = Tensor((4, 4), "int8", np.zeros((4, 4)), scale=0.01)
VECTOR = Tensor((4,), "int16", np.zeros(4), scale=0.01)
STATE = {"scale": 0.01, "zero_point": 3}
for name, changes, error in (
    ("peephole", {9: VECTOR}, "peephole"),
    ("projection", {16: MATRIX}, "projection"),
    ("projection bias", {17: VECTOR}, "projection"),
    ("layer normalization", {20: VECTOR}, "normalization"),
    ("no input gate", {1: None, 5: None, 12: None}, "CIFG"),
    ("no bias", {13: None}, "no input 13"),
    ("no weights", {3: None}, "no input 3"),
    ("rank", {0: Tensor((3, 5), "int8", scale=0.01)}, "3 dimensions"),
    ("weights", {2: MATRIX}, "should be"),
    ("recurrent weights", {6: Tensor((4, 5), "int8", scale=0.1)}, "should be"),
    ("weights type", {5: Tensor((4, 4), "int16", scale=0.1)}, "must be int8"),
    ("several scales", {5: Tensor((4, 4), "int8", scale=[0.1] * 4)}, "several scales"),
    ("bias", {14: Tensor((3,), "int32", scale=0.1)}, "should be"),
    ("bias type", {14: Tensor((4,), "int64", scale=0.1)}, "must be int32"),
    ("hidden rank", {18: Tensor((4,), "int8", variable=True, **STATE)}, "2 dimensions"),
    ("hidden", {18: Tensor((1, 5), "int8", variable=True, **STATE)}, "should be"),
    ("hidden type", {18: Tensor((1, 4), "int16", variable=True, **STATE)}, "must be int8"),
    ("no variable", {18: Tensor((1, 4), "int8", **STATE)}, "variable"),
    ("cell", {19: Tensor((2, 4), "int16", variable=True, scale=0.1)}, "should have 4"),
    ("cell type", {19: Tensor((1, 4), "int8", variable=True, scale=0.1)}, "must be int16"),
    ("no scale", {19: Tensor((1, 4), "int16", variable=True)}, "no scale"),
    (
        "constant cell",
        {19: Tensor((1, 4), "int16", np.zeros(4), scale=0.1)},
        "variable",
    ),
):
    refused.add(name, quantized(changes=changes), error=error)
refused.add("RELU", quantized(fused_activation_function="RELU"), error="activation 1")
refused.add("cell scale", quantized(cell_scale=100.0), error="such a scale")
output = Tensor((1, 3, 5), "int8", scale=0.01)
refused.add("output", quantized(output=output), error="should be")
output = Tensor((1, 3, 4), "int16", scale=0.01)
refused.add("output type", quantized(output=output), error="must be int8")
bias = Tensor((4,), "int32", scale=0.1)
refused.add("int16 bias", quantized("int16", changes={12: bias}), error="must be int64")


@refused.parametrize
def test_refused(case):
    case.check()


# int16 without zero points, as converters write it.
symmetric = Cases()
for number, keywords in enumerate(
    (
        {"steps": 8},
        {"batches": 3},
        {"size": 70, "state": 35, "steps": 2},
        {"size": 6, "state": 67, "steps": 2},
        {"size": 513, "state": 5, "steps": 2, "scales": (0.01, 0.002, 0.01, 0.01)},
        {"cell_clip": 0.5},
        {"spread": 10**8},
        {"scales": (1e-9, 1e-7, 1e-3, 1e-7)},
        {"scales": (1e-3, 1e-3, 0.01, 0.01), "changes": {14: BIAS}},
        {"scales": (1e-10, 1e-9, 0.01, 0.01), "changes": {14: BIAS}},
    )
):
    model = quantized("int16", zero_points=(0, 0), **keywords)
    symmetric.add(f"int16 without zero points {number}", model, runs=4)


@symmetric.parametrize
def test_symmetric(case):
    case.check()
