# Tests of the kernels for the DSP extension: their machine code in an emulated Cortex-M33
# MIT license; Copyright (c) 2026 the tflm authors

import importlib
import os
from pathlib import Path

import numpy as np
import pytest
from support.check import flat_form
from support.oracle import shared_oracle

pytest.importorskip("unicorn", reason="the measuring bench needs the extra `cycles`")
emulated = pytest.importorskip("emulated")

_ROOT = Path(__file__).resolve().parents[2]
_BUILD = Path(os.environ.get("TFLM_CYCLES") or _ROOT / "build" / "cycles")
_FIRMWARE = _BUILD / "m33.elf"
_TARGET = "armv7em"
pytestmark = pytest.mark.skipif(
    not _FIRMWARE.exists(), reason="there is no firmware; `make cycles` builds it"
)
_EVERY = 7  # so many cases of the operators' own tests there are to one that runs here


# All cases that are of test_dsp.py itself, some of the others.
def _chosen():
    found = list(importlib.import_module("kernels.test_dsp").cases)
    own = [case for case in found if not case.name.startswith("test_")]
    others = [case for case in found if case.name.startswith("test_")][::_EVERY]
    for file in ("test_add", "test_sub", "test_pooling"):
        cases = importlib.import_module(f"kernels.{file}").cases
        sound = [case for case in cases if not (case.error or case.expected)]
        others += [case for case in sound if "int8" in case.name][::_EVERY]
    return own + others


@pytest.fixture(scope="module")
def files():
    return emulated.file_system(_BUILD, "m33")


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in _chosen()])
def test_outputs_are_those_of_tflm(case, files):
    run = case.input_lists()[-1]
    wanted = shared_oracle().run(case.oracle_model or case.build(), [run], False)[0]
    inputs = [array.tobytes() for array in run]
    model = flat_form(case.build(), _TARGET)
    measured = emulated.measure("m33", _FIRMWARE, files, model, inputs)
    for output, array in zip(measured.outputs, wanted, strict=True):
        assert np.array_equal(np.frombuffer(output, array.dtype), array.ravel())


# The emulated core has the extension and says so: no other kernel is nearly as fast.
def test_the_kernels_run(files):
    (case,) = [c for c in importlib.import_module("kernels.test_dsp").cases if c.name == "fast"]
    (run,) = case.input_lists()[-1:]
    model = flat_form(case.build(), _TARGET)
    measured = emulated.measure("m33", _FIRMWARE, files, model, [a.tobytes() for a in run])
    assert measured.total < 1.2 * 8 * 8 * 64 * 64
