# Tests of the float32 kernels for Cortex-M0+: same bits as the portable kernels
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from packed_cases import BUILD, emulated, firmware_of, require_firmware
from support.check import flat_model_for
from support.inputs import generator
from support.single_op import Tensor, single_op

require_firmware("m0plus")
_CURVES = ("EXP", "LOGISTIC", "TANH", "ELU", "SOFTMAX", "LOG_SOFTMAX")
_SPECIAL = [0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000]


@pytest.fixture(scope="module")
def outputs():
    """Return a function that returns the bits of the outputs of a .tflite for both kernels."""
    files = [emulated.file_system(BUILD, "m0plus", portable) for portable in (False, True)]

    def run(model, *arrays):
        flat = flat_model_for(model, "flat")
        inputs = [np.asarray(array, np.float32).tobytes() for array in arrays]
        core = "m0plus", firmware_of("m0plus")
        measured = [emulated.measure(*core, file, flat, inputs).outputs for file in files]
        return [np.frombuffer(b"".join(each), np.uint32) for each in measured]

    return run


# Random bits, ordinary numbers of all magnitudes, and special numbers with both signs.
def _numbers(name, count):
    random = generator(name)
    bits = random.integers(0, 1 << 32, count // 3, np.uint32).view(np.float32)
    special = np.array(_SPECIAL + [bits | 1 << 31 for bits in _SPECIAL], np.uint32)
    limits = [88.7, 89, -87.3, -88, -103.9, 16.619047, 16.61905, -9, -9.000001]
    return np.concatenate(
        [
            special.view(np.float32),
            np.array(limits, np.float32),
            bits,
            random.normal(0, 4, count // 3).astype(np.float32),
            (random.normal(0, 1, count // 3) * 2.0 ** random.uniform(-30, 7)).astype(np.float32),
        ]
    )


@pytest.mark.parametrize("operator", _CURVES)
def test_curves(operator, outputs):
    x = _numbers(operator, 600)
    options = {"beta": 1.0} if operator == "SOFTMAX" else {}
    if "SOFTMAX" in operator:
        x = np.where(np.abs(x) < 1e30, x, np.float32(3))  # one row: a NaN would be all outputs
    shape = (1, x.size)
    model = single_op(operator, [Tensor(shape, "float32")], [Tensor(shape, "float32")], **options)
    found, wanted = outputs(model, x)
    assert (found == wanted).all()


# Weights and inputs that cancel, that make ties, and of very different magnitudes.
def _matrix(kind, shape):
    random = generator(f"{kind} {shape}")
    x = random.normal(0, 1, shape).astype(np.float32)
    if kind == "ties":
        return (np.round(x * 8) / 8 + random.integers(0, 4, shape) * 2.0**-12).astype(np.float32)
    if kind == "magnitudes":
        return (x * 2.0 ** random.integers(-60, 30, shape)).astype(np.float32)
    if kind == "cancelling":
        x[..., 1::2] = -x[..., : x.shape[-1] // 2 * 2 : 2]
        return x
    if kind == "sparse":
        x[random.random(shape) < 0.7] = 0
    if kind == "special":
        bits = np.array(_SPECIAL, np.uint32).view(np.float32)
        at = random.random(shape) < 0.02
        x[at] = random.choice(bits, int(at.sum()))
    return x


_KINDS = ("ties", "magnitudes", "cancelling", "sparse", "special")


# Each kind of inputs meets two kinds of weights. An infinite or NaN weight times an input of 0 is
# NaN. Windows of 144 inputs need several lists.
@pytest.mark.parametrize("inputs, depth", [*zip(_KINDS, (1, 16, 3, 16, 1), strict=True)])
def test_convolutions(inputs, depth, outputs):
    shape, filters = (1, 4, 3, depth), (18, 3, 3, depth)
    x = np.abs(_matrix(inputs, shape)) if inputs == "cancelling" else _matrix(inputs, shape)
    for weights in (inputs, "special"):
        tensors = [
            Tensor(shape, "float32"),
            Tensor(filters, "float32", _matrix(weights, filters)),
            Tensor((18,), "float32", _matrix(weights, (18,))),
        ]
        model = single_op(
            "CONV_2D", tensors, [Tensor((1, 4, 3, 18), "float32")], padding="SAME", stride_h=1,
            stride_w=1, fused_activation_function="NONE",
        )  # fmt: skip
        found, wanted = outputs(model, x)
        assert (found == wanted).all()


# State sizes of one block and of more; lists with more than 96 entries are left to other kernels.
@pytest.mark.parametrize(
    "kind, size, state",
    [("ties", 3, 5), ("magnitudes", 3, 5), ("cancelling", 6, 17), ("sparse", 12, 8),
     ("special", 3, 5), ("normal", 80, 20)],
)  # fmt: skip
def test_lstm(kind, size, state, outputs):
    shape = (2, 3, size)
    source = Tensor(shape, "float32")
    weights = [Tensor((state, size), "float32", _matrix(kind, (state, size))) for _ in range(4)]
    recurrent = _matrix("normal", (state, state))
    weights += [Tensor((state, state), "float32", recurrent / 4) for _ in range(4)]
    biases = [Tensor((state,), "float32", _matrix(kind, (state,))) for _ in range(4)]
    states = [Tensor((2, state), "float32", variable=True) for _ in range(2)]
    tensors = [source, *weights, *[None] * 3, *biases, *[None] * 2, *states, *[None] * 4]
    model = single_op(
        "UNIDIRECTIONAL_SEQUENCE_LSTM", tensors, [Tensor((2, 3, state), "float32")],
        fused_activation_function="TANH",
    )  # fmt: skip
    found, wanted = outputs(model, _matrix(kind, shape))
    assert (found == wanted).all()
