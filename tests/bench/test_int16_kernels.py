# Tests of the int16 kernels for Cortex-M: their machine code in emulated cores, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from float_batch import failures
from packed_cases import BUILD, cases_of, check_outputs, emulated, firmware_of, needs_firmware

_FILES = (
    "test_conv_int16",
    "test_depthwise_conv_int16",
    "test_fully_connected_int16",
    "test_pooling",
    "test_add",
    "test_mul",
    "test_sigmoid_int16",
)
_MIXED = "test_pooling", "test_add", "test_mul"  # files with cases of other types
# Odd numbers of bytes and of elements in rows, sums of more than one word.
_ALIGNED = (
    "bias=int64 extreme=127 gain=0.2 source=(1, 3, 3, 100)",
    "source=(1, 2, 2, 3) window=(5, 5)",
)


@pytest.fixture(scope="module", params=["m0plus", "m33"])
def core(request):
    if not firmware_of(request.param).exists():
        pytest.skip(f"there is no firmware for {request.param}; `make -C tests asm` builds it")
    return request.param


# The cases of a file for one data type, or for all types by name.
def _cases(file):
    cases = cases_of(file)
    return [case for case in cases if "int16" in case.name] if file in _MIXED else cases


@pytest.mark.parametrize("file", _FILES)
def test_outputs_have_the_bits_of_tflm(file, core):
    jobs = [(case.name, case.build(), "flat", case.input_lists()) for case in _cases(file)]
    assert not failures(jobs, core)


# Models for the DSP extension, whose kernel for pairs of pixels other models do not name.
@needs_firmware("m33")
def test_pairs_of_pixels_have_the_bits_of_tflm():
    cases = [case for file in _FILES[:3] for case in _cases(file)]
    jobs = [(case.name, case.build(), "armv7em", case.input_lists()) for case in cases]
    assert not failures(jobs, "m33")


# A Cortex-M0+ stops at a load from an address that is not a multiple of its size.
@needs_firmware("m0plus")
@pytest.mark.parametrize("file", _FILES)
def test_accesses_are_aligned(file):
    case = [case for case in _cases(file) if case.name in _ALIGNED] or _cases(file)
    check_outputs(case[0], "m0plus", emulated.file_system(BUILD, "m0plus"))
