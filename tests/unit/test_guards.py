# Tests of guard zones: an op that writes beside its tensors is named; other ops run as before
# MIT license; Copyright (c) 2026 the tflm authors

import shutil

import pytest
from support.runner import REPOSITORY
from support.script import run_script
from unit.on_device import device, model_files
from unit.sample_models import classifier, counter

_RUN = """
def fill(interp):
    raw = interp.input(0).raw
    for i in range(len(raw)):
        raw[i] = i * 37 & 0xFF

plain = tflm.Interpreter(tflm.load(TFLITE))
fill(plain)
plain.invoke()
"""


@pytest.mark.parametrize("model", [classifier(), counter()], ids=["classifier", "counter"])
def test_intact_kernels(model, tmp_path):
    device(
        _RUN
        + """
guarded = tflm.Interpreter(tflm.load(TFLITE), guards=True)
fill(guarded)
micropython.heap_lock()
guarded.invoke()
micropython.heap_unlock()
assert bytes(guarded.output(0).raw) == bytes(plain.output(0).raw)
assert guarded.arena_used_bytes() > plain.arena_used_bytes()
assert len(guarded.tensors()) >= 2
""",
        **model_files(tmp_path, model),
    )


# All steps are checked, also those that overrides for x86-64 replace.
def test_each_step_has_guards(tmp_path):
    lines = device(
        """
        interp = tflm.Interpreter(TFLITE, guards=True)
        interp.allocate_tensors()
        steps = interp._program.graphs[0]
        print(len(steps), sum(["bound_method" in repr(step[0]) for step in steps]))
        """,
        **model_files(tmp_path, classifier()),
    )
    assert lines == ["3 3"]


# A kernel that writes one byte after its output replaces the right one.
def test_write_after_the_output_is_reported(tmp_path):
    folder = tmp_path / "tflm"
    shutil.copytree(REPOSITORY / "modules" / "tflm", folder)
    for override in folder.glob("kernels/*/gen/softmax.*"):
        override.unlink()
    with open(folder / "kernels" / "softmax.py", "a") as file:
        file.write(
            "\n\n_right = eval_int8\n\n\ndef eval_int8(op, arena, rom, start, stop):\n"
            "    _right(op, arena, rom, start, stop)\n"
            "    at = (int.from_bytes(bytes(op[8:12]), 'little') >> 2) + 16\n"
            "    arena[at] = arena[at] ^ 1\n"
        )
    paths = model_files(tmp_path, classifier())
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nimport tflm\n"
        f"interp = tflm.Interpreter(tflm.load({paths['TFLITE']!r}), guards=True)\n"
        "for turn in range(2):\n"
        "    try:\n        interp.invoke()\n        print('nothing found')\n"
        "    except tflm.StateError as error:\n        print(error)\n"
    )
    lines = run_script(script).splitlines()
    assert len(lines) == 2  # reported again: the guard zone was restored after the first report
    assert all("SOFTMAX (softmax.eval_int8) wrote beside a tensor" in line for line in lines)
