# Tests of kernels for the DSP extension (target armv7em) by the portable kernels
# MIT license; Copyright (c) 2026 the tflm authors


import numpy as np
import pytest
from support.check import Cases
from support.inputs import generator
from support.kernel_tests import module_of
from support.runner import REPOSITORY
from support.single_op import Tensor, single_op
from tflm.prepare.folding import fold
from tflm_tools.flat.flatten import flatten, prepare

TARGET = "armv7em"
SOURCES = ("test_conv", "test_depthwise_conv", "test_fully_connected")


# Return the kernels that the flat model of the target calls.
def kernels(model, packing=None):
    _, storage = prepare(model, target=TARGET, packing=packing)
    return {record.kernel.partition(".")[0] for record in storage.records}


# Return how many groups or channels of a model have one multiplication instead of two roundings.
def folded(model):
    _, storage = prepare(model, target=TARGET)
    (record,) = storage.records
    kinds = [storage.constants[i] for i in _kinds(storage, record)]
    assert set(kinds) <= {0, 1}  # as the assembler kernels read them
    return record.kernel, sum(kinds)


# Return where the streams of a record's groups or channels begin.
def _kinds(storage, record):
    start = record.words[2] >> 2
    if record.kernel.startswith("conv"):
        step = 52 + 8 * record.words[17]
        count = -(-record.words[9] // 4)
    else:
        step, count = 40, record.words[11]
    return range(start, start + count * step, step)


cases = Cases()
for source in SOURCES:
    for case in module_of(source).cases:
        if case.error or case.expected or not any("dsp" in k for k in kernels(case.build())):
            continue
        model, oracle = case.build(), case.oracle_model
        cases.add(f"{source} {case.name}", model, runs=1, oracle_model=oracle, paths=(TARGET,))


# The output's quantization: with RELU the lowest value is 0, as converters write it.
def _output(shape, scale, activation):
    return Tensor(shape, "int8", scale=scale, zero_point=-128 if activation == "RELU" else -3)


# A CONV_2D with the given weights (filters, height, width, depth) and biases.
def conv(weights, bias, source, scale, padding="SAME", activation="NONE", stride=1, dilation=1):
    filters, height, width, _ = weights.shape
    x = Tensor(source, "int8", scale=0.05, zero_point=-7)
    scales = np.linspace(0.015, 0.025, filters)
    quantization = {"scale": scales, "zero_point": 0, "quantized_dimension": 0}
    w = Tensor(weights.shape, "int8", weights, **quantization)
    b = Tensor((filters,), "int32", bias, scale=0.05 * scales, zero_point=0)
    reach = [(size - 1) * dilation + 1 for size in (height, width)]
    if padding == "SAME":
        sides = [-(-size // stride) for size in source[1:3]]
    else:
        sides = [(size + stride - r) // stride for size, r in zip(source[1:3], reach, strict=True)]
    y = _output((source[0], *sides, filters), scale, activation)
    options = {"stride_h": stride, "stride_w": stride, "padding": padding}
    options |= {"dilation_h_factor": dilation, "dilation_w_factor": 1}
    return single_op("CONV_2D", [x, w, b], [y], fused_activation_function=activation, **options)


# Random weights and biases for conv(); outputs fill their range and exceed it.
def random_conv(name, shape, source, scale=1.0, **options):
    random = generator(name)
    weights = random.integers(-128, 127, shape, endpoint=True).astype(np.int8)
    bias = random.integers(-3000, 3000, shape[0])
    return conv(weights, bias, source, scale * 0.02 * np.sqrt(np.prod(shape[1:])), **options)


RELU = {"activation": "RELU"}
for name, shape, source, options in (
    ("one row, odd number of pixels", (8, 1, 1, 16), (1, 5, 5, 16), {}),
    ("one pixel", (8, 1, 1, 12), (1, 1, 1, 12), {}),
    ("one row, outputs folded", (12, 1, 1, 32), (2, 3, 7, 32), RELU),
    ("fast", (64, 1, 1, 64), (1, 8, 8, 64), RELU),
    ("many passes", (8, 1, 1, 100), (1, 4, 4, 100), RELU),
    ("odd depth", (4, 1, 1, 5), (1, 9, 61, 5), RELU),
    ("one channel", (1, 1, 1, 3), (1, 3, 3, 3), {}),
    ("incomplete group", (7, 3, 3, 4), (1, 5, 6, 4), RELU),
    ("incomplete group of two", (6, 2, 2, 3), (2, 3, 5, 3), {}),
    ("odd width", (8, 3, 3, 8), (2, 4, 7, 8), RELU),
    ("narrow", (4, 3, 3, 4), (1, 5, 1, 4), {}),
    ("wider than the image", (4, 3, 7, 4), (1, 4, 3, 4), {}),
    ("higher than the image", (4, 7, 3, 4), (1, 2, 5, 4), {}),
    ("stride 2", (8, 3, 3, 3), (1, 9, 11, 3), {"stride": 2, **RELU}),
    ("stride 3, no padding", (4, 2, 2, 4), (1, 9, 9, 4), {"stride": 3, "padding": "VALID"}),
    ("pixels apart", (8, 1, 1, 16), (1, 7, 9, 16), {"stride": 2}),
    ("rows apart", (4, 3, 1, 8), (1, 9, 5, 8), {"dilation": 2}),
    ("blocks of a row", (4, 3, 3, 32), (1, 2, 19, 32), RELU),
    ("deep", (4, 1, 1, 1900), (1, 1, 3, 1900), {}),
    ("limits of RELU6", (8, 3, 3, 4), (1, 6, 5, 4), {"activation": "RELU6"}),
    ("limits around zero", (4, 1, 1, 8), (1, 6, 5, 8), {"activation": "RELU_N1_TO_1"}),
    ("a multiplier above 1", (4, 1, 1, 4), (1, 3, 5, 4), {"scale": 0.01}),
    ("large steps", (4, 3, 3, 4), (1, 3, 5, 4), {"scale": 0.05, **RELU}),
    ("small steps", (4, 3, 3, 4), (1, 3, 5, 4), {"scale": 50.0, **RELU}),
):
    cases.add(name, random_conv(name, shape, source, **options), paths=(TARGET,))

# Channels without weights may have biases that exceed every sum.
EMPTY = np.zeros((6, 1, 1, 8), np.int8)
EMPTY[1] = 3
LARGE = [1 << 30, 77, -(1 << 30), (1 << 31) - 1, -(1 << 31), 1 << 29]
cases.add("channels without weights", conv(EMPTY, LARGE, (1, 3, 3, 8), 30.0), paths=(TARGET,))
cases.add("the same, clamped", conv(EMPTY, LARGE, (1, 3, 3, 8), 3e4), paths=(TARGET,))


# A DEPTHWISE_CONV_2D with random weights and biases; `side`: (height, width) of the filter.
def depthwise(
    name, source, stride=1, multiplier=1, scale=1.0, padding="SAME", activation="NONE", side=(3, 3)
):
    random = generator(name)
    count = source[3] * multiplier
    x = Tensor(source, "int8", scale=0.05, zero_point=9)
    scales = np.linspace(0.015, 0.025, count)
    quantization = {"scale": scales, "zero_point": 0, "quantized_dimension": 3}
    data = random.integers(-128, 127, (1, *side, count), endpoint=True).astype(np.int8)
    w = Tensor(data.shape, "int8", data, **quantization)
    bias = random.integers(-3000, 3000, count)
    b = Tensor((count,), "int32", bias, scale=0.05 * scales, zero_point=0)
    if padding == "SAME":
        sides = [-(-size // stride) for size in source[1:3]]
    else:
        sides = [(n + stride - k) // stride for n, k in zip(source[1:3], side, strict=True)]
    scale *= 0.02 * np.sqrt(side[0] * side[1])
    y = _output((source[0], *sides, count), scale, activation)
    options = {"stride_h": stride, "stride_w": stride, "padding": padding}
    options |= {"depth_multiplier": multiplier, "fused_activation_function": activation}
    return single_op("DEPTHWISE_CONV_2D", [x, w, b], [y], **options)


for name, source, options in (
    ("even sides", (1, 6, 8, 5), {}),
    ("odd sides", (2, 5, 7, 3), RELU),
    ("one column", (1, 6, 1, 3), RELU),
    ("one row of outputs", (1, 1, 6, 3), {}),
    ("one output", (1, 1, 1, 4), RELU),
    ("no padding", (1, 5, 6, 3), {"padding": "VALID"}),
    ("two columns", (1, 7, 2, 3), {"activation": "RELU6"}),
    ("several outputs a channel", (2, 4, 5, 3), {"multiplier": 3, **RELU}),
    ("bands", (1, 70, 33, 2), RELU),
    ("wide", (1, 3, 300, 1), {}),
    ("a high multiplier", (1, 4, 5, 4), {"scale": 0.01}),
    ("small outputs", (1, 4, 5, 4), {"scale": 60.0, **RELU}),
    ("stride 2, even", (1, 8, 8, 4), {"stride": 2, **RELU}),
    ("stride 2, odd", (2, 7, 9, 3), {"stride": 2}),
    ("stride 2, one column", (1, 5, 2, 3), {"stride": 2, "activation": "RELU_N1_TO_1"}),
    ("stride 2, no padding", (1, 6, 8, 3), {"stride": 2, "padding": "VALID", **RELU}),
    ("stride 2, bands", (1, 90, 60, 2), {"stride": 2}),
    ("stride 2, several outputs", (1, 5, 5, 2), {"stride": 2, "multiplier": 2}),
    ("5x5, bands", (1, 60, 33, 2), {"side": (5, 5), **RELU}),
    ("7x7, wide", (1, 5, 250, 1), {"side": (7, 7)}),
    ("7x7, stride 2, bands", (1, 61, 40, 2), {"side": (7, 7), "stride": 2, **RELU}),
    ("5x5, batches", (2, 6, 7, 3), {"side": (5, 5), "activation": "RELU6"}),
    ("5x5, several outputs a channel", (1, 6, 5, 2), {"side": (5, 5), "multiplier": 3, **RELU}),
    ("5x5, a high multiplier", (1, 6, 5, 4), {"side": (5, 5), "scale": 0.01}),
    ("5x5, small outputs", (1, 6, 5, 4), {"side": (5, 5), "scale": 60.0, **RELU}),
    ("10x4, no padding", (1, 20, 12, 3), {"side": (10, 4), "padding": "VALID"}),
    ("20x7, one row", (1, 1, 9, 3), {"side": (20, 7)}),
):
    name = f"depthwise, {name}"
    cases.add(name, depthwise(name, source, **options), paths=(TARGET,))


# All sizes of a filter, on even and odd sides, narrower and wider than the filter.
SIDES = [(height, width) for height in range(1, 8) for width in range(1, 8)]
for i, side in enumerate(side for side in SIDES if side != (3, 3)):
    for stride in (1, 2):
        source = (1, (9, 6, 3)[i % 3], (8, 7, 4, 11, 2)[i % 5], 2)
        options = {"side": side, "stride": stride, **(RELU if i % 2 else {})}
        name = f"depthwise, {side} filters, stride {stride}"
        cases.add(name, depthwise(name, source, **options), paths=(TARGET,))


# A FULLY_CONNECTED with random weights and biases.
def connected(name, batches, depth, count, activation="NONE", scale=1.0):
    random = generator(name)
    x = Tensor((batches, depth), "int8", scale=0.05, zero_point=-128)
    data = random.integers(-128, 127, (count, depth), endpoint=True).astype(np.int8)
    w = Tensor(data.shape, "int8", data, scale=0.02, zero_point=0)
    bias = random.integers(-3000, 3000, count)
    b = Tensor((count,), "int32", bias, scale=0.05 * 0.02, zero_point=0)
    y = _output((batches, count), scale * 0.02 * np.sqrt(depth), activation)
    options = {"fused_activation_function": activation}
    return single_op("FULLY_CONNECTED", [x, w, b], [y], **options)


for name, sizes, options in (
    ("whole groups", (1, 64, 16), {}),
    ("rest", (2, 24, 7), RELU),
    ("one output", (3, 8, 1), {}),
    ("odd depth", (2, 13, 6), {}),
    ("depth of 1", (1, 1, 5), {}),
    ("limits", (1, 32, 8), {"activation": "RELU6"}),
    ("a multiplier above 1", (1, 16, 8), {"scale": 0.01}),
):
    name = f"fully connected, {name}"
    cases.add(name, connected(name, *sizes, **options), paths=(TARGET,))


@cases.parametrize
def test_dsp(case):
    case.check()


# Most groups of realistic layers have one multiplication.
@pytest.mark.parametrize(
    ("model", "least"),
    [
        (random_conv("folds", (32, 1, 1, 32), (1, 2, 2, 32), 2.0, activation="RELU"), 5),
        (depthwise("folds", (1, 4, 4, 32), activation="RELU"), 25),
    ],
    ids=["conv", "depthwise"],
)
def test_groups_have_one_multiplication(model, least):
    kernel, count = folded(model)
    assert "dsp" in kernel and count >= least


# If outputs below zero matter, two roundings are not a straight line.
def test_no_single_multiplication_without_relu():
    assert folded(random_conv("folds", (32, 1, 1, 32), (1, 2, 2, 32), 2.0))[1] == 0


# TFLM's MultiplyByQuantizedMultiplier for right shifts, halves away from zero.
def rounded_twice(value, multiplier, shift):
    high = (value * multiplier + (1 << 30)) >> 31
    mask = (1 << shift) - 1
    return (high >> shift) + ((high & mask) > (mask >> 1) + (high < 0))


# All sums in the range, not only sums of random inputs.
@pytest.mark.parametrize("seed", range(12))
def test_folding_is_exact(seed):
    random = np.random.default_rng(seed)
    found = 0
    for _ in range(8):
        multiplier = int(random.integers(1 << 30, 1 << 31))
        shift = int(random.integers(0, 10))
        lowest, highest = int(random.integers(-9000, 50)), int(random.integers(60, 9000))
        answer = fold(multiplier, shift, lowest, highest, 255, 127)
        if answer is None:
            continue
        found += 1
        p, q, d = answer
        assert 127 * q < 1 << 15 and 0 < p < 1 << 31
        for value in range(lowest, highest + 1):
            wanted = max(0, min(255, rounded_twice(value, multiplier, shift)))
            assert max(0, min(255, (q * value + d) * p >> 32)) == wanted
    assert found > 2


# Layers that the DSP kernels do not support use other kernels.
@pytest.mark.parametrize(
    ("model", "kernel"),
    [
        (random_conv("too deep", (4, 1, 1, 4100), (1, 1, 2, 4100)), "conv"),
        (conv(np.ones((2, 1, 1, 4), np.int8), [1 << 30, 0], (1, 2, 2, 4), 1.0), "conv"),
        (conv(np.ones((2, 1, 1, 4), np.int8), [0, 0], (1, 2, 2, 4), 1e-7), "conv"),
    ],
    ids=["more inputs than scratch", "a large bias", "a multiplier far above 1"],
)
def test_unsupported_layer_takes_another_kernel(model, kernel):
    assert kernels(model) == {kernel}


# With little flash, the layers with the least benefit for their flash use other kernels.
def test_flash_budget():
    data = (REPOSITORY / "models" / "digits" / "digits_int8.tflite").read_bytes()
    options = {"target": TARGET, "optimize": "off"}
    smallest, largest = len(flatten(data, optimize="off")), len(flatten(data, **options))
    assert smallest < largest
    for budget in (smallest + 64, (smallest + largest) // 2, largest):
        assert len(flatten(data, flash_budget=budget, **options)) <= budget
