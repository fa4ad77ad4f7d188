# Tests of endurance: many invokes and loads, little memory; make -C tests endurance does more
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
_HEAP = "192k"  # about what a Pico has


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return model_files(tmp_path_factory.mktemp("models"), sample_models.classifier())


# What the script prints, as ints. Its lines of progress are shown as they come in a long run.
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


# No output differs, no heap is used.
@pytest.mark.parametrize("form", ["FLAT", "TFLITE"])
def test_invokes(models, form):
    drift, lost = run("invokes", 20000 * _TIMES, models[form])
    assert drift == 0 and lost <= 0


# Loading again and again takes no memory, and leaves it in one piece.
@pytest.mark.parametrize("forms", [("FLAT",), ("TFLITE",), ("FLAT", "TFLITE")])
def test_loads(models, forms):
    heap = _HEAP if forms == ("FLAT",) else "2M"  # Prepare is source here, and large
    lost, piece = run("loads", 20 * _TIMES, *[models[form] for form in forms], heap=heap)
    assert lost <= 256 and piece <= 1024


# With any too small rest of the heap: an error, and then all is as before. Steps of 64 bytes, two
# blocks of the heap, in the long run.
@pytest.mark.parametrize("form", ["FLAT", "TFLITE"])
def test_little_heap(models, form):
    step = max(64, 1024 // _TIMES)
    failed, ran = run("memory", step, models[form], heap="1M")
    assert failed > 3 and ran


# The same when tflm is not even imported: a module that was cut short does not stay.
@pytest.mark.parametrize("form", ["FLAT", "TFLITE"])
def test_little_heap_to_import(models, form):
    step = max(128, (1 << 14) // _TIMES)
    failed, ran = run("imports", step, models[form], heap="1M")
    assert failed > 3 and ran


# In any arena that is too small, and when any request for a part of it fails.
@pytest.mark.parametrize("form", ["FLAT", "TFLITE"])
def test_little_arena(models, form):
    failed, done = run("requests", 0, models[form])
    assert failed > 5 and done
