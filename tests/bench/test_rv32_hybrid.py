# Tests of float32 operators with int8 weights on RV32: an emulated core against viper and numpy
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from float_batch import failures, outputs
from packed_cases import require_firmware
from support.inputs import generator
from support.single_op import Tensor, single_op

_CORE = "rv32"
require_firmware(_CORE)


def _weights(random, shape, dimension=0, scales=None):
    count = shape[dimension]
    scales = random.uniform(0.002, 0.02, count) if scales is None else np.full(count, scales)
    return Tensor(
        shape, "int8", random.integers(-128, 128, shape), scale=scales.astype("f"), zero_point=0,
        quantized_dimension=dimension,
    )  # fmt: skip


# Return a model of FULLY_CONNECTED with a bias, or without one.
def _connected(random, depth, channels, scales=None, bias=None, activation="NONE"):
    inputs = [Tensor((2, depth), "float32"), _weights(random, (channels, depth), 0, scales)]
    inputs.append(None if bias is None else Tensor((channels,), "float32", bias))
    return single_op(
        "FULLY_CONNECTED", inputs, [Tensor((2, channels), "float32")],
        fused_activation_function=activation,
    )  # fmt: skip


# Blocks of eight, four and one channels, and runs of more and of fewer taps than are unrolled.
def _convolutions():
    for channels in (8, 9, 13, 23):
        for depth, size in ((1, (3, 5)), (3, (2, 3)), (6, (1, 1))):
            random = generator(f"{channels} {depth}")
            shape = (2, 5, 6, depth)
            inputs = [
                Tensor(shape, "float32"), _weights(random, (channels, *size, depth)),
                Tensor((channels,), "float32", random.normal(size=channels).astype("f")),
            ]  # fmt: skip
            model = single_op(
                "CONV_2D", inputs, [Tensor((2, 5, 6, channels), "float32")], stride_h=1,
                stride_w=1, padding="SAME", dilation_h_factor=1, dilation_w_factor=1,
                fused_activation_function="RELU",
            )  # fmt: skip
            yield f"conv {channels} {depth}", model, "flat", [[random.normal(size=shape)]]


def _depthwise():
    for depth, multiplier in ((8, 1), (16, 1), (29, 1), (3, 4), (2, 7), (1, 9)):
        random = generator(f"{depth} {multiplier}")
        shape, channels = (2, 5, 6, depth), depth * multiplier
        inputs = [
            Tensor(shape, "float32"), _weights(random, (1, 3, 2, channels), 3),
            Tensor((channels,), "float32", random.normal(size=channels).astype("f")),
        ]  # fmt: skip
        model = single_op(
            "DEPTHWISE_CONV_2D", inputs, [Tensor((2, 3, 3, channels), "float32")], stride_h=2,
            stride_w=2, padding="SAME", depth_multiplier=multiplier, dilation_h_factor=1,
            dilation_w_factor=1, fused_activation_function="NONE",
        )  # fmt: skip
        yield f"depthwise {depth} {multiplier}", model, "flat", [[random.normal(size=shape)]]


# Sums of more than 24 bits, scales near the limits of float32, no bias.
def _scales():
    for scales in (1.0, 2.0**-126, 1e-30, 1e-42, 3e38, 1e20):
        random = generator(f"scales {scales}")
        model = _connected(random, 1100, 9, scales)
        runs = [
            [(random.uniform(0.5, 1, (2, 1100)) * factor)] for factor in (1, 1e-20, 1e-38, 1e30)
        ]
        yield f"scales {scales}", model, "flat", runs


# Biases that cancel sums nearly or exactly, that are much larger or smaller, and special ones.
def _biases():
    random = generator("biases")
    state = random.bit_generator.state
    values = random.normal(size=(2, 40)).astype("f")
    plain = _connected(random, 40, 16)
    (_, sums), *_ = list(outputs([("plain", plain, "flat", [[values]])], _CORE, True))
    for name, change in (
        ("opposite", lambda x: -x),
        ("nearly opposite", lambda x: -np.nextafter(x, np.float32(9))),
        ("close", lambda x: np.float32(-1.001) * x),
        ("half", lambda x: np.float32(-0.5) * x),
        ("larger", lambda x: np.ldexp(x, random.integers(20, 40, 16)).astype("f")),
        ("smaller", lambda x: np.ldexp(-x, random.integers(-34, -20, 16)).astype("f")),
        ("tiny", lambda x: np.ldexp(x, -140).astype("f")),
        ("special", lambda x: np.array([np.inf, -np.inf, np.nan, 0, -0.0, 1, -1, 3e38] * 2, "f")),
    ):
        again = np.random.default_rng()
        again.bit_generator.state = state
        again.normal(size=(2, 40))
        model = _connected(again, 40, 16, None, change(sums[0]), "RELU_N1_TO_1")
        yield f"{name} biases", model, "flat", [[values], [0 * values]]


@pytest.mark.parametrize("jobs", [_convolutions, _depthwise, _scales, _biases])
def test_outputs_have_the_bits_of_the_portable_kernels(jobs):
    jobs = [
        (name, model, path, [[array.astype("f") for array in run] for run in runs])
        for name, model, path, runs in jobs()
    ]
    assert not failures(jobs, _CORE, with_portable=True)


# Inputs half way between two steps, and the numbers next to them, for scales of all kinds.
def _halves(random, depth):
    for largest in (1, 127, 0.1, 3e38, 1e-37, 1e-38, 2e-39, 1e-44, *random.uniform(1, 2, 12)):
        scale = np.float32(largest) / np.float32(127)
        halves = np.float32((random.integers(-127, 127, depth) + 0.5) * np.float64(scale))
        side = random.integers(-1, 2, depth)
        values = np.where(side < 0, np.nextafter(halves, np.float32(-np.inf)), halves)
        values = np.where(side > 0, np.nextafter(halves, np.float32(np.inf)), values)
        values[0] = np.float32(largest)
        yield values.astype("f")


# The outputs are the integers of the inputs times their scale. The quotient is rounded to float32,
# then to an integer, halves away from zero. A scale of 0 becomes 1.
def test_inputs_are_quantized_as_numpy_does():
    depth = 64
    random = generator("halves")
    inputs = [Tensor((1, depth), "float32")]
    inputs.append(Tensor((depth, depth), "int8", np.eye(depth), scale=1.0, zero_point=0))
    model = single_op("FULLY_CONNECTED", inputs, [Tensor((1, depth), "float32")])
    runs = [[values.reshape(1, depth)] for values in _halves(random, depth)]
    wanted = []
    for ((values,),) in runs:
        scale = np.abs(values).max() / np.float32(127) or np.float32(1)
        quotients = np.abs(values) / scale
        integers = np.floor(quotients.astype(np.float64) + 0.5) * np.sign(values)
        wanted.append(np.clip(integers, -128, 127).astype("f") * scale)
    found = [array for _, array in outputs([("halves", model, "flat", runs)], _CORE)]
    assert len(found) % len(wanted) == 0
    for i, array in enumerate(found):
        assert array.tolist() == [wanted[i % len(wanted)].tolist()], i
