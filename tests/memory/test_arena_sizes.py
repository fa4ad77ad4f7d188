# Tests of memory: arena sizes of models beside TFLM's
# MIT license; Copyright (c) 2026 the tflm authors

import json
from pathlib import Path

import pytest
from support.script import run_script
from tflm.arena import align_up
from tflm.errors import TflmError, UnsupportedError
from tflm.tflite.lifetimes import buffers_of
from tflm.tflite.planner import plan_greedy
from tflm.tflite.reader import TfliteModel
from tflm.tflite.resources import ResourceVariables
from tflm_tools.flat.flatten import flatten, prepare
from tflm_tools.optimize.memory.levels import BALANCED
from tflm_tools.optimize.passes import passes_without

_REPOSITORY = Path(__file__).resolve().parents[2]
_REAL = _REPOSITORY.parent / "shared" / "models"
_OWN = sorted(_REPOSITORY.glob("models/*/*.tflite")) + sorted(
    _REPOSITORY.glob("tools/tflm_tools/wake/*.tflite")
)
_FLAT_ALLOWANCE = 1024  # bytes of a flat model's arena above TFLM's head, for scratch buffers

# Prints the requested bytes, and the used bytes of an arena of exactly this size.
_MEASURE = """
import json, sys, tflm

found = []
for path in sys.argv[1:]:
    used = tflm.Interpreter(tflm.load(path)).arena_used_bytes()
    interpreter = tflm.Interpreter(tflm.load(path), arena=bytearray(used))
    interpreter.invoke()
    assert interpreter.arena_used_bytes() == used
    found.append(used)
print(json.dumps(found))
"""


# Return the rows of the table of real models: {name: {column: text}}.
def table():
    if not _REAL.is_dir():
        return {}
    lines = (_REAL / "README.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    return {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[2:]}


_ROWS = table()


# Return the arena bytes of a model on the device: (.tflm, .tflite).
def arenas(model, folder):
    try:
        flat = flatten(model.read_bytes())
    except UnsupportedError as error:
        pytest.skip(f"{model.stem}: {error}")
    path = folder / "model.tflm"
    path.write_bytes(flat)
    script = folder / "measure.py"
    script.write_text(_MEASURE)
    output = run_script(script, str(path), str(model), heap="32M")
    return json.loads(output.splitlines()[-1])


# Return the bytes of variable tensors and resource variables. TFLM stores them in the tail. The
# arena of a flat model includes them beside the head.
def state(model):
    reader = TfliteModel(model.read_bytes())
    tensors = [reader.tensor(i) for i in range(reader.tensors_length)]
    sizes = [tensor.nbytes() for tensor in tensors if tensor.is_variable]
    sizes += [variable.size for variable in ResourceVariables(reader).variables]
    return sum(align_up(size) for size in sizes)


# Return the bytes of the head without scratch buffers.
def activations(model):
    tensors, _, _ = buffers_of(TfliteModel(model.read_bytes()), [])
    return plan_greedy([tensors[i] for i in sorted(tensors)])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", sorted(_ROWS) or ["none"])
def test_real_models(name, shared_models, tmp_path):
    row = _ROWS[name]
    model = shared_models / f"{name}.tflite"
    flat, tflite = arenas(model, tmp_path)
    assert flat <= int(row["of which head"]) + state(model) + _FLAT_ALLOWANCE
    assert tflite <= int(row["TFLM arena 32-bit"])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("model", _OWN, ids=[model.stem for model in _OWN])
def test_own_models(model, tmp_path):
    flat, tflite = arenas(model, tmp_path)
    assert flat <= activations(model) + state(model) + _FLAT_ALLOWANCE
    assert flat < tflite


# The host predicts the arena bytes of the device.
@pytest.mark.sampled(2)
@pytest.mark.parametrize("model", _OWN, ids=[model.stem for model in _OWN])
def test_prediction_of_the_host(model, tmp_path):
    _, storage = prepare(model.read_bytes(), passes=passes_without(), optimize=BALANCED)
    assert arenas(model, tmp_path)[0] == storage.arena_bytes


def test_there_are_models():
    assert len(_OWN) >= 3
    for model in _OWN:
        try:
            flatten(model.read_bytes())
        except TflmError as error:
            pytest.fail(f"{model.stem}: {error}")
