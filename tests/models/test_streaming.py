# Tests of streaming models: state in resource variables, over many invokes, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.allocations import tflm_allocations
from support.check import Cases
from support.script import run_script
from tflm_tools.flat.flatten import flatten, prepare

_NAME = "microwakeword_okay_nabu"
_USED = """
import sys, tflm
for path in sys.argv[1:]:
    print(tflm.Interpreter(tflm.load(path)).arena_used_bytes())
"""


# Twelve variables that CALL_ONCE initializes: rings of features between strided convolutions.
@pytest.mark.parametrize("reset", [False, True])
def test_wake_word(shared_models, reset):
    model = (shared_models / f"{_NAME}.tflite").read_bytes()
    cases = Cases()
    cases.add(_NAME, model, "random", runs=12 if reset else 40, reset=reset, slices=(7,))
    cases.check()


# It needs no more memory than TFLM, and the same head.
def test_wake_word_memory(shared_models, tmp_path):
    path = shared_models / f"{_NAME}.tflite"
    sizes = tflm_allocations(path)
    _, storage = prepare(path.read_bytes())
    assert storage.head_bytes == sizes["head"]
    flat = tmp_path / "model.tflm"
    flat.write_bytes(flatten(path.read_bytes()))
    used = [int(line) for line in run_script(_USED, str(flat), str(path)).splitlines()]
    assert used[0] < used[1] < sizes["total"]
