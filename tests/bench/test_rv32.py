# Tests of the RV32 kernels: their machine code in an emulated core, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from packed_cases import BUILD, check_outputs, emulated, packed_cases, require_firmware

require_firmware("rv32")
_EVERY = 9  # one of this number of cases of the operators' own tests runs here


# The modules with the assembler kernels, and the modules with viper alone.
@pytest.fixture(scope="module", params=["assembler", "viper"])
def files(request):
    return emulated.file_system(BUILD, "rv32", portable=request.param == "viper")


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.name) for case in packed_cases(_EVERY)]
)
def test_outputs_are_those_of_tflm(case, files):
    check_outputs(case, "rv32", files)
