# Tests of the packed kernels in viper alone: on a core that faults where access is unaligned
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from packed_cases import BUILD, check_outputs, emulated, packed_cases, require_firmware

require_firmware("m0plus")
_EVERY = 20  # one of this number of cases of the operators' own tests runs here


@pytest.fixture(scope="module")
def files():
    return emulated.file_system(BUILD, "m0plus", portable=True)


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.name) for case in packed_cases(_EVERY)]
)
def test_outputs_are_those_of_tflm(case, files):
    check_outputs(case, "m0plus", files)
