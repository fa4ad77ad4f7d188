# Tests of the allocation printout, on the device with both formats of a model
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from click.testing import CliRunner
from support.single_op import Tensor, single_op
from tflm_tools.cli.command import cli
from tflm_tools.inspection.inspection import inspect
from unit import sample_models
from unit.on_device import device, model_files

FILE_FORMATS = ("FLAT", "TFLITE")


# A model with an operator that has state: a delay of three samples.
def delay():
    tensors = [Tensor((2,), "int16")], [Tensor((2,), "int16")]
    return single_op("SignalDelay", *tensors, custom={"delay_length": 3})


# Return (allocations, printed lines); the sum of the bytes must be the arena's.
def allocations_of(path, prepare="interp = tflm.Interpreter(PATH)"):
    lines = device(
        f"{prepare}\n"
        "interp.invoke()\n"
        "items = interp.allocations()\n"
        "assert sum([p[3] for p in items]) == interp.arena_used_bytes(), items\n"
        "print(items)\n"
        "interp.print_allocations()",
        PATH=path,
    )
    return eval(lines[0]), lines[1:]


def sizes(items):
    return {what: size for _, what, _, size in items}


@pytest.mark.parametrize("file_format", FILE_FORMATS)
def test_classifier(tmp_path, file_format):
    items, lines = allocations_of(model_files(tmp_path, sample_models.classifier())[file_format])
    found = sizes(items)
    assert found["Activations and scratch buffers"] >= 32
    assert "TfLiteTensor variable buffer data" not in found
    assert ("Operator runtime data" in found) == (file_format == "TFLITE")
    if file_format == "TFLITE":
        counts = {what: count for _, what, count, _ in items}
        assert counts["Operator runtime data"] == 3  # a record for each operator
    total = sum(found.values())
    assert lines[0].split() == ["Arena", "allocation", "total", str(total), "bytes"]
    assert lines[1].split()[:3] == ["Arena", "allocation", "head"]
    assert all(len(line) < 80 for line in lines)


@pytest.mark.parametrize("file_format", FILE_FORMATS)
def test_variables(tmp_path, file_format):
    found = sizes(
        allocations_of(model_files(tmp_path, sample_models.counter(count=9))[file_format])[0]
    )
    assert found["TfLiteTensor variable buffer data"] in range(36, 36 + 16)  # with alignment


@pytest.mark.parametrize("file_format", FILE_FORMATS)
def test_persistent_buffers(tmp_path, file_format):
    found = sizes(allocations_of(model_files(tmp_path, delay())[file_format])[0])
    assert found["Persistent buffer data"] >= 6
    assert "TfLiteTensor variable buffer data" not in found


# In a shared arena the allocations are this model's, and an entry for the other models.
@pytest.mark.parametrize("file_format", FILE_FORMATS)
def test_shared_arena(tmp_path, file_format):
    path = model_files(tmp_path, sample_models.counter())[file_format]
    alone = sizes(allocations_of(path)[0])
    prepare = """
arena = tflm.Arena(8192)
other = tflm.Interpreter(PATH, arena)
other.invoke()
interp = tflm.Interpreter(PATH, arena)
"""
    found = sizes(allocations_of(path, prepare)[0])
    variables = "TfLiteTensor variable buffer data"
    assert found[variables] == alone[variables]
    assert found["Others in this arena, alignment"] >= alone[variables]
    if file_format == "FLAT":  # records that refer to the variable are copied to the arena
        assert found["Operator runtime data"] > 0


@pytest.mark.parametrize("file_format", FILE_FORMATS)
def test_delegate(tmp_path, file_format):
    path = model_files(tmp_path, sample_models.classifier())[file_format]
    prepare = """
class Delegate:
    def prepare(self, context):
        context.allocate_persistent_buffer(100)
    def arena_bytes(self, ops):
        return 100
interp = tflm.Interpreter(PATH, delegates=[Delegate()])
"""
    items, _ = allocations_of(path, prepare)
    assert sizes(items)["Delegates, alignment"] >= 100


# The host reports the same allocations for both formats.
@pytest.mark.parametrize("model", ["classifier", "counter", "delay"])
def test_inspect_reports_the_same(tmp_path, model):
    data = delay() if model == "delay" else getattr(sample_models, model)()
    paths = model_files(tmp_path, data)
    report = inspect(paths["TFLITE"])
    assert [entry.form for entry in report.allocations] == ["tflm", "tflite"]
    for entry, file_format in zip(report.allocations, ("FLAT", "TFLITE"), strict=True):
        items, _ = allocations_of(paths[file_format])
        assert [tuple(vars(item).values()) for item in entry.parts] == items
    assert inspect(paths["FLAT"]).allocations == report.allocations[:1]
    lines = CliRunner().invoke(cli, ["inspect", paths["TFLITE"], "--allocations"]).output
    total = sum(item.bytes for item in report.allocations[1].parts)
    assert f"{total:,}".replace(",", " ") in lines
    assert lines.count("Arena allocation total") == 2
