# Tests of the assembler kernels: their machine code in the emulated Cortex-M0+, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from packed_cases import (
    BUILD,
    cases_of,
    check_outputs,
    emulated,
    needs_firmware,
    packed_cases,
    pooling_cases,
)

pytestmark = needs_firmware("m0plus")
_EVERY = 7  # so many cases of the operators' own tests there are to one that runs here
_CASES = packed_cases(_EVERY) + pooling_cases(_EVERY)
# What the operators of an audio front end find hardest: all magnitudes, roots of all ones.
_SIGNAL = [
    case
    for case in cases_of("test_signal_front_end")
    if case.name in ("square root 0", "square root 17", "square root bits as input")
]


@pytest.fixture(scope="module")
def files():
    return emulated.file_system(BUILD, "m0plus")


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in _CASES])
def test_outputs_are_those_of_tflm(case, files):
    check_outputs(case, "m0plus", files)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in _SIGNAL])
def test_outputs_of_the_signal_library_are_those_of_tflm(case, files):
    check_outputs(case, "m0plus", files, ("flat",))
