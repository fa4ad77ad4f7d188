# Tests of the page: models that are dropped: their report, and runs on the board
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import numpy as np
import pytest
from steps import expect
from support.builder import ModelBuilder
from tflm_tools.flat.flatten import flatten
from tflm_tools.model import arrays
from tflm_tools.model.model_file import open_model
from tflm_tools.run.device_model import invoke

_PATIENCE = 120_000  # milliseconds: Python starts with the first one
_HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def drop(page):
    """drop(name, data): give a model to the page; returns what it says then."""

    def give(name, data):
        page.set_input_files(
            "#file", {"name": name, "mimeType": "application/octet-stream", "buffer": data}
        )
        state = page.locator("#model-state")
        for busy in ("Python reads it", "made small", "is flashed"):
            expect(state).not_to_contain_text(busy, timeout=_PATIENCE)
        return state.inner_text()

    return give


def _report(page):
    return page.frame_locator("#report").locator("body")


# A model of one operator on `shape`.
def _relu(shape, name="x", operator="RELU"):
    model = ModelBuilder("made")
    x = model.tensor(shape, "int8", scale=0.1, zero_point=0, name=name)
    y = model.tensor(shape, "int8", scale=0.1, zero_point=0)
    model.operator(operator, [x], [y])
    model.io([x], [y])
    return model.build()


# The same answer as by the unix port, and the same bytes as by the command.
def test_runs(page, drop, repository):
    path = repository / "models" / "digits" / "digits_int8.tflite"
    assert drop(path.name, path.read_bytes()) == "digits_int8.tflite is on the board."
    report = _report(page)
    expect(report).to_contain_text("CONV_2D")
    assert report.locator("svg").count() >= 3
    pixels = np.arange(64) % 17
    page.locator("#inputs select").select_option("numbers")
    page.locator("#inputs textarea").fill(", ".join(map(str, pixels)))
    page.click("#invoke")
    expect(page.locator("#model-state")).to_contain_text("ms in", timeout=_PATIENCE)
    model = open_model(path)
    info, outputs = model.inputs[0], model.outputs[0]
    values = arrays.quantize(pixels.astype(np.float32).reshape(info.shape), info)
    wanted = arrays.dequantize(invoke(model, [[values]]).outputs[0][0], outputs).reshape(-1)
    rows = [row.split("\t") for row in page.locator("#outputs tr").all_inner_texts()]
    assert {int(k): float(v) for k, v in rows} == pytest.approx(dict(enumerate(wanted)), abs=1e-5)
    expect(report).to_contain_text("the Pico in this page")
    with page.expect_download() as download:
        page.click("#get-flat")
    assert download.value.suggested_filename == "digits_int8.tflm"
    flat = flatten(path.read_bytes(), target="armv6m")
    assert Path(download.value.path()).read_bytes() == flat
    with page.expect_download() as download:
        page.click("#get-image")
    assert flat[:256] in Path(download.value.path()).read_bytes()


def test_wrong_numbers(page):
    page.locator("#inputs textarea").fill("1, 2, three")
    page.click("#invoke")
    expect(page.locator("#model-state")).to_contain_text("not all of that are numbers")
    page.locator("#inputs textarea").fill("1, 2")
    page.click("#invoke")
    expect(page.locator("#model-state")).to_contain_text("there are 2 numbers, the input has 64")


def test_no_model(page, drop):
    assert "neither a .tflite nor a .tflm" in drop("notes.tflite", b"not a model")
    assert not page.locator("#run").is_visible() and not page.locator("#report").is_visible()


def test_unsupported(page, drop):
    said = drop("old.tflite", _relu((1, 4), operator="HASHTABLE_SIZE"))
    assert said.startswith("It does not run here: HASHTABLE_SIZE")
    expect(_report(page)).to_contain_text("This model does not run on tflm")


def test_too_large(page, drop):
    said = drop("large.tflite", _relu((1, 400, 1024)))
    assert "its arena takes" in said and "free on the Pico here" in said
    expect(_report(page)).to_contain_text("Raspberry Pi Pico 2")
    assert "8388608 may be" in drop("huge.tflite", bytes(9 << 20))


# Names are text, wherever they stand.
def test_hostile(page, drop):
    said = drop(f"{_HOSTILE}.tflite", _relu((1, 4), name=_HOSTILE))
    assert said == f"{_HOSTILE}.tflite is on the board."
    assert _HOSTILE in page.locator("#inputs legend").inner_text()
    report = _report(page)
    expect(report).to_contain_text(_HOSTILE)
    assert report.locator("img, script").count() == 0
    assert page.locator("main img").count() == 0
