# Tests of the float32 kernels for Xtensa with an FPU: their machine code in qemu against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
import qemu_xtensa
from float_batch import XTENSA_FPU, failures
from test_armv7emsp import jobs_of

pytestmark = pytest.mark.skipif(
    not qemu_xtensa.is_there(),
    reason="there is no firmware for Xtensa; `bench/cycles.py --core xtensa` builds it",
)

_FILES = (
    "test_fully_connected_float",
    "test_conv_float",
    "test_depthwise_conv_float",
    "test_arithmetic_float",
    "test_pooling_float",
    "test_maximum_minimum",
    "test_batch_matmul",
)
# TFLM's results differ by a few units in the last place.
_WITH_CURVES = ("test_softmax_float", "test_unidirectional_sequence_lstm", "test_svdf_float")


@pytest.mark.parametrize("file", _FILES)
def test_outputs_have_the_bits_of_tflm(file):
    assert not failures(jobs_of(file), XTENSA_FPU)


@pytest.mark.parametrize("file", _WITH_CURVES)
def test_outputs_have_the_bits_of_the_portable_kernels(file):
    assert not failures(jobs_of(file), XTENSA_FPU, with_portable=True)
