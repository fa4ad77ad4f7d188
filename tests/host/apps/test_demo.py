# Tests of the demo that `make run` runs
# MIT license; Copyright (c) 2026 the tflm authors

import io

import numpy as np
import pytest
from rich.console import Console
from support.oracle import shared_oracle
from tflm_tools.apps import demo as module
from tflm_tools.render.digits import print_demo


@pytest.fixture(scope="module")
def result():
    """Run the demo once in MicroPython."""
    return module.demo()


def test_all_held_out_digits_are_classified(result):
    assert len(result.predictions) == len(result.labels) == len(result.images) >= 300
    assert result.correct() >= 0.97 * len(result.labels)
    assert (result.times > 0).all()
    # The plan in the picture belongs to the model that ran.
    assert result.arena_bytes == result.plan.arena_bytes


def test_predictions_equal_tflm(result, repository):
    model = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    from tflm_tools.model.arrays import quantize
    from tflm_tools.model.model_file import open_model

    info = open_model(repository / "models" / "digits" / "digits_int8.tflite").inputs[0]
    inputs = [[quantize(x.reshape(info.shape).astype(float), info)] for x in result.images]
    outputs = shared_oracle().run(model, inputs)
    np.testing.assert_array_equal(result.predictions, [int(np.argmax(o[0])) for o in outputs])


@pytest.mark.parametrize("colour", [None, "truecolor"])
def test_printed_demo(result, colour):
    console = Console(
        file=io.StringIO(), width=80, color_system=colour, force_terminal=bool(colour),
        highlight=False, markup=False,
    )  # fmt: skip
    print_demo(result, console)
    text = console.file.getvalue()
    assert ("\x1b[" in text) == bool(colour)
    if not colour:
        assert max(map(len, text.splitlines())) <= 80
        percent = 100 * result.correct() / len(result.labels)
        for words in (f"{percent:.1f} %", f"{len(result.labels)} held-out", "▲ peak", "9 SOFTMAX"):
            assert words in text
        wrong = len(result.labels) - result.correct()
        assert text.count("✓") == 4 - bool(wrong)
        assert text.count("✗") == bool(wrong)


# The picture of the README shows the results of the demo.
def test_picture_of_the_readme(result, repository, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "demo", lambda: result)
    module.main(tmp_path / "digits.svg")
    text = (tmp_path / "digits.svg").read_text()
    assert f"{result.correct()} of {len(result.labels)} held-out images right" in text
    assert text.count("fill-opacity") > 100  # the digits' pixels
    current = (repository / "docs" / "images" / "digits.svg").read_text()
    assert current == text, "docs/images/digits.svg is old; run: make docs"
    assert "(docs/images/digits.svg)" in (repository / "README.md").read_text()


# The README shows the printed demo, except for the times.
def test_output_in_the_readme(result, repository):
    console = Console(file=io.StringIO(), width=80, color_system=None, highlight=False)
    print_demo(result, console)
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
