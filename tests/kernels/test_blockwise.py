# Tests of weights of int4 and int8 that have a scale for each block, against numpy and LiteRT
# MIT license; Copyright (c) 2026 the tflm authors
#
# LiteRT leaves the output of FULLY_CONNECTED unwritten (reference kernel) or ignores the
# activation (optimized kernel). Only XNNPACK runs these models as converters mean them.

import numpy as np
from support import litert
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
def _set_blocks(model, number, scales, size):
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
    _set_blocks(model, w, s if scales is None else scales, block or size)
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


# EMBEDDING_LOOKUP: LiteRT runs int4.
def _lookup(name, shape, size, count, dtype="int4", block=None):
    random = generator(name)
    limit = 8 if dtype == "int4" else 128
    values = random.integers(-limit, limit, shape)
    factors = random.uniform(0.01, 0.05, (shape[0], shape[1] // size)).astype(np.float16)
    numbers = random.integers(0, shape[0], count).astype(np.int32)
    model = ModelBuilder(name)
    x = model.tensor((count,), "int32")
    w = model.tensor(shape, dtype, values)
    s = model.tensor(factors.shape, "float16", factors)
    y = model.tensor((count, shape[1]), "float32")
    _set_blocks(model, w, s, block or size)
    model.operator("EMBEDDING_LOOKUP", [x, w], [y])
    model.io([x], [y])
    wanted = (values * np.repeat(factors.astype("f"), size, 1)).astype("f")[numbers]
    return model.build(), [[numbers]], [[wanted]]


for shape, size, count in (((7, 64), 32, 5), ((3, 6), 2, 1), ((20, 32), 32, 9)):
    for dtype in ("int4", "int8"):
        name = f"lookup {shape} {size} {count} {dtype}"
        model, runs, expected = _lookup(name, shape, size, count, dtype)
        cases.add(name, model, runs, expected=expected)
        if dtype == "int4" and size == 32:
            cases.add(f"{name} LiteRT", model, runs, expected=litert.outputs)
model, *_ = _lookup("lookup", (3, 6), 2, 4, block=4)
cases.add("blocks of 4", model, error="has blocks of 4")


@cases.parametrize
def test_blockwise(case):
    case.check()
