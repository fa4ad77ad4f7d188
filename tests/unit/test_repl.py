# Tests at MicroPython's prompt: TAB, dir(), help(), summary(), profile()
# MIT license; Copyright (c) 2026 the tflm authors

import inspect
import os
import pty
import re
import select
import subprocess
import time

import pytest
import tflm
from support.runner import REPOSITORY, micropython_path
from tflm_tools.flat.flatten import flatten
from unit import sample_models
from unit.on_device import device, model_files

_DIGITS = REPOSITORY / "models" / "digits" / "digits_int8.tflite"
_EVERYDAY = ("Interpreter", "OpResolver", "Profiler", "Tensor", "TflmError", "load", "help")


# MicroPython's prompt in a pseudo-terminal.
class Prompt:
    def __init__(self):
        self._terminal, inner = pty.openpty()
        self._process = subprocess.Popen(
            [micropython_path(), "-X", "heapsize=16M"],
            env={**os.environ, "MICROPYPATH": f"{REPOSITORY / 'modules'}:.frozen"},
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
        )
        os.close(inner)
        self.until(">>> ")

    # Return what is shown until a text appears.
    def until(self, text):
        shown, end = "", time.monotonic() + 20
        while text not in shown:
            assert time.monotonic() < end, f"no {text!r} in {shown!r}"
            if select.select([self._terminal], [], [], 1)[0]:
                shown += os.read(self._terminal, 4096).decode()
        return shown

    def type(self, keys, then):
        os.write(self._terminal, keys.encode())
        return self.until(then)

    def close(self):
        os.write(self._terminal, b"\x03\x04")
        try:
            self._process.wait(5)
        finally:
            self._process.kill()
            os.close(self._terminal)


@pytest.fixture
def prompt():
    prompt = Prompt()
    prompt.type("import tflm\r", "\n>>> ")
    yield prompt
    prompt.close()


# TAB completes a name before its module is loaded; pressing it again changes nothing.
def test_tab_completes_a_name(prompt):
    assert "tflm.Interpreter" in prompt.type("tflm.Inte\t", "tflm.Interpreter")
    prompt.type("\x03", ">>> ")
    prompt.type("tflm.OpR\t", "tflm.OpResolver")


def test_tab_lists_the_names(prompt):
    shown = prompt.type("tflm.\t", ">>> tflm.")
    assert set(_EVERYDAY) <= set(shown.split())


# dir() asks __getattr__ for each name: all names must exist, and no other module may be loaded.
def test_dir():
    lines = device("""
        names = dir(tflm)
        print(" ".join(names))
        print(" ".join(sorted([name for name in sys.modules if name.startswith("tflm.")])))
        for name in ("nothing", "planner", "prepare", "/", "", ".", "__init__"):
            assert not hasattr(tflm, name), name
    """)
    assert set(_EVERYDAY) <= set(lines[0].split())
    loaded = set(lines[1].split())
    assert "tflm.interpreter" in loaded
    assert not [name for name in loaded if name.startswith(("tflm.tflite", "tflm.prepare"))]
    assert not [name for name in lines[0].split() if not re.fullmatch(r"\w+", name)]


# `import tflm` loads what a .tflm needs, not what a .tflite, a delegate or help() needs.
def test_import_loads_little():
    lines = device("print(' '.join(sorted([n for n in sys.modules if n.startswith('tflm.')])))")
    loaded = {name.partition(".")[2] for name in lines[0].split()}
    assert {"interpreter", "model"} <= loaded
    most = "arena dtypes errors flat_program format heap interpreter loading model op_resolver"
    assert loaded <= {*most.split(), "program", "micropython_port", "tensor", "version"}


def test_all_names_exist():
    lines = device("for name in tflm.__all__:\n    print(getattr(tflm, name) is not None)")
    assert lines == ["True"] * len(tflm.__all__)


def test_help():
    text = device("tflm.help()")
    assert all(len(line) < 80 for line in text)
    for name in _EVERYDAY:
        assert name == "help" or name in "\n".join(text)
    assert set(text[1:]) <= set(device("help(tflm)"))


# Each method in the text is an Interpreter's, each option is an argument.
def test_help_matches_the_api():
    text = "\n".join(device("tflm.help()"))
    methods = re.findall(r"interp\.(\w+)\(", text)
    assert {"invoke", "invoke_async", "summary", "profile", "input", "output"} <= set(methods)
    for method in methods:
        assert hasattr(tflm.Interpreter, method)
    options = re.findall(r"(\w+)=", text.split("tflm.Interpreter ")[1].split("\n")[0])
    known = inspect.signature(tflm.Interpreter.__init__).parameters
    assert options and set(options) <= set(known)


@pytest.fixture(params=["FLAT", "TFLITE"])
def path(request, tmp_path):
    model = sample_models.classifier(width=400, inputs=1000)
    return model_files(tmp_path, model)[request.param]


def test_summary(path):
    lines = device("tflm.Interpreter(PATH).summary()", PATH=path)
    assert all(len(line) < 80 for line in lines)
    assert lines[0].split() == ["tensor", "shape", "type", "bytes", "scale", "zero", "name"]
    assert lines[1].split() == ["input", "0", "1x1000", "int8", "1", "000", "0.02", "-5", "x"]
    assert lines[2].split() == ["output", "0", "1x4", "int8", "4", "0.0039063", "-128", "y"]
    rows = [line.split() for line in lines]
    ops = [row for row in rows if row and row[0].isdigit()]
    assert [row[1] for row in ops] == ["FULLY_CONNECTED", "FULLY_CONNECTED", "SOFTMAX"]
    # The machine code of x86-64 computes all channels of a row as one unit.
    assert [row[3] for row in ops] in (["400", "4", "1"], ["1", "1", "1"])
    arena = int("".join(next(line for line in lines if line.startswith("arena")).split()[1:-1]))
    rows = [line for line in lines if line.startswith(("  head", "  tail", "  rest"))]
    assert rows and sum(int(line[57:].replace(" ", "")) for line in rows) == arena


# Steps of a banded chain have other units in each band.
def test_summary_of_bands(tmp_path):
    path = tmp_path / "bands.tflm"
    path.write_bytes(flatten(_DIGITS.read_bytes(), optimize="ram"))
    lines = device("tflm.Interpreter(PATH).summary()", PATH=str(path))
    rows = [line.split() for line in lines]
    ops = [row[-2:] for row in rows if row and row[0].isdigit() and len(row) > 4]
    assert ["-", "-"] in ops
    assert all(cell == "-" or int(cell) > 0 for row in ops for cell in row)


def test_summary_of_kept_tensors(tmp_path):
    path = model_files(tmp_path, sample_models.classifier())["TFLITE"]
    lines = device("tflm.Interpreter(PATH, keep_tensors=True).summary()", PATH=path)
    assert sum(line.startswith("tensor ") for line in lines) == 1 + 4


# profile() invokes once, prints the table, and restores the profiler.
def test_profile(path):
    lines = device(
        """
        mine = tflm.Profiler()
        interp = tflm.Interpreter(PATH, profiler=mine)
        interp.invoke()
        ticks = mine.total_ticks()
        interp.profile()
        assert interp.profiler is mine and mine.invokes == 1 and mine.total_ticks() == ticks
        interp.invoke()
        assert mine.invokes == 2
        """,
        PATH=path,
    )
    assert all(len(line) < 80 for line in lines)
    rows = [line.split()[:2] for line in lines]
    ops = [["0", "FULLY_CONNECTED"], ["1", "FULLY_CONNECTED"], ["2", "SOFTMAX"]]
    assert rows[:4] == [["op", "name"], *ops]
    assert sorted(rows[4:6]) == [["all", "FULLY_CONNECTED"], ["all", "SOFTMAX"]]
    assert lines[6].split()[:2] == ["all", "together"] and lines[6].endswith(" 100.0%")


# Each of several runs gets the inputs again, which a run may overwrite.
def test_profile_of_several_runs(tmp_path):
    lines = device(
        """
        interp = tflm.Interpreter(TFLITE, guards=True)
        x = interp.input(0)
        for i in range(len(x.data)):
            x.data[i] = 7 * i - 50
        kept = bytes(x.raw)
        interp.invoke()
        once = bytes(interp.output(0).raw)
        x.raw[:] = kept
        interp.profile(3)
        assert bytes(interp.output(0).raw) == once
        try:
            interp.profile()
        except tflm.StateError as error:
            print(error)
        """,
        **model_files(tmp_path, sample_models.classifier()),
    )
    assert lines[-1].startswith("input 0 was not set after the last invoke()")


# Inputs and outputs with shapes, in whole lines; two dots mark a name that is too long.
def test_print(tmp_path):
    path = model_files(tmp_path, sample_models.classifier(width=400, inputs=1000))["FLAT"]
    lines = device(
        """
        model = tflm.load(PATH)
        print(model)
        interp = tflm.Interpreter(model)
        interp.allocate_tensors()
        print(interp)
        interp.input(0).name = "name" * 30
        print(interp)
        """,
        PATH=path,
    )
    assert re.fullmatch(r"<FlatModel of \d+ bytes, arena \d+>", lines[0])
    assert lines[2:4] == ["  input 0: int8 [1, 1000] x", "  output 0: int8 [1, 4] y"]
    assert lines[4] == "  op 0: FULLY_CONNECTED (fully_connected.eval_int8)"
    assert lines[6].endswith(")>")
    assert lines[8].endswith("namenam..") and len(lines[8]) == 79
