# Tests of the machine code for x86-64 on hybrid operators, QUANTIZE and DEQUANTIZE: every bit
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.check import modules_for_level, portable_modules
from support.inputs import generator
from support.runner import Job, run
from support.single_op import Tensor, single_op
from tflm_tools.flat.flatten import flatten

from tests.kernels import test_hybrid, test_x64
from tests.kernels.test_x64_float import LEVELS, values

_FLOAT, _INT8, _UINT8, _INT16 = "float32", "int8", "uint8", "int16"
KINDS = ("subnormal", "infinite", "nan", "overflow", "halves", "below halves", "bits")


# The model of a hybrid operator with random weights, and the shape of its input.
def _hybrid(operator, shape, weights, target, dimension=None, has_bias=True, **options):
    name = f"{operator} {shape} {weights}"
    tensors = [Tensor(shape, _FLOAT), test_hybrid._weights(name, weights, dimension)]
    if has_bias:
        tensors.append(test_hybrid._bias(name, target[-1]))
    return single_op(operator, tensors, [Tensor(target, _FLOAT)], **options), shape


def _conv(shape, channels, window, dimension=None, depth=None, activation="NONE"):
    target = (*shape[:3], channels)
    return _hybrid(
        "CONV_2D",
        shape,
        (channels, *window, depth or shape[3]),
        target,
        dimension,
        padding="SAME",
        stride_h=1,
        stride_w=1,
        fused_activation_function=activation,
    )


def _depthwise(shape, multiplier=1, window=(3, 3), has_bias=True, dilation=1):
    channels = multiplier * shape[3]
    return _hybrid(
        "DEPTHWISE_CONV_2D",
        shape,
        (1, *window, channels),
        (*shape[:3], channels),
        3,
        has_bias,
        padding="SAME",
        stride_h=1,
        stride_w=1,
        depth_multiplier=multiplier,
        dilation_w_factor=dilation,
    )


def _dense(batches, depth, channels, dimension=None, has_bias=True, asymmetric=True):
    return _hybrid(
        "FULLY_CONNECTED",
        (batches, depth),
        (channels, depth),
        (batches, channels),
        dimension,
        has_bias,
        asymmetric_quantize_inputs=asymmetric,
    )


# Channels are 1 less, as many, and 1 more than vectors have; images are 1 to 9 pixels wide.
models = {}
for channels in (1, 3, 4, 5, 8, 9, 16, 17, 33):
    models[f"conv {channels}"] = _conv((2, 5, 7, 3), channels, (3, 3), 0, activation="RELU6")
    models[f"dense {channels}"] = _dense(3, 37, channels, 0 if channels > 4 else None)
    models[f"depthwise {channels}"] = _depthwise((2, 5, 6, channels), has_bias=channels < 9)
for width in range(1, 10):
    models[f"conv width {width}"] = _conv((2, 3, width, 4), 10, (2, 3))
    models[f"conv 1x1 width {width}"] = _conv((2, 3, width, 4), 10, (1, 1), 0)
models["conv in groups"] = _conv((1, 4, 5, 6), 9, (3, 2), depth=2)
models["depthwise of one channel"] = _depthwise((1, 6, 7, 1), 12)
models["depthwise multiplier"] = _depthwise((2, 4, 5, 3), 2)
models["depthwise 2x1 dilated"] = _depthwise((1, 7, 8, 20), window=(2, 1), dilation=1 << 24)
models["depthwise 4x5"] = _depthwise((1, 7, 8, 20), window=(4, 5))
models["dense of one"] = _dense(2, 1, 1, has_bias=False)
models["symmetric dense"] = _dense(4, 300, 20, asymmetric=False)
bound = list(models)
for count in (1, 3, 4, 7, 40):
    for dtype, zero_point in ((_INT8, -7), (_UINT8, 130), (_INT16, 0)):
        integers = Tensor((count,), dtype, scale=0.0371, zero_point=zero_point)
        floats = Tensor((count,), _FLOAT)
        models[f"QUANTIZE {dtype} {count}"] = single_op("QUANTIZE", [floats], [integers]), (count,)
        model = single_op("DEQUANTIZE", [integers], [floats])
        models[f"DEQUANTIZE {dtype} {count}"] = model, (count, dtype)


# Numbers between the steps of a quantized input, and numbers with any bits.
def _inputs(kind, shape):
    random = generator(f"{kind} {shape}")
    if kind == "halves":
        return (random.integers(-255, 256, shape) / 2).astype(np.float32)
    if kind == "below halves":
        return _inputs("halves", shape) - np.float32(2**-20)
    if kind == "bits":
        return random.integers(0, 1 << 32, shape, dtype=np.uint64).astype(np.uint32).view("f")
    return values(kind, shape)


def _bytes(kind, shape):
    if isinstance(shape[-1], str):
        return generator(f"{kind} {shape}").integers(-128, 128, shape[:-1]).astype(shape[-1])
    return _inputs(kind, shape)


# The portable kernels give the same outputs, or both give NaN.
def test_bits():
    jobs, kinds = [], (*KINDS, "normal")
    for name, (model, shape) in models.items():
        inputs = [[_bytes(kind, shape).tobytes()] for kind in kinds]
        jobs.append(Job(name, flatten(model), inputs, slices=(1, 3), repeat="invoke"))
    wanted = run(jobs, modules=portable_modules())
    for level in LEVELS:
        for job, outcome, expected in zip(
            jobs, run(jobs, modules=modules_for_level(level)), wanted, strict=True
        ):
            assert outcome.kind == "ok" and not outcome.problems, (job.name, outcome)
            pairs = zip(kinds, outcome.outputs, expected.outputs, strict=True)
            for kind, (raw,), (right,) in pairs:
                assert _are_same(raw, right), (job.name, kind, level)


def _are_same(one, other):
    if one == other:
        return True
    if len(one) % 4:
        return False
    got, bits = (np.frombuffer(each, np.float32) for each in (one, other))
    return bool(((got == bits) | (np.isnan(got) & np.isnan(bits))).all())


@pytest.mark.parametrize("name", bound[::7])
def test_bound(name, tmp_path):
    assert "bound" in test_x64.steps(models[name][0], tmp_path)
