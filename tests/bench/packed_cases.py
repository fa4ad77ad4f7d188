# What the tests of packed kernels share: cases, and a comparison with TFLM in an emulated core
# MIT license; Copyright (c) 2026 the tflm authors

import os
from pathlib import Path

import numpy as np
import pytest
from support.check import Cases, flat_model_for
from support.compare import difference
from support.kernel_tests import module_of
from support.oracle import shared_oracle

pytest.importorskip("unicorn", reason="the measuring bench needs the extra `cycles`")
emulated = pytest.importorskip("emulated")

_ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TFLM_CYCLES") or _ROOT / "build" / "cycles")


# The firmware of a core; `make -C tests asm` builds it.
def firmware_of(core):
    return BUILD / core / "firmware.elf"


def _reason(core):
    return f"there is no firmware for {core}; `make -C tests asm` builds it"


# A mark for tests that need it.
def needs_firmware(core):
    return pytest.mark.skipif(not firmware_of(core).exists(), reason=_reason(core))


# Skip a module that needs it, before the module makes its cases.
def require_firmware(core):
    if not firmware_of(core).exists():
        pytest.skip(_reason(core), allow_module_level=True)


# The cases of a file in tests/kernels: those that are expected to run.
def cases_of(file):
    collectors = [each for each in vars(module_of(file)).values() if isinstance(each, Cases)]
    found = [case for cases in collectors for case in cases]
    return [case for case in found if not case.error and not case.expected]


# All cases that are of test_lanes.py itself, and one of each `every` of the others.
def packed_cases(every):
    packed = cases_of("test_lanes")
    chosen = [case for case in packed if not case.name.startswith("test_")]
    return chosen + [case for case in packed if case.name.startswith("test_")][::every]


# One of each `every` cases of the pools of int8.
def pooling_cases(every):
    return [case for case in cases_of("test_pooling") if "int16" not in case.name][::every]


# Run a case in its forms, or in those that are named; `alignment`: loads and stores that are not
# aligned stop the core.
def check_outputs(case, core, files, paths=None, alignment=True):
    def run(model, inputs):
        return emulated.measure(core, firmware_of(core), files, model, inputs, alignment)

    check_cases(case, run, paths)


# Compare a case with TFLM; measure(flat model, bytes of the inputs) returns a Measurement.
def check_cases(case, measure, paths=None):
    run = case.input_lists()[-1]
    # The bench measures the second invoke, and some models have a state.
    wanted = shared_oracle().run(case.oracle_model or case.build(), [run, run], False)[1]
    inputs = [array.tobytes() for array in run]
    for path in paths or case.paths:
        if path == "tflite":
            continue
        model = flat_model_for(case.build(), path)
        measured = measure(model, inputs)
        for output, array in zip(measured.outputs, wanted, strict=True):
            found = np.frombuffer(output, array.dtype).reshape(array.shape)
            assert not difference(found, array, case.rtol, case.atol), path
