# Tests of float32 operators with int8 weights: emulated cores against the portable kernels
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
import qemu_arm
import qemu_xtensa
from float_batch import XTENSA_FPU, failures
from packed_cases import firmware_of
from support.inputs import generator
from support.kernel_tests import module_of
from support.single_op import Tensor, single_op

_NAMES = "fully connected", "convolution", "depthwise"


# Numbers of all kinds, and numbers between the steps of the quantized input.
def _special(shape, random):
    bits = random.integers(0, 1 << 32, shape, dtype=np.uint64).astype(np.uint32)
    subnormal = (bits & 0x807FFFFF).view(np.float32)
    halves = (random.integers(-255, 256, shape) / 2).astype(np.float32)
    return bits.view(np.float32), subnormal, halves, halves - np.float32(2**-20)


# Return biases of all kinds. Integers cancel sums of integers.
def _biases(channels, random):
    integers = random.integers(-3000, 3000, channels).astype(np.float32)
    kinds = -integers, integers * np.float32(2**-9), -0 * integers, np.full(channels, np.inf, "f")
    kinds += (np.full(channels, 1e-42, "f"), random.normal(size=channels).astype("f"), None)
    return integers, *kinds


# FULLY_CONNECTED and CONV_2D with sums of more than 24 bits, and with scales of 0 or out of range.
def _hard_jobs():
    scales = (1.0, 1e-3, 0.0), (2.0**-20, 2.0**20, 2.0**-4), (1.0, 1e-30, 1e20), (1.0, 0.5, 0.25)
    channels = 5
    for number, chosen in enumerate(scales):
        random = generator(f"hybrid scales {number}")
        each = np.resize(np.array(chosen, "f"), channels)
        for k, bias in enumerate(_biases(channels, random)):
            depth = 1200 if k == 7 else 24
            low = 100 if k == 7 else -127
            values = random.integers(low, 128, (channels, depth))
            biases = None if bias is None else Tensor((channels,), "float32", bias)
            activation = ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")[(k + number) % 4]
            steps = random.integers(low, 128, (6, depth)).astype("f")
            steps[:, 0] = 127
            weights = {"scale": each, "zero_point": 0, "quantized_dimension": 0}
            shared = {"fused_activation_function": activation}
            dense = single_op(
                "FULLY_CONNECTED",
                [
                    Tensor((6, depth), "float32"),
                    Tensor((channels, depth), "int8", values, **weights),
                    biases,
                ],
                [Tensor((6, channels), "float32")],
                **shared,
            )
            runs = [[steps], [steps * np.float32(0.37)], [0 * steps]]
            yield f"dense, scales {number}, bias {k}", dense, "flat", runs
            if k % 2:
                continue
            cells = values[:, :24].reshape(channels, 2, 3, 4)
            conv = single_op(
                "CONV_2D",
                [
                    Tensor((2, 4, 3, 4), "float32"),
                    Tensor(cells.shape, "int8", cells, **weights),
                    biases,
                ],
                [Tensor((2, 4, 3, channels), "float32")],
                padding="SAME",
                stride_h=1,
                stride_w=1,
                dilation_h_factor=1,
                dilation_w_factor=1,
                **shared,
            )
            runs = [[each.ravel()[:96].reshape(2, 4, 3, 4)] for (each,) in runs]
            yield f"convolution, scales {number}, bias {k}", conv, "flat", runs


def _jobs():
    jobs = list(_hard_jobs())
    for case in module_of("test_hybrid").cases:
        if case.name.startswith(_NAMES):
            runs = case.input_lists()
            shape = runs[0][0].shape
            runs += [[values] for values in _special(shape, generator(case.name))]
            jobs.append((case.name, case.build(), "flat", runs))
    return jobs


def _has_firmware(core):
    return qemu_xtensa.is_there() if core == XTENSA_FPU else firmware_of(core).exists()


@pytest.mark.parametrize("core", ["m0plus", "m33", qemu_arm.CORE, "rv32", XTENSA_FPU])
def test_outputs_have_the_bits_of_the_portable_kernels(core):
    if core == qemu_arm.CORE and not qemu_arm.is_there():
        pytest.skip("qemu-system-arm is not installed")
    if not _has_firmware(core):
        pytest.skip(f"there is no firmware for {core}; `make -C tests asm` builds it")
    assert not failures(_jobs(), core, with_portable=True)
