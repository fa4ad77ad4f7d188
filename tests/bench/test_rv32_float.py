# Tests of the float32 kernels for RV32: their machine code in an emulated core against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from float_batch import failures
from packed_cases import require_firmware
from test_armv7emsp import jobs_of

_CORE = "rv32"
require_firmware(_CORE)

_FILES = (
    "test_fully_connected_float",
    "test_conv_float",
    "test_depthwise_conv_float",
    "test_arithmetic_float",
    "test_pooling_float",
    "test_reduce_float",
    "test_batch_matmul",
)
# TFLM's results differ by a few units in the last place.
_WITH_CURVES = (
    "test_softmax_float",
    "test_unary_float",
    "test_unidirectional_sequence_lstm",
    "test_svdf_float",
)


@pytest.mark.parametrize("file", _FILES)
def test_outputs_have_the_bits_of_tflm(file):
    assert not failures(jobs_of(file), _CORE)


@pytest.mark.parametrize("file", _WITH_CURVES)
def test_outputs_have_the_bits_of_the_portable_kernels(file):
    assert not failures(jobs_of(file), _CORE, with_portable=True)
