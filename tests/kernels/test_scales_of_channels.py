# Tests of tensors with a scale for each row or channel: used as LiteRT does, or refused
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support import litert
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()
_SCALES = [0.01, 0.02, 0.05, 0.1]


def _int8(shape):
    return Tensor(shape, "int8", scale=0.05, zero_point=0)


def _channels(shape, dimension):
    values = generator(f"{shape} {dimension}").integers(-99, 99, shape)
    return Tensor(shape, "int8", values, scale=_SCALES, zero_point=[0] * 4,
                  quantized_dimension=dimension)  # fmt: skip


def _float(shape):
    return Tensor(shape, "float32")


# A kernel that has one multiplier refuses several, also for constants.
for op in ("ADD", "SUB", "MUL", "DIV", "SQUARED_DIFFERENCE", "LESS"):
    output = Tensor((1, 4), "bool") if op == "LESS" else _int8((1, 4))
    model = single_op(op, [_int8((1, 4)), _channels((1, 4), 1)], [output])
    cases.add(op, model, error="a scale for each channel of tensor 1")
for name, inputs, output, options in (
    ("PRELU", [_int8((1, 2, 2, 4)), _channels((1, 1, 4), 2)], _int8((1, 2, 2, 4)), {}),
    ("BATCH_MATMUL", [_int8((1, 2, 4)), _channels((4, 4), 1)], _int8((1, 2, 4)), {}),
    ("SVDF", [_float((1, 4)), _channels((4, 4), 0),
              Tensor((4, 2), "int8", np.ones((4, 2)), scale=0.1, zero_point=0), None,
              Tensor((1, 8), "float32", variable=True)], _float((1, 4)), {"rank": 1}),
):  # fmt: skip
    cases.add(f"{name} {len(inputs)}", single_op(name, inputs, [output], **options),
              error="a scale for each channel of tensor 1")  # fmt: skip

# Scales of the other dimension of a square matrix.
for name, kind, dimension, options in (
    ("FULLY_CONNECTED", _int8, 1, {}),
    ("FULLY_CONNECTED", _float, 1, {}),
    ("BATCH_MATMUL", _float, 0, {}),
    ("BATCH_MATMUL", _float, 1, {"adj_y": True}),
):
    inputs = [kind((2, 4)), _channels((4, 4), dimension)]
    model = single_op(name, inputs, [kind((2, 4))], **options)
    cases.add(f"{name} {kind.__name__} {options}", model,
              error=f"a scale for each element of dimension {dimension} of tensor 1")  # fmt: skip

# Each row or column has its scale.
_runs = [[generator(f"run {i}").normal(size=(2, 4)).astype("f")] for i in range(4)]
for name, dimension, options in (
    ("FULLY_CONNECTED", 0, {}),
    ("BATCH_MATMUL", 1, {}),
    ("BATCH_MATMUL", 0, {"adj_y": True}),
):
    inputs = [_float((2, 4)), _channels((4, 4), dimension)]
    cases.add(f"{name} by {dimension}", single_op(name, inputs, [_float((2, 4))], **options),
              _runs, 1e-5, 1e-5, expected=litert.outputs)  # fmt: skip
for shape, dimension in (((4, 4), 0), ((4, 4), 1)):
    numbers = [[np.array([1, 0, 3, 3], np.int32)]]
    if dimension == 0:
        lookup = single_op("EMBEDDING_LOOKUP", [Tensor((4,), "int32"), _channels(shape, 0)],
                           [_float((4, 4))])  # fmt: skip
        cases.add("EMBEDDING_LOOKUP", lookup, numbers, 1e-6, 0, expected=litert.outputs)
    values = [[generator("d").integers(-128, 128, shape, dtype=np.int8)]]
    source = Tensor(
        shape, "int8", scale=_SCALES, zero_point=[0] * 4, quantized_dimension=dimension
    )
    cases.add(f"DEQUANTIZE by {dimension}", single_op("DEQUANTIZE", [source], [_float(shape)]),
              values, 1e-6, 0, expected=litert.outputs)  # fmt: skip


@litert.needs_litert
@cases.parametrize
def test_scales_of_channels(case):
    case.check()
