# Tests of float32 operators with int8 weights, which TFLM lacks, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors
#
# Inputs are rounded to 8 bits at run time, to the same integers.

import numpy as np
from support import litert
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()
_RTOL, _ATOL = 1e-5, 1e-5


# Weights with one scale, or one for each index of a dimension.
def _weights(name, shape, dimension=None):
    random = generator(name)
    values = random.integers(-127, 128, shape)
    scales = 0.01
    if dimension is not None:
        scales = random.uniform(0.002, 0.02, shape[dimension]).astype("f")
    return Tensor(
        shape, "int8", values, scale=scales, zero_point=0, quantized_dimension=dimension or 0
    )


def _bias(name, channels):
    return Tensor((channels,), "float32", generator(name + "b").normal(size=channels).astype("f"))


def _runs(name, shape):
    random = generator(name + "x")
    wide = (10.0 ** random.uniform(-3, 3, shape)).astype("f") * random.choice([-1, 1], shape)
    positive = random.uniform(0, 5, shape).astype("f")
    pixels = random.integers(0, 256, shape).astype("f") - 127.5
    pixels.flat[0], pixels.flat[-1] = -127.5, 127.5  # their zero point is halfway between two
    inputs = [random.normal(size=shape).astype("f"), wide, positive, 0 * positive, pixels]
    inputs += [random.choice([-1, 1], shape).astype("f") * limit for limit in (1.0, 1.3, 0.37)]
    inputs += [(pixels + np.float32(each)) / np.float32(100) for each in (0, 0.5, 100.5)]
    inputs += [np.full(shape, each, "f") for each in (-2.5, 0.1)]
    return [[each] for each in inputs]


def _add(name, op, shape, weights, bias, target, **options):
    inputs = [Tensor(shape, "float32"), weights, bias]
    model = single_op(op, inputs, [Tensor(target, "float32")], **options)
    expected = litert.outputs
    cases.add(name, model, _runs(name, shape), _RTOL, 1e-3, expected=expected)


for dimension in (None, 0):
    for asymmetric in (False, True):
        for batches, depth, channels in [(1, 20, 7), (3, 33, 5), (2, 1, 1)]:
            name = f"fully connected {dimension} {asymmetric} {batches} {depth} {channels}"
            _add(
                name,
                "FULLY_CONNECTED",
                (batches, depth),
                _weights(name, (channels, depth), dimension),
                _bias(name, channels) if depth > 1 else None,
                (batches, channels),
                asymmetric_quantize_inputs=asymmetric,
                fused_activation_function="RELU" if batches == 3 else "NONE",
            )
    for stride, dilation, padding, target in [
        ((1, 1), (1, 1), "SAME", (2, 6, 5, 6)),
        ((2, 2), (1, 1), "SAME", (2, 3, 3, 6)),
        ((1, 1), (2, 2), "VALID", (2, 2, 1, 6)),
        ((1, 3), (1, 1), "SAME", (2, 6, 2, 6)),
        ((1, 1), (2, 1), "SAME", (2, 6, 5, 6)),
    ]:
        name = f"convolution {dimension} {stride} {dilation} {padding}"
        _add(
            name,
            "CONV_2D",
            (2, 6, 5, 4),
            _weights(name, (6, 3, 3, 4), dimension),
            _bias(name, 6),
            target,
            stride_h=stride[0],
            stride_w=stride[1],
            padding=padding,
            dilation_h_factor=dilation[0],
            dilation_w_factor=dilation[1],
            fused_activation_function="RELU6" if stride == (2, 2) else "NONE",
        )
# One output channel has one scale.
for filters in (1, 2):
    name = f"convolution of {filters} filters"
    weights, bias = _weights(name, (filters, 3, 3, 4), 0), _bias(name, filters)
    steps = {"stride_h": 1, "stride_w": 1, "dilation_h_factor": 1, "dilation_w_factor": 1}
    shapes = (2, 6, 5, 4), (2, 6, 5, filters)
    _add(name, "CONV_2D", shapes[0], weights, bias, shapes[1], padding="SAME", **steps)
# LiteRT itself reads past the end of a single scale. One channel has one scale in any case.
for stride, dilation, channels, multiplier in [
    ((1, 1), (1, 1), 4, 1),
    ((2, 2), (1, 1), 4, 2),
    ((1, 1), (1, 1), 4, 3),
    ((2, 1), (1, 1), 4, 1),
    ((1, 1), (1, 2), 4, 1),
    ((1, 1), (1, 1), 2, 1),
    ((1, 1), (1, 1), 1, 2),
    ((1, 1), (1, 1), 1, 1),
    ((1, 1), (2, 2), 11, 1),
    ((2, 2), (1, 1), 3, 1),
    ((1, 1), (1, 1), 2, 6),
]:
    name = f"depthwise {stride} {dilation} {channels} {multiplier}"
    outputs, (rows, columns) = channels * multiplier, ((5 + step) // step for step in stride)
    _add(
        name,
        "DEPTHWISE_CONV_2D",
        (2, 6, 6, channels),
        _weights(name, (1, 3, 3, outputs), 3),
        _bias(name, outputs),
        (2, rows, columns, outputs),
        stride_h=stride[0],
        stride_w=stride[1],
        padding="SAME",
        depth_multiplier=multiplier,
        dilation_h_factor=dilation[0],
        dilation_w_factor=dilation[1],
    )


def _add_transposed(dimension, stride, filters, padding, target):
    name = f"transposed convolution {dimension} {stride} {filters} {padding} {target[3]}"
    cases.add(
        name,
        single_op(
            "TRANSPOSE_CONV",
            [
                Tensor((4,), "int32", target),
                _weights(name, (target[3], *filters, 4), dimension),
                Tensor((2, 6, 5, 4), "float32"),
                _bias(name, target[3]) if stride[0] < 3 else None,
            ],
            [Tensor(target, "float32")],
            stride_h=stride[0],
            stride_w=stride[1],
            padding=padding,
            fused_activation_function="RELU" if stride[0] == 2 else "NONE",
        ),
        _runs(name, (2, 6, 5, 4)),
        _RTOL,
        1e-3,
        expected=litert.outputs,
    )


# Outputs of a TRANSPOSE_CONV that no input reaches have only the bias.
for dimension in (None, 0):
    for stride, filters, padding, side, channels in [
        ((1, 1), (3, 3), "SAME", (6, 5), 6),
        ((2, 2), (3, 2), "SAME", (12, 10), 6),
        ((2, 2), (3, 3), "VALID", (13, 11), 6),
        ((3, 3), (2, 2), "VALID", (17, 14), 6),
        ((3, 3), (2, 2), "VALID", (17, 14), 1),
        ((1, 2), (3, 2), "SAME", (6, 10), 6),
        ((1, 1), (3, 3), "SAME", (6, 5), 1),
        ((1, 1), (3, 3), "SAME", (6, 5), 2),
    ]:
        _add_transposed(dimension, stride, filters, padding, (2, *side, channels))
_SHAPES = [Tensor((1, 4), "float32"), Tensor((2, 4), "int8", np.ones((2, 4)))]
cases.add(
    "no scale",
    single_op("FULLY_CONNECTED", _SHAPES, [Tensor((1, 2), "float32")]),
    error="0 scales",
)


# BATCH_MATMUL by a constant matrix. Each row of the input has a scale.
def _matmul(name, left, right, dimension, adj_y=False, asymmetric=False, **options):
    weights = _weights(name, right, dimension)
    target = (*left[:-1], right[-2] if adj_y else right[-1])
    model = single_op(
        "BATCH_MATMUL",
        [Tensor(left, "float32"), weights],
        [Tensor(target, "float32")],
        adj_y=adj_y,
        asymmetric_quantize_inputs=asymmetric,
        **options,
    )
    return model, _runs(name, left)


for left, right, adj_y in [
    ((1, 3, 8), (8, 4), False), ((2, 3, 8), (1, 8, 4), False), ((3, 5), (4, 5), True),
    ((2, 1, 3, 5), (5, 1), False),
]:  # fmt: skip
    for by_channel in (False, True):
        for asymmetric in (False, True):
            name = f"matmul {left} {right} {by_channel} {asymmetric}"
            dimension = len(right) - (2 if adj_y else 1) if by_channel else None
            model, runs = _matmul(name, left, right, dimension, adj_y, asymmetric)
            cases.add(name, model, runs, _RTOL, 1e-3, expected=litert.outputs)
for name, left, right, options in (
    ("batches", (2, 3, 8), (2, 8, 4), {}),
    ("turned", (8, 8), (8, 8), {"adj_x": True}),
):
    model, _ = _matmul(name, left, right, None, **options)
    cases.add(f"matmul {name}", model, error="times float32, except one constant matrix")


@litert.needs_litert
@cases.parametrize
def test_hybrid(case):
    case.check()
