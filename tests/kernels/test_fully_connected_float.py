# Tests of FULLY_CONNECTED on float32 against TFLM: exact
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

ACTIVATIONS = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6")


# A model of one FULLY_CONNECTED; weights and bias are constants unless they are "input".
def fully_connected(
    shape,
    channels,
    target=None,
    depth=None,
    bias="random",
    weights="random",
    large=1.0,
    dtypes=("float32",) * 3,
    **options,
):
    random = generator(f"fully connected {shape} {channels}")
    depth = depth or shape[-1]
    values = random.normal(0, large, (channels, depth)) if weights == "random" else None
    inputs = [
        Tensor(shape, "float32"),
        Tensor((channels, depth), dtypes[0], values, scale=1.0),
        None,
    ]
    if bias is not None:
        values = random.normal(0, large, channels) if bias == "random" else None
        inputs[2] = Tensor((channels,), dtypes[1], values, scale=1.0)
    target = target or (int(np.prod(shape)) // depth, channels)
    return single_op("FULLY_CONNECTED", inputs, [Tensor(target, dtypes[2], scale=1.0)], **options)


for number, (shape, channels) in enumerate(
    [((1, 1), 1), ((1, 7), 3), ((4, 5), 6), ((3, 60), 1), ((2, 1), 9), ((1, 200), 40)]
):
    for bias in ("random", None):
        activation = ACTIVATIONS[number % 4]
        model = fully_connected(shape, channels, bias=bias, fused_activation_function=activation)
        cases.add(f"{shape} to {channels}, bias {bias}", model, slices=(1, 5))
for activation in ACTIVATIONS:
    model = fully_connected((3, 6), 8, fused_activation_function=activation)
    cases.add(f"activation {activation}", model, slices=(3, 7))
cases.add(
    "more dimensions kept",
    fully_connected((2, 3, 4), 5, (2, 3, 5), keep_num_dims=True),
)
cases.add("flattened", fully_connected((2, 3, 4), 5, (2, 5), depth=12))
cases.add("weights are an input", fully_connected((2, 5), 4, weights="input"))
cases.add("bias is an input", fully_connected((2, 5), 4, bias="input"))
cases.add("overflow", fully_connected((2, 9), 4, large=1e38))
cases.add(
    "overflow, RELU6", fully_connected((2, 9), 4, large=1e38, fused_activation_function="RELU6")
)
cases.add("subnormals", fully_connected((2, 9), 4, large=1e-40))
special = [
    [np.inf, 1, 2],
    [-np.inf, 1, 2],
    [np.nan, 1, 2],
    [-0.0, -0.0, -0.0],
    [3e38, 3e38, -3e38],
]
cases.add("special values", fully_connected((5, 3), 6), [[np.array(special)]])


# Numbers with random signs and mantissas, and exponents between two limits.
def of_exponents(random, shape, low, high):
    exponents = random.integers(low, high + 1, shape)
    return np.ldexp(random.choice([-1, 1], shape) * random.uniform(1, 2, shape), exponents)


# Yield a description, inputs and weights that are difficult to multiply and add.
def difficult(random, rows, channels, depth):
    normal = random.normal
    some, other = (rows, depth), (channels, depth)
    pairs = np.repeat(normal(size=(rows, depth // 2)), 2, 1)
    opposite = np.repeat(normal(size=(channels, depth // 2)), 2, 1) * np.tile([1, -1], depth // 2)
    bits = random.integers(0, 1 << 32, some, np.uint64).astype(np.uint32).view(np.float32)
    ones = np.full(some, 0x3FFFFFFF, np.uint32).view(np.float32)
    sparse = np.where(random.random(other) < 0.6, 0, normal(size=other))
    relu = np.maximum(normal(size=some), 0)
    infinite = np.where(random.random(other) < 0.02, np.inf, normal(size=other))
    powers = np.exp2(random.integers(-13, 13, other)) * random.choice([1, -1], other)
    yield "normal", normal(size=some), normal(size=other)
    yield "positive", relu, normal(size=other)
    yield "sparse weights", relu, sparse
    yield "infinite weights and zeros", relu, infinite
    yield "pairs that cancel", pairs, opposite
    near = pairs * (1 + np.exp2(-random.integers(18, 24, some)))
    yield "pairs that nearly cancel", near, opposite
    yield "small integers", random.integers(-8, 9, some), random.integers(-8, 9, other)
    twelve, thirteen = random.integers(1, 1 << 12, some), random.integers(1, 1 << 13, other)
    yield "ties of products and sums", twelve / 64, (thirteen - (1 << 12)) / 512
    yield "wide exponents", of_exponents(random, some, -30, 30), of_exponents(random, other, -9, 9)
    yield "widest exponents", of_exponents(random, some, -126, 126), normal(size=other)
    yield "bounds", of_exponents(random, some, -91, -89), of_exponents(random, other, 20, 30)
    yield "large inputs", of_exponents(random, some, 34, 38), of_exponents(random, other, -126, 0)
    yield "large sums", of_exponents(random, some, 15, 20), of_exponents(random, other, 15, 20)
    yield "small sums", of_exponents(random, some, -40, -20), of_exponents(random, other, -40, -22)
    yield "all bits", bits[:, :8], of_exponents(random, (channels, 8), -20, 20)
    yield "mantissas of ones", ones, ones[:1] * random.choice([1, -1, 0.5], other)
    yield "powers of two", np.exp2(random.integers(-12, 13, some)), powers
    near = powers * (1 + random.integers(-1, 2, other) * 2.0**-23)
    numbers = np.arange(3, 203, dtype=np.float32)[:, None]
    yield "products rounded up to powers of two", numbers, 1 / numbers
    yield "neighbours of powers", np.exp2(random.integers(-12, 13, some)), near


for name, x, weights in difficult(generator("difficult"), 12, 16, 40):
    model = fully_connected(x.shape, len(weights), weights="input", bias=None)
    numbers = [values.astype(np.float32) for values in (x, weights)]
    cases.add(f"difficult: {name}", model, [numbers])


# A constant input is stored in the model.
def constant():
    model = ModelBuilder("constant")
    x = model.tensor((2, 6), "float32", np.linspace(-3, 8, 12))
    weights = model.tensor((4, 6), "float32")
    y = model.tensor((2, 4), "float32")
    model.operator("FULLY_CONNECTED", [x, weights, None], [y])
    model.io([weights], [y])
    return model.build()


cases.add("input is a constant", constant())
for dtypes in (
    ("int16", "float32", "float32"),
    ("float32", "int32", "float32"),
    ("float32", "float32", "int8"),
):
    model = fully_connected((2, 3), 4, bias="input", weights="input", dtypes=dtypes)
    cases.add(f"types {dtypes}", model, error="float32")


@cases.parametrize
def test_fully_connected_float(case):
    case.check()
