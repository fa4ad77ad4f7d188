# Tests of programs in the documentation on the emulated Pico, with stock firmware and with ours
# MIT license; Copyright (c) 2026 the tflm authors

import re
import subprocess
import sys

import pytest


@pytest.fixture
def page(repository, monkeypatch):
    """The text of the Pico tutorial. Its commands run in the folder of the repository."""
    monkeypatch.chdir(repository)
    return (repository / "docs" / "tutorial" / "pico.md").read_text()


@pytest.fixture
def features(repository, tmp_path):
    """A model for the Learner, features.tflm, made as in docs/products/learn-on-board.md."""
    path = tmp_path / "features.tflm"
    digits = repository / "models" / "digits" / "digits_int8.tflite"
    _run("tflm_tools", "flatten", str(digits), "--feature", "last", "-o", str(path))
    return path


# Return the code blocks of one language in a section of the page.
def _blocks(page, section, language):
    text = re.split(r"^## ", page, flags=re.M)[section]
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def _run(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Run the blocks' `tflm doctor` and `tflm deploy` with the port of the board.
def _run_commands(blocks, port):
    for line in "".join(blocks).splitlines():
        words = line.removeprefix("$ ").split()
        if words[:2] in (["tflm", "doctor"], ["tflm", "deploy"]):
            _run("tflm_tools", *words[1:], port)


# Return the output of `mpremote run` for a program.
def _run_program(port, path):
    return _run("mpremote", "connect", port, "run", str(path))


def test_first_program_on_stock_firmware(emulated, repository, page, tmp_path):
    board = emulated("RPI_PICO", stock=True)
    _run_commands(_blocks(page, 0, "console"), board.port)
    (program,) = _blocks(page, 0, "python")
    path = tmp_path / "first.py"
    path.write_text(program)
    printed = _run_program(board.port, path)
    assert printed == "a 2\n"
    example = (repository / "examples" / "digit" / "main.py").read_text()
    assert example.endswith(program) and "mpremote run examples/digit/main.py\na 2\n" in page
    assert program in (repository / "README.md").read_text()


def test_program_on_our_firmware(emulated, page, tmp_path):
    board = emulated("RPI_PICO")
    _run_commands(_blocks(page, 1, "console"), board.port)
    (program,) = _blocks(page, 1, "python")
    path = tmp_path / "first.py"
    path.write_text(program + "interp.invoke()\nprint(interp.output(0).shape)\n")
    assert _run_program(board.port, path) == "(1, 10)\n"


def test_learner_on_our_firmware(emulated, repository, features, tmp_path):
    board = emulated("RPI_PICO")
    _run("tflm_tools", "deploy", str(features), board.port)
    page = (repository / "docs" / "products" / "learn-on-board.md").read_text()
    path = tmp_path / "learn.py"
    path.write_text(_blocks(page, 0, "python")[0])
    assert _run_program(board.port, path) == "paper\n"
