# Tests of the kernels for the DSP extension: their machine code in an emulated Cortex-M33
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from packed_cases import BUILD, cases_of, check_outputs, emulated, firmware_of, require_firmware
from support.check import flat_model_for

_CORE, _TARGET = "m33", "armv7em"
require_firmware(_CORE)
_SUMS = "MEAN int8", "SUM int8"
_EVERY = 7  # one of this number of cases of the operators' own tests runs here


# All cases that are of test_dsp.py itself, some of the others.
def _chosen():
    found = cases_of("test_dsp")
    own = [case for case in found if not case.name.startswith("test_")]
    others = [case for case in found if case.name.startswith("test_")][::_EVERY]
    for file in ("test_add", "test_sub", "test_pooling"):
        others += [case for case in cases_of(file) if "int8" in case.name][::_EVERY]
    sums = [case for case in cases_of("test_reduce") if case.name.startswith(_SUMS)]
    products = [case for case in cases_of("test_mul") if "int8" in case.name]
    steps = cases_of("test_unidirectional_sequence_lstm")
    steps = [c for c in steps if c.name.startswith(("int8", "int16 without"))]
    return own + others + sums + products + steps


@pytest.fixture(scope="module")
def files():
    return emulated.file_system(BUILD, _CORE)


# An M33 may load words from any address.
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in _chosen()])
def test_outputs_are_those_of_tflm(case, files):
    check_outputs(case, _CORE, files, [_TARGET], alignment=False)


# The emulated core has the extension and says so: no other kernel is nearly as fast.
def test_the_kernels_run(files):
    (case,) = [c for c in cases_of("test_dsp") if c.name == "fast"]
    (run,) = case.input_lists()[-1:]
    model = flat_model_for(case.build(), _TARGET)
    measured = emulated.measure(
        _CORE, firmware_of(_CORE), files, model, [array.tobytes() for array in run]
    )
    assert measured.total < 1.2 * 8 * 8 * 64 * 64
