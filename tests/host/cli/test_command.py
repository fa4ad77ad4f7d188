# Tests of the command `tflm`: help, usage, the list of operators, and errors of the unix port
# MIT license; Copyright (c) 2026 the tflm authors

import os
import subprocess
import sys

import numpy as np
import pytest
from support.builder import ModelBuilder
from tflm.prepare.table import OPS
from tflm.version import __version__
from tflm_tools.errors import DeviceError, ToolError
from tflm_tools.execution import device_model
from tflm_tools.model.model_file import open_model
from tflm_tools.port import unix_port
from tflm_tools.port.invocation import InvokeOptions


# Run the command in a separate process.
def _run(repository, *arguments):
    path = os.pathsep.join(str(repository / folder) for folder in ("tools", "modules"))
    return subprocess.run(
        [sys.executable, "-m", "tflm_tools", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=30,
    )


def test_version_and_help(tflm, repository):
    done = _run(repository, "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert __version__ in done.stdout
    for command in ("inspect", "flatten", "run", "verify", "ops"):
        assert command in tflm("--help").out
        assert tflm(command, "--help").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("frobnicate",), "no such command"),
        (("inspect",), "missing argument"),
        (("inspect", "a", "--frobnicate"), "--frobnicate"),
        (("run", "a", "--output-dir", "b", "--path", "sideways"), "sideways"),
        (("run", "a", "--output-dir", "b", "--repeat", "0"), "--repeat"),
        (("flatten", "a"), "--output"),
    ],
)
def test_usage_errors(tflm, arguments, words):
    found = tflm(*arguments)
    assert found.code == 2
    assert words in found.err
    assert "--help" in found.err
    assert len(found.err.splitlines()) == 1


def test_errors_have_no_traceback(repository, tmp_path):
    done = _run(repository, "inspect", tmp_path / "absent.tflite")
    assert done.returncode == 1
    assert done.stderr.startswith("tflm: cannot read")
    assert len(done.stderr.splitlines()) == 1


def test_operators(tflm):
    listed = tflm("ops", "--json").json()
    codes = {entry["code"] for entry in listed}
    assert codes - {None} == set(OPS)  # None: a custom operator, known by its name
    assert "FULLY_CONNECTED" in tflm("ops").out


# A closed pipe at the output is not an error.
def test_closed_pipe(repository, layers):
    path = os.pathsep.join(str(repository / folder) for folder in ("tools", "modules"))
    process = subprocess.Popen(
        [sys.executable, "-m", "tflm_tools", "inspect", str(layers), "--json"],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(30)


def _invoke(path, **options):
    runs = [[np.zeros((1, 8), np.int8)]]
    return device_model.invoke(open_model(path), runs, InvokeOptions(**options))


def test_missing_unix_port(layers, monkeypatch):
    monkeypatch.setenv("TFLM_MICROPYTHON", "/nowhere/micropython")
    with pytest.raises(ToolError, match="no MicroPython at /nowhere/micropython"):
        _invoke(layers)


def test_unix_port_limits(layers):
    with pytest.raises(DeviceError, match="not finish within 0.001 s"):
        _invoke(layers, timeout=0.001)
    with pytest.raises(ToolError, match="not a heap size"):
        _invoke(layers, heap="a lot")


# A kernel that writes to random memory ends MicroPython, but not the tool.
def test_unix_port_crash(layers, changed_modules):
    changed_modules(
        "kernels/fully_connected.py",
        "\n\n@micropython.viper\ndef eval_int8(op, arena, rom, start: int, stop: int):\n"
        "    ptr32(8)[0] = 1\n",
    )
    with pytest.raises(DeviceError, match="SIGSEGV"):
        _invoke(layers)


# Packages beside tflm do not shadow MicroPython's modules.
def test_only_tflm_is_on_the_path(layers, changed_modules, tmp_path):
    (tmp_path / "overlay" / "struct.py").write_text("raise ImportError('shadowed')\n")
    (tmp_path / "overlay" / "micropython.py").write_text("raise ImportError('shadowed')\n")
    assert _invoke(layers).arena > 0
    assert unix_port.executable()


# A board's name is the name of its target.
def test_target_of_a_board(tflm, layers, tmp_path):
    wanted = {
        "pico": "armv6m",
        "rp2350": "armv7em",
        "rp2350-riscv": "rv32imc",
        "armv7emsp": "armv7em",
        "ESP32-S3": "pie",
    }
    for board, target in wanted.items():
        flats = [tmp_path / "board.tflm", tmp_path / "target.tflm"]
        for name, flat in zip((board, target), flats, strict=True):
            assert tflm("flatten", layers, "--target", name, "-o", flat).code == 0
        assert flats[0].read_bytes() == flats[1].read_bytes(), board
    found = tflm("flatten", layers, "--target", "teapot", "-o", flats[0])
    assert found.code == 2 and "'teapot' is no target; name one of armv6m" in found.err


# Each command is in one group of `tflm --help`, and its own help ends with an example of it.
def test_groups_and_examples(tflm):
    from tflm_tools.cli.command import cli
    from tflm_tools.cli.panels import PANELS, SUBCOMMANDS

    names = [name for examples in PANELS.values() for name in examples]
    assert sorted(names) == sorted(cli.commands), (
        "add the command to tools/tflm_tools/cli/panels.py"
    )
    text = tflm("--help").out
    titles = [text.index(f"─ {title} ─") for title in PANELS]
    assert titles == sorted(titles) and "─ Commands ─" not in text
    for examples in PANELS.values():
        for name, example in examples.items():
            assert example.split()[:2] == ["tflm", name]
            assert f"Example: {example}"[:60] in tflm(name, "--help").out
    for name, examples in SUBCOMMANDS.items():
        assert sorted(examples) == sorted(cli.commands[name].commands)
        for subcommand, example in examples.items():
            assert f"Example: {example}"[:60] in tflm(name, subcommand, "--help").out


# The remedy for a missing operator is for the model's author.
def test_remedy_for_a_missing_operator(tflm, tmp_path):
    model = ModelBuilder("volume")
    x, w = (model.tensor((1, 2, 2, 2, 1), "float32") for _ in range(2))
    y = model.tensor((1, 2, 2, 2, 1), "float32")
    model.operator("CONV_3D", [x, w], [y])
    model.io([x, w], [y])
    path = tmp_path / "volume.tflite"
    path.write_bytes(model.build())
    found = tflm("flatten", path, "-o", tmp_path / "x.tflm")
    assert found.code == 1 and found.err.endswith("CONV_3D; use Conv2D on each slice\n")


@pytest.mark.parametrize("command", ["inspect", "plan", "flatten", "verify", "ops"])
def test_damaged_file_is_named(tflm, layers, tmp_path, command):
    more = ("-o", tmp_path / "x.tflm") if command == "flatten" else ()
    whole = layers.read_bytes()
    layers.write_bytes(whole[:300])
    assert f"tflm: {layers}: the model is damaged: " in tflm(command, layers, *more).err
    layers.write_bytes(b"")
    assert tflm(command, layers, *more).err == f"tflm: {layers} is empty; get the file again\n"
