# Tests of the float32 kernels for the FPU: machine code in an emulated Cortex-M33 and Cortex-M4
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
import qemu_arm
from float_batch import failures
from packed_cases import cases_of, firmware_of
from support.inputs import generator
from support.model_info import output_infos

# qemu emulates the Cortex-M4, another emulator the Cortex-M33.
_CORES = "m33", qemu_arm.CORE

_FILES = (
    "test_fully_connected_float",
    "test_conv_float",
    "test_depthwise_conv_float",
    "test_arithmetic_float",
    "test_pooling_float",
    "test_reduce_float",
    "test_maximum_minimum",
    "test_batch_matmul",
    "test_resize_bilinear_float",
)
# TFLM's results differ by a few units in the last place.
_WITH_CURVES = (
    "test_softmax_float",
    "test_unidirectional_sequence_lstm",
    "test_svdf_float",
    "test_gru",
)


# Numbers of all kinds: subnormal, infinite and not a number, and pairs that cancel each other.
def _special(shape, random):
    bits = random.integers(0, 1 << 32, shape, dtype=np.uint64).astype(np.uint32)
    values = np.where(
        random.integers(0, 2, shape), bits.view(np.float32), random.normal(size=shape)
    )
    tiny = (bits & 0x807FFFFF).view(np.float32)
    values = np.where(random.integers(0, 4, shape) == 0, tiny, values).astype(np.float32)
    flat = values.reshape(-1)
    flat[1::5] = -flat[::5][: len(flat[1::5])]
    return values


# Return the float32 cases of an operator as jobs, with their inputs and with numbers of all kinds.
def jobs_of(file):
    random = generator(file)
    jobs = []
    for case in cases_of(file):
        if any(info.dtype != np.float32 for info in output_infos(case.build())):
            continue
        runs = case.input_lists()
        if all(array.dtype == np.float32 for array in runs[0]):
            runs = [*runs, [_special(array.shape, random) for array in runs[0]]]
        jobs.append((case.name, case.build(), "flat", runs))
    return jobs


@pytest.fixture(params=_CORES)
def core(request):
    if request.param == qemu_arm.CORE and not qemu_arm.is_there():
        pytest.skip("qemu-system-arm is not installed")
    if not firmware_of(request.param).exists():
        pytest.skip(f"there is no firmware for {request.param}; `make -C tests asm` builds it")
    return request.param


@pytest.mark.parametrize("file", _FILES)
def test_outputs_have_the_bits_of_tflm(file, core):
    assert not failures(jobs_of(file), core)


@pytest.mark.parametrize("file", _WITH_CURVES)
def test_outputs_have_the_bits_of_the_portable_kernels(file, core):
    assert not failures(jobs_of(file), core, with_portable=True)
