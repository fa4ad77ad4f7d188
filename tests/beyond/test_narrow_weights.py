# Tests of weights in int8 and int4 for operators that compute in float32, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.test_blockwise import set_blocks
from support import litert
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.flat_file import FlatFile

cases = Cases()
_LIMITS = {"int8": 127, "int4": 7}


def _integers(name, shape, dtype):
    limit = _LIMITS[dtype]
    return generator(name).integers(-limit, limit + 1, shape)


def _scales(name, count):
    return generator(f"{name} scales").uniform(0.001, 0.1, count)


def _add(name, model):
    cases.add(name, model, inputs="random", expected=litert.outputs, rtol=1e-5, atol=1e-6,
              paths=("flat", "saved balanced", "tflite"))  # fmt: skip


# DEQUANTIZE of constant weights with a scale per channel, then the operator.
def weight_only(name, dtype, shape, dimension, zero_point=0):
    builder = ModelBuilder(name)
    scales = _scales(name, shape[dimension])
    weights = builder.tensor(
        shape, dtype, _integers(name, shape, dtype), scale=scales, zero_point=zero_point,
        quantized_dimension=dimension,
    )  # fmt: skip
    wide = builder.tensor(shape, "float32")
    builder.operator("DEQUANTIZE", [weights], [wide], version=6)
    x, y = builder.tensor((2, shape[-1]), "float32"), builder.tensor((2, shape[0]), "float32")
    builder.operator("FULLY_CONNECTED", [x, wide, None], [y])
    builder.io([x], [y])
    return builder.build()


for dtype in ("int8", "int4"):
    for dimension in (0, 1):
        name = f"weight-only {dtype} by dimension {dimension}"
        _add(name, weight_only(name, dtype, (5, 6), dimension))
_add("weight-only with a zero point", weight_only("zero point", "int8", (3, 4), 0, -5))


# EMBEDDING_LOOKUP with a scale per row or per table.
def embedding(name, dtype, count):
    shape = (6, 4)
    data = _integers(name, shape, dtype)
    table = Tensor(shape, dtype, data, scale=_scales(name, count), zero_point=0)
    numbers = Tensor((5,), "int32", np.array([0, 5, 2, 2, 4]))
    return single_op("EMBEDDING_LOOKUP", [numbers, table], [Tensor((5, 4), "float32")])


for dtype in ("int8", "int4"):
    for count in (1, 6):
        name = f"embedding {dtype} with {count} scales"
        _add(name, embedding(name, dtype, count))
odd = Tensor((3, 3), "int4", np.zeros((3, 3), int), scale=0.1, zero_point=0)
cases.add(
    "embedding of an odd number of int4",
    single_op("EMBEDDING_LOOKUP", [Tensor((1,), "int32"), odd], [Tensor((1, 3), "float32")]),
    error="rows of an odd number of elements",
)


# EMBEDDING_LOOKUP with a scale per block. LiteRT runs only int4.
def lookup_of_blocks(name, shape, size, count, dtype="int4", block=None):
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
    set_blocks(model, w, s, block or size)
    model.operator("EMBEDDING_LOOKUP", [x, w], [y])
    model.io([x], [y])
    wanted = (values * np.repeat(factors.astype("f"), size, 1)).astype("f")[numbers]
    return model.build(), [[numbers]], [[wanted]]


for shape, size, count in (((7, 64), 32, 5), ((3, 6), 2, 1), ((20, 32), 32, 9)):
    for dtype in ("int4", "int8"):
        name = f"lookup {shape} {size} {count} {dtype}"
        model, runs, expected = lookup_of_blocks(name, shape, size, count, dtype)
        cases.add(name, model, runs, expected=expected)
        if dtype == "int4" and size == 32:
            cases.add(f"{name} LiteRT", model, runs, expected=litert.outputs)
model, *_ = lookup_of_blocks("lookup", (3, 6), 2, 4, block=4)
cases.add("blocks of 4", model, error="has blocks of 4")


# Dynamic range with int4 weights; the input is quantized while the model runs.
def dynamic(name, count):
    weights = Tensor((5, 6), "int4", _integers(name, (5, 6), "int4"), scale=_scales(name, count),
                     zero_point=0)  # fmt: skip
    x = Tensor((2, 6), "float32")
    return single_op("FULLY_CONNECTED", [x, weights, None], [Tensor((2, 5), "float32")],
                     asymmetric_quantize_inputs=False)  # fmt: skip


for count in (1, 5):
    _add(f"dynamic int4 with {count} scales", dynamic(f"dynamic {count}", count))


@litert.needs_litert
@cases.parametrize
def test_narrow_weights(case):
    case.check()


# Flattened weights are float32 constants, which need no arena.
def test_weights_are_folded():
    model = weight_only("folded", "int8", (40, 50), 0)
    flat = flatten(model)
    assert [op.kernel for op in FlatFile(flat).ops] == ["fully_connected_float.eval_float32"]
    assert FlatModel(flat) and len(flat) > 4 * 40 * 50 and FlatFile(flat).arena_bytes < 1000
