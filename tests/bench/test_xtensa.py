# Tests of the Xtensa kernels: their machine code in qemu, on firmware without an inline assembler
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from packed_cases import BUILD, check_cases, packed_cases, pooling_cases

from tests.kernels import test_mac16

qemu_xtensa = pytest.importorskip("qemu_xtensa")
pytestmark = pytest.mark.skipif(
    not qemu_xtensa.is_there(),
    reason="there is no firmware for Xtensa; `bench/cycles.py --core xtensa` builds it",
)
_EVERY_MAC16 = 24
_EVERY_POOL = 5
_EVERY = 9  # one of this number of cases of the operators' own tests runs here


# With the machine code, and viper alone; loads and stores that are not aligned stop this core.
@pytest.fixture(scope="module", params=["machine code", "viper"])
def run(request):
    files = qemu_xtensa.modules(BUILD, request.param == "viper")
    elf = qemu_xtensa.firmware()
    return lambda model, inputs: qemu_xtensa.measure(elf, files, model, inputs)


_CASES = packed_cases(_EVERY) + pooling_cases(_EVERY_POOL)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in _CASES])
def test_outputs_are_those_of_tflm(case, run):
    check_cases(case, run)


# The kernels for MAC16 without MULSH and CLAMPS, which test_xtensa_core.py runs.
@pytest.fixture(scope="module")
def run_mac16():
    files = qemu_xtensa.modules(BUILD, mac16=True)
    elf = qemu_xtensa.firmware()
    return lambda model, inputs: qemu_xtensa.measure(elf, files, model, inputs)


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name) for c in list(test_mac16.cases)[::_EVERY_MAC16]]
)
def test_mac16_outputs_are_those_of_tflm(case, run_mac16):
    check_cases(case, run_mac16)
