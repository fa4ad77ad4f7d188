# Tests of many invokes and loads, and of little memory; `make -C tests endurance` runs more
# MIT license; Copyright (c) 2026 the tflm authors

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.runner import REPOSITORY, micropython_path
from unit import sample_models
from unit.on_device import model_files

_SCRIPT = Path(__file__).resolve().parents[1] / "unit" / "device" / "endurance.py"
_TIMES = int(os.environ.get("TFLM_ENDURANCE", "1"))  # 50: a million invokes, 1000 loads
_HEAP = "192k"  # about the heap of a Pico


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return model_files(tmp_path_factory.mktemp("models"), sample_models.classifier())


# Return the output of the script as ints. A long run shows lines of progress at once.
def run(kind, count, *paths, heap="16M"):
    command = [micropython_path(), "-X", f"heapsize={heap}", str(_SCRIPT), kind, str(count)]
    process = subprocess.Popen(
        [*command, *paths],
        env={**os.environ, "MICROPYPATH": f"{REPOSITORY / 'modules'}:.frozen"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = []
    with process:
        for line in process.stdout:
            if not line.startswith("#"):
                said.append(line)
            elif _TIMES > 1:
                print(f"  {kind}: {line[2:].strip()}", file=sys.__stderr__, flush=True)
    output = "".join(said)
    assert process.returncode == 0, output
    return [
        int(word == "True") if word in ("True", "False") else int(word) for word in output.split()
    ]


# Outputs do not change, and no heap is lost.
@pytest.mark.parametrize("kind", ["FLAT", "TFLITE"])
def test_invokes(models, kind):
    drift, lost = run("invokes", 20000 * _TIMES, models[kind])
    assert drift == 0 and lost <= 0


# Repeated loading loses no memory and does not fragment the heap.
@pytest.mark.parametrize("kinds", [("FLAT",), ("TFLITE",), ("FLAT", "TFLITE")])
def test_loads(models, kinds):
    heap = _HEAP if kinds == ("FLAT",) else "2M"  # Prepare is compiled from source on the heap
    lost, piece = run("loads", 20 * _TIMES, *[models[kind] for kind in kinds], heap=heap)
    assert lost <= 256 and piece <= 1024


# Each too small rest of the heap raises an error, and the model works afterwards. A long run tries
# steps of 64 bytes, two blocks of the heap.
@pytest.mark.parametrize("kind", ["FLAT", "TFLITE"])
def test_little_heap(models, kind):
    step = max(64, 1024 // _TIMES)
    failed, ran = run("memory", step, models[kind], heap="1M")
    assert failed > 3 and ran


# Memory errors during imports: a partly loaded module is removed.
@pytest.mark.parametrize("kind", ["FLAT", "TFLITE"])
def test_little_heap_to_import(models, kind):
    step = max(128, (1 << 14) // _TIMES)
    failed, ran = run("imports", step, models[kind], heap="1M")
    assert failed > 3 and ran


# Each arena that is too small, and each failed request for arena memory, raises an error.
@pytest.mark.parametrize("kind", ["FLAT", "TFLITE"])
def test_little_arena(models, kind):
    failed, done = run("requests", 0, models[kind])
    assert failed > 5 and done
