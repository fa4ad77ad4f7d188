# Tests of the int16 kernels for Cortex-M: their machine code in emulated cores, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from float_batch import failures
from packed_cases import cases_of, firmware_of

_FILES = "test_conv_int16", "test_fully_connected_int16"


@pytest.fixture(scope="module", params=["m0plus"])
def core(request):
    if not firmware_of(request.param).exists():
        pytest.skip(f"there is no firmware for {request.param}; `make -C tests asm` builds it")
    return request.param


@pytest.mark.parametrize("file", _FILES)
def test_outputs_have_the_bits_of_tflm(file, core):
    jobs = [(c.name, c.build(), "flat", c.input_lists()) for c in cases_of(file)]
    assert not failures(jobs, core)
