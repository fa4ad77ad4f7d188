# Tests of names with control characters or HTML: all output shows them as plain text
# MIT license; Copyright (c) 2026 the tflm authors

import re

import pytest
from host.conftest import tflm as tflm  # the command as a fixture
from support.builder import ModelBuilder
from tflm.errors import UnsupportedError, printable
from tflm_tools.flat.flatten import flatten
from unit.on_device import device

_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u202a-\u202e\ufeff]")
_EVIL = "\x1b]0;owned\x07\x1b[2J\u202e\u061c\ufeffx\r\n<script>alert(1)</script>"


# A model in which every name is hostile; with `custom` it has an unknown custom operator.
@pytest.fixture(params=[False, True], ids=["builtin", "custom"])
def model(request):
    builder = ModelBuilder(_EVIL)
    x = builder.tensor((1, 4), "int8", scale=0.5, zero_point=0, name=_EVIL + "x")
    y = builder.tensor((1, 4), "int8", scale=0.5, zero_point=0, name=_EVIL + "y")
    if request.param:
        builder.custom(_EVIL, [x], [y])
    else:
        builder.operator("RELU", [x], [y])
    builder.io([x], [y])
    builder.main.table.name = _EVIL
    builder.signature(_EVIL, {_EVIL: x}, {_EVIL: y})
    builder.metadata(_EVIL, b"data")
    builder.metadata("labels.txt", "\n".join(["a", _EVIL, "c", "d"]).encode())
    return builder.build()


# In a terminal, in a picture and in a page; the file has a hostile name, too.
def test_host_output_is_plain_text(tflm, model, tmp_path):
    path = tmp_path / "\x1b[31m<b>&model\u202e.tflite"
    path.write_bytes(model)
    page, picture = tmp_path / "report.html", tmp_path / "plan.svg"
    for command in (
        ("inspect", path, "--plan", "--allocations"), ("inspect", path, "--json"), ("ops", path),
        ("plan", path, "-o", picture), ("report", path, "-o", page),
        ("flatten", path, "-o", tmp_path / "\x1b[2Jmodel.tflm"),
    ):  # fmt: skip
        found = tflm(*command)
        assert not _CONTROL.search(found.out + found.err), command
        assert found.err.count("\n") <= 1
    for file in (page, picture):
        if file.exists():
            text = file.read_text()
            assert not _CONTROL.search(text.replace("\t", "")) and "<script>alert" not in text
            assert "<b>&" not in text
    found = tflm("inspect", tmp_path / "\x1b[2Jmissing.tflite")
    assert found.code == 1 and not _CONTROL.search(found.out + found.err)


# At a board's REPL, from a .tflite and from a .tflm.
def test_device_output_is_plain_text(model, tmp_path):
    files = {"model.tflite": model}
    try:
        files["model.tflm"] = flatten(model)
    except UnsupportedError as error:
        assert not _CONTROL.search(str(error))
    paths = []
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        paths.append(str(tmp_path / name))
    code = """
        for path in PATHS:
            try:
                interp = tflm.Interpreter(path)
                interp.allocate_tensors()
                print(interp)
                interp.summary()
                interp.invoke()
                print(interp.input(0), interp.signatures(), interp.signature())
                print(interp.model.labels(), list(interp.model.metadata()))
            except tflm.TflmError as error:
                print(error)
        """
    said = device(code, PATHS=paths)
    assert len(said) >= len(paths)
    assert not _CONTROL.search("\n".join(said))


def test_printable_replaces_control_characters():
    assert printable(b"conv2d/Relu;1") == "conv2d/Relu;1" and printable(b"") == ""
    assert printable("ümlaut 日本 – …".encode()) == "ümlaut 日本 – …"
    assert printable("\x1b[1m\x7f\x9b2J\u202e\u2066\u061c\ufeff\n".encode()) == "?[1m??2J?????"
    with pytest.raises(UnicodeError):
        printable(b"\xff")
