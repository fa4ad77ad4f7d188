# Tests of the demo behind `make run`
# MIT license; Copyright (c) 2026 the tflm authors

import io

import numpy as np
import pytest
from rich.console import Console
from support.oracle import shared_oracle
from tflm_tools import demo as module
from tflm_tools.render.digits import print_demo


@pytest.fixture(scope="module")
def shown():
    """The demo, run once in MicroPython."""
    return module.demo()


def test_all_held_out_digits_are_classified(shown):
    assert len(shown.found) == len(shown.labels) == len(shown.images) >= 300
    assert shown.right() >= 0.97 * len(shown.labels)
    assert (shown.times > 0).all()
    assert shown.arena_bytes <= shown.plan.arena_bytes + 15


# What MicroPython found is what TFLM finds.
def test_same_as_tflm(shown, repository):
    model = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    from tflm_tools.arrays import quantize
    from tflm_tools.model_file import open_model

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


def test_missing_models(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(module, "_FOLDER", tmp_path)
    with pytest.raises(SystemExit) as end:
        module.main()
    assert end.value.code == 1
    assert "cannot read" in capsys.readouterr().err
