# Tests of the assembler kernels: their machine code in the emulated Cortex-M0+, against TFLM
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
_FIRMWARE = _BUILD / "m0plus.elf"
pytestmark = pytest.mark.skipif(
    not _FIRMWARE.exists(), reason="there is no firmware; `make cycles` builds it"
)
_EVERY = 7  # so many cases of the operators' own tests there are to one that runs here


# The cases of a file in tests/kernels: those that are expected to run.
def _cases(file):
    found = importlib.import_module(f"kernels.{file}").cases
    return [case for case in found if not case.error and not case.expected]


# All cases that are of test_lanes.py itself, some of the others.
def _chosen():
    packed = _cases("test_lanes")
    chosen = [case for case in packed if not case.name.startswith("test_")]
    chosen += [case for case in packed if case.name.startswith("test_")][::_EVERY]
    return chosen + [case for case in _cases("test_pooling") if "int8" in case.name][::_EVERY]


@pytest.fixture(scope="module")
def files():
    return emulated.file_system(_BUILD, "m0plus")


# Loads and stores that are not aligned stop the emulated core.
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in _chosen()])
def test_outputs_are_those_of_tflm(case, files):
    run = case.input_lists()[-1]
    wanted = shared_oracle().run(case.oracle_model or case.build(), [run], False)[0]
    inputs = [array.tobytes() for array in run]
    for path in case.paths:
        if path == "tflite":
            continue
        model = flat_form(case.build(), path)
        measured = emulated.measure("m0plus", _FIRMWARE, files, model, inputs, alignment=True)
        for output, array in zip(measured.outputs, wanted, strict=True):
            assert np.array_equal(np.frombuffer(output, array.dtype), array.ravel()), path
