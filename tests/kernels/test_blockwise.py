# Tests of FULLY_CONNECTED with int4 weights that have a scale for each block, against numpy
# MIT license; Copyright (c) 2026 the tflm authors
#
# LiteRT's reference kernel leaves the output unwritten, and its optimized kernel ignores the
# activation. Only its XNNPACK delegate runs these models as converters mean them.

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.schema import schema

cases = Cases()


# Return the input as (integers less the zero point) * scale of each row, as LiteRT rounds it.
def _quantized(x):
    low, high = np.minimum(x.min(1), 0), np.maximum(x.max(1), 0)
    scale = ((high.astype(float) - low) / 255).astype("f")
    scale[scale == 0] = 1
    zero_point = np.round(-128 - low / scale)[:, None]
    q = np.clip(np.round(x / scale[:, None]) + zero_point, -128, 127)
    return (q - zero_point) * scale[:, None].astype(float)


# Set the quantization of tensor `number`: tensor `scales` has a scale for each block.
def set_blocks(model, number, scales, size):
    quantization = schema.QuantizationParametersT()
    quantization.detailsType = schema.QuantizationDetails.BlockwiseQuantization
    quantization.details = schema.BlockwiseQuantizationT()
    quantization.details.scales, quantization.details.blockSize = scales, size
    model.main.table.tensors[number].quantization = quantization


# Return (file, runs, expected outputs).
def _model(
    name, batches, depth, channels, size, bias=True, activation="NONE", scales=None, block=None
):
    random = generator(name)
    weights = random.integers(-8, 8, (channels, depth))
    factors = random.uniform(0.01, 0.05, (channels, depth // size)).astype(np.float16)
    offsets = random.normal(size=channels).astype("f") * bias
    model = ModelBuilder(name)
    x = model.tensor((batches, depth), "float32")
    w = model.tensor(weights.shape, "int4", weights)
    s = model.tensor(factors.shape, "float16", factors)
    b = model.tensor((channels,), "float32", offsets) if bias else None
    y = model.tensor((batches, channels), "float32")
    set_blocks(model, w, s if scales is None else scales, block or size)
    model.operator("FULLY_CONNECTED", [x, w, b], [y], fused_activation_function=activation)
    model.io([x], [y])
    runs = [[random.normal(size=(batches, depth)).astype("f")] for _ in range(3)]
    runs += [[abs(runs[0][0])], [0 * runs[0][0]]]
    full = weights * np.repeat(factors.astype(float), size, 1)
    expected = [_quantized(run[0]) @ full.T + offsets for run in runs]
    if activation == "RELU":
        expected = [np.maximum(values, 0) for values in expected]
    return model.build(), runs, [[values.astype("f")] for values in expected]


for keywords in (
    {"batches": 1, "depth": 64, "channels": 5, "size": 32},
    {"batches": 3, "depth": 96, "channels": 4, "size": 32, "activation": "RELU"},
    {"batches": 2, "depth": 32, "channels": 7, "size": 32, "bias": False},
    {"batches": 1, "depth": 12, "channels": 1, "size": 3, "bias": False, "activation": "RELU"},
):
    name = f"{keywords}"
    model, runs, expected = _model(name, **keywords)
    cases.add(name, model, runs, 1e-5, 1e-5, expected=expected)
for error, keywords in (
    ("has blocks of 32", {"depth": 40, "size": 20, "block": 32}),
    ("are no scales", {"depth": 64, "size": 32, "scales": 0}),
    ("a scale for each block", {"depth": 64, "size": 32, "scales": 99}),
):
    model, *_ = _model(error, 1, channels=3, **keywords)
    cases.add(error, model, error=error)


@cases.parametrize
def test_blockwise(case):
    case.check()
