# Tests of kernels of int16 and SVDF for RV32: their machine code in an emulated core against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from float_batch import failures
from packed_cases import cases_of, require_firmware

_CORE = "rv32"
require_firmware(_CORE)

_FILES = (
    "test_conv_int16",
    "test_depthwise_conv_int16",
    "test_fully_connected_int16",
    "test_pooling",
    "test_add",
    "test_sub",
    "test_mul",
    "test_sigmoid_int16",
)
_MIXED = "test_pooling", "test_add", "test_sub", "test_mul"  # files with cases of other types


# The cases of a file for int16.
def _cases(file):
    return [case for case in cases_of(file) if file not in _MIXED or "int16" in case.name]


# Slices of 1, 3 and 7 units, and as many units as the runtime runs at once.
@pytest.mark.parametrize("file", _FILES)
def test_outputs_have_the_bits_of_tflm(file):
    jobs = [(case.name, case.build(), "flat", case.input_lists()) for case in _cases(file)]
    assert not failures(jobs, _CORE)


# TFLM crashes at one of the cases.
def test_svdf_has_the_bits_of_the_portable_kernel():
    cases = cases_of("test_svdf")
    jobs = [(case.name, case.build(), "flat", case.input_lists()) for case in cases]
    assert not failures(jobs, _CORE, with_portable=True)
