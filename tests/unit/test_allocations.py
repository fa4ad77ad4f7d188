# Tests of the allocation printout, on the device with both forms of a model
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from click.testing import CliRunner
from support.single_op import Tensor, single_op
from tflm_tools.cli.command import cli
from tflm_tools.inspection.inspection import inspect
from unit import sample_models
from unit.on_device import device, model_files

FORMS = ("FLAT", "TFLITE")


# What an operator keeps besides tensors: three samples.
def delay():
    tensors = [Tensor((2,), "int16")], [Tensor((2,), "int16")]
    return single_op("SignalDelay", *tensors, custom={"delay_length": 3})


# The parts and the lines that are printed; the bytes must be those of the arena.
def parts_of(path, prepare="interp = tflm.Interpreter(PATH)"):
    lines = device(
        f"{prepare}\n"
        "interp.invoke()\n"
        "parts = interp.allocations()\n"
        "assert sum([p[3] for p in parts]) == interp.arena_used_bytes(), parts\n"
        "print(parts)\n"
        "interp.print_allocations()",
        PATH=path,
    )
    return eval(lines[0]), lines[1:]


def sizes(parts):
    return {what: size for _, what, _, size in parts}


@pytest.mark.parametrize("form", FORMS)
def test_classifier(tmp_path, form):
    parts, lines = parts_of(model_files(tmp_path, sample_models.classifier())[form])
    found = sizes(parts)
    assert found["Activations and scratch buffers"] >= 32
    assert "TfLiteTensor variable buffer data" not in found
    assert ("Operator runtime data" in found) == (form == "TFLITE")
    if form == "TFLITE":
        counts = {what: count for _, what, count, _ in parts}
        assert counts["Operator runtime data"] == 3  # a record for each operator
    total = sum(found.values())
    assert lines[0].split() == ["Arena", "allocation", "total", str(total), "bytes"]
    assert lines[1].split()[:3] == ["Arena", "allocation", "head"]
    assert all(len(line) < 80 for line in lines)


@pytest.mark.parametrize("form", FORMS)
def test_variables(tmp_path, form):
    found = sizes(parts_of(model_files(tmp_path, sample_models.counter(count=9))[form])[0])
    assert found["TfLiteTensor variable buffer data"] in range(36, 36 + 16)  # and alignment


@pytest.mark.parametrize("form", FORMS)
def test_persistent_buffers(tmp_path, form):
    found = sizes(parts_of(model_files(tmp_path, delay())[form])[0])
    assert found["Persistent buffer data"] >= 6
    assert "TfLiteTensor variable buffer data" not in found


# Of a shared arena the parts are this model's; what the others have is a part of its own.
@pytest.mark.parametrize("form", FORMS)
def test_shared_arena(tmp_path, form):
    path = model_files(tmp_path, sample_models.counter())[form]
    alone = sizes(parts_of(path)[0])
    prepare = """
arena = tflm.Arena(8192)
other = tflm.Interpreter(PATH, arena)
other.invoke()
interp = tflm.Interpreter(PATH, arena)
"""
    found = sizes(parts_of(path, prepare)[0])
    variables = "TfLiteTensor variable buffer data"
    assert found[variables] == alone[variables]
    assert found["Others in this arena, alignment"] >= alone[variables]
    if form == "FLAT":  # records with the place of the variable are copied to the arena
        assert found["Operator runtime data"] > 0


@pytest.mark.parametrize("form", FORMS)
def test_delegate(tmp_path, form):
    path = model_files(tmp_path, sample_models.classifier())[form]
    prepare = """
class Delegate:
    def prepare(self, context):
        context.allocate_persistent_buffer(100)
    def arena_bytes(self, ops):
        return 100
interp = tflm.Interpreter(PATH, delegates=[Delegate()])
"""
    parts, _ = parts_of(path, prepare)
    assert sizes(parts)["Delegates, alignment"] >= 100


# The host tells the same of both forms, before anything is on a board.
@pytest.mark.parametrize("model", ["classifier", "counter", "delay"])
def test_inspect_tells_the_same(tmp_path, model):
    data = delay() if model == "delay" else getattr(sample_models, model)()
    paths = model_files(tmp_path, data)
    report = inspect(paths["TFLITE"])
    assert [entry.form for entry in report.allocations] == ["tflm", "tflite"]
    for entry, form in zip(report.allocations, ("FLAT", "TFLITE"), strict=True):
        assert [tuple(vars(part).values()) for part in entry.parts] == parts_of(paths[form])[0]
    assert inspect(paths["FLAT"]).allocations == report.allocations[:1]
    lines = CliRunner().invoke(cli, ["inspect", paths["TFLITE"], "--allocations"]).output
    total = sum(part.bytes for part in report.allocations[1].parts)
    assert f"{total:,}".replace(",", " ") in lines
    assert lines.count("Arena allocation total") == 2
