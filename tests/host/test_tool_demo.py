# Tests of the demo behind `make run`
# MIT license; Copyright (c) 2026 the tflm authors

import io

import numpy as np
import pytest
from rich.console import Console
from support.oracle import shared_oracle
from tflm_tools.apps import demo as module
from tflm_tools.render.digits import print_demo


@pytest.fixture(scope="module")
def shown():
    """The demo, run once in MicroPython."""
    return module.demo()


def test_all_held_out_digits_are_classified(shown):
    assert len(shown.found) == len(shown.labels) == len(shown.images) >= 300
    assert shown.right() >= 0.97 * len(shown.labels)
    assert (shown.times > 0).all()
    # The picture is that of the model that ran.
    assert shown.arena_bytes == shown.plan.arena_bytes


# What MicroPython found is what TFLM finds.
def test_same_as_tflm(shown, repository):
    model = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    from tflm_tools.model.arrays import quantize
    from tflm_tools.model.model_file import open_model

    info = open_model(repository / "models" / "digits" / "digits_int8.tflite").inputs[0]
    inputs = [[quantize(x.reshape(info.shape).astype(float), info)] for x in shown.images]
    outputs = shared_oracle().run(model, inputs)
    np.testing.assert_array_equal(shown.found, [int(np.argmax(o[0])) for o in outputs])


@pytest.mark.parametrize("colour", [None, "truecolor"])
def test_screen(shown, colour):
    console = Console(
        file=io.StringIO(), width=80, color_system=colour, force_terminal=bool(colour),
        highlight=False, markup=False,
    )  # fmt: skip
    print_demo(shown, console)
    text = console.file.getvalue()
    assert ("\x1b[" in text) == bool(colour)
    if not colour:
        assert max(map(len, text.splitlines())) <= 80
        percent = 100 * shown.right() / len(shown.labels)
        for words in (f"{percent:.1f} %", f"{len(shown.labels)} held-out", "▲ peak", "9 SOFTMAX"):
            assert words in text
        wrong = len(shown.labels) - shown.right()
        assert text.count("✓") == 4 - bool(wrong)
        assert text.count("✗") == bool(wrong)


# The picture of the README is what is found.
def test_picture(shown, repository, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "demo", lambda: shown)
    module.main(tmp_path / "digits.svg")
    text = (tmp_path / "digits.svg").read_text()
    assert f"{shown.right()} of {len(shown.labels)} held-out images right" in text
    assert text.count("fill-opacity") > 100  # the digits' pixels
    current = (repository / "docs" / "images" / "digits.svg").read_text()
    assert current == text, "docs/images/digits.svg is old; run: make docs"
    assert "(docs/images/digits.svg)" in (repository / "README.md").read_text()


# What the README shows is what is printed; times are those of the machine.
def test_readme(shown, repository):
    console = Console(file=io.StringIO(), width=80, color_system=None, highlight=False)
    print_demo(shown, console)
    printed = [line.rstrip() for line in console.file.getvalue().splitlines()]
    readme = (repository / "README.md").read_text()
    block = next(b for b in readme.split("```") if "held-out images" in b)
    for line in block.splitlines():
        assert line in printed or line.startswith("  time "), line


def test_missing_models(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(module, "_FOLDER", tmp_path)
    with pytest.raises(SystemExit) as end:
        module.main()
    assert end.value.code == 1
    assert "cannot read" in capsys.readouterr().err
