# Tests of the page: dropped models, their reports, and their runs on the board
# MIT license; Copyright (c) 2026 the tflm authors

import gzip
import io
import wave
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from steps import expect
from support.builder import ModelBuilder
from tflm_tools.execution.device_model import invoke
from tflm_tools.flat.flatten import flatten
from tflm_tools.model import arrays
from tflm_tools.model.model_file import open_model

_PATIENCE = 120_000  # milliseconds; Python starts with the first model
_HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def drop(page):
    """Return drop(name, data), which gives a model to the page and returns its final message."""

    def give(name, data):
        page.set_input_files(
            "#file", {"name": name, "mimeType": "application/octet-stream", "buffer": data}
        )
        state = page.locator("#model-state")
        for busy in ("Python reads it", "made for the board", "is flashed"):
            expect(state).not_to_contain_text(busy, timeout=_PATIENCE)
        return state.inner_text()

    return give


def _report(page):
    return page.frame_locator("#report").locator("body")


# A model with one operator on int8 tensors of `shape`.
def _relu(shape, name="x", operator="RELU"):
    model = ModelBuilder("made")
    x = model.tensor(shape, "int8", scale=0.1, zero_point=0, name=name)
    y = model.tensor(shape, "int8", scale=0.1, zero_point=0)
    model.operator(operator, [x], [y])
    model.io([x], [y])
    return model.build()


# A dense layer with more weights than a Pico's ROMFS holds.
def _heavy():
    model = ModelBuilder("heavy")
    x = model.tensor((1, 1024), "int8", scale=0.1, zero_point=0)
    weights = np.random.default_rng(5).integers(-127, 128, (1500, 1024)).astype(np.int8)
    w = model.tensor(weights.shape, "int8", weights, scale=0.01, zero_point=0)
    y = model.tensor((1, 1500), "int8", scale=0.5, zero_point=0)
    model.operator("FULLY_CONNECTED", [x, w], [y])
    model.io([x], [y])
    return model.build()


# A model with a custom operator.
def _custom():
    model = ModelBuilder("made")
    x = model.tensor((1, 4), "int8", scale=0.1, zero_point=0)
    y = model.tensor((1, 4), "int8", scale=0.1, zero_point=0)
    model.custom("Mine", [x], [y])
    model.io([x], [y])
    return model.build()


# The board answers like the unix port, and the .tflm equals the output of `tflm flatten`.
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
    expect(page.locator("#model-state")).to_contain_text("ms on a Pico", timeout=_PATIENCE)
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


# Run the model; return the outputs that the page shows: {number: value}.
def _run(page):
    page.click("#invoke")
    expect(page.locator("#model-state")).to_contain_text("ms on a Pico", timeout=_PATIENCE)
    rows = [row.split("\t") for row in page.locator("#outputs tr").all_inner_texts()]
    expect(_report(page)).to_contain_text("the Pico in this page")
    return {int(k.strip("[]")): float(v) for k, v in rows}


# Check that the shown outputs are RELU of int8 `values` with scale 0.1.
def _is_relu_of(shown, values):
    wanted = np.maximum(np.asarray(values, np.float32).reshape(-1) * np.float32(0.1), 0)
    assert shown == pytest.approx({k: wanted[k] for k in shown}, rel=1e-5)
    assert min(shown.values()) >= np.sort(wanted)[-len(shown)] - 1e-5


# Pixels 0..255 of a PNG become -128..127 of an int8 input.
def test_picture(page, drop, tmp_path):
    pixels = np.random.default_rng(3).integers(0, 256, (8, 8, 3)).astype(np.uint8)
    Image.fromarray(pixels).save(tmp_path / "pixels.png")
    assert "is on the board" in drop("picture.tflite", _relu((1, 8, 8, 3)))
    page.locator("#inputs select").select_option("a picture")
    page.click("#invoke")
    expect(page.locator("#model-state")).to_contain_text("no file is chosen; choose one")
    page.set_input_files("#inputs input", tmp_path / "pixels.png")
    _is_relu_of(_run(page), pixels.astype(np.int16) - 128)


# The upper bytes of a WAV's samples become an int8 input.
def test_sound(page, drop, tmp_path):
    samples = np.random.default_rng(4).integers(-32768, 32768, 400).astype(np.int16)
    with wave.open(str(tmp_path / "sound.wav"), "wb") as file:
        file.setparams((1, 2, 16000, len(samples), "NONE", ""))
        file.writeframes(samples.tobytes())
    assert "is on the board" in drop("sound.tflite", _relu((1, 320)))
    page.locator("#inputs select").select_option("a recording")
    page.set_input_files("#inputs input", tmp_path / "sound.wav")
    _is_relu_of(_run(page), samples[:320] >> 8)


def test_random(page, drop):
    assert "is on the board" in drop("random.tflite", _relu((1, 64)))
    first, second = _run(page), _run(page)
    assert len(first) == len(second) == 10 and first != second


# The output has more values than a list on the board could hold.
def test_large_output(page, drop):
    drop("wide.tflite", _relu((1, 10, 1024)))
    shown = _run(page)
    assert len(shown) == 10 and max(shown) < 256
    expect(page.locator("#outputs caption")).to_contain_text("10 of the first 256 of 10240 values")


def test_wrong_numbers(page, drop):
    drop("numbers.tflite", _relu((1, 64)))
    page.locator("#inputs select").select_option("numbers")
    page.locator("#inputs textarea").fill("1, 2, three")
    page.click("#invoke")
    expect(page.locator("#model-state")).to_contain_text("not all of these are finite numbers")
    page.locator("#inputs textarea").fill("1, 2")
    page.click("#invoke")
    expect(page.locator("#model-state")).to_contain_text(
        "the number of values is 2, and the input has 64"
    )


def test_no_model(page, drop, repository):
    digits = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    assert drop("cut.tflite", digits[:5000]).startswith("cut.tflite: the model is damaged")
    assert not page.locator("#run").is_visible()
    said = drop("notes.tflite", b"not a model")
    assert said.startswith("notes.tflite is neither a .tflite nor a .tflm")
    assert not page.locator("#run").is_visible() and not page.locator("#report").is_visible()


def test_unsupported(page, drop):
    said = drop("old.tflite", _relu((1, 4), operator="HASHTABLE_SIZE"))
    assert said.startswith("It does not run here: HASHTABLE_SIZE")
    expect(_report(page)).to_contain_text("This model does not run on tflm")
    said = drop("custom.tflite", _custom())
    assert said == "It does not run here: Mine: this custom operator is not part of tflm"
    expect(_report(page)).to_contain_text("Mine")
    assert "--custom" not in page.inner_text("#inspection") + _report(page).inner_text()


def test_too_large(page, drop):
    said = drop("large.tflite", _relu((1, 400, 1024)))
    assert "its arena requires" in said and "free on the Pico here" in said
    expect(_report(page)).to_contain_text("Raspberry Pi Pico 2")
    assert "/rom would take" in drop("heavy.tflite", _heavy())
    expect(_report(page)).to_contain_text("FULLY_CONNECTED")
    expect(page.locator("#search-state")).to_be_empty()  # a smaller arena would not help
    assert "huge.tflite has 9.0 MB, the limit is 8 MB" in drop("huge.tflite", bytes(9 << 20))


# HTML in names is shown as text everywhere.
def test_hostile(page, drop):
    said = drop(f"{_HOSTILE}.tflite", _relu((1, 4), name=_HOSTILE))
    assert said == f"{_HOSTILE}.tflite is on the board."
    assert _HOSTILE in page.locator("#inputs legend").inner_text()
    report = _report(page)
    expect(report).to_contain_text(_HOSTILE)
    assert report.locator("img, script").count() == 0
    assert page.locator("main img").count() == 0


# A large model is reported and flashed at once. The search follows, and its result is flashed with
# the next run.
def test_search(page, drop, shared_models):
    path = shared_models / "person_detect_int8.tflite"
    assert "is on the board" in drop(path.name, path.read_bytes())
    report, state = _report(page), page.locator("#search-state")
    expect(report).to_contain_text("--optimize speed")
    expect(state).to_contain_text("The search made its arena", timeout=3 * _PATIENCE)
    expect(report).not_to_contain_text("--optimize speed")
    with page.expect_download() as download:
        page.click("#get-flat")
    assert Path(download.value.path()).read_bytes() == flatten(path.read_bytes(), target="armv6m")
    page.click("#invoke")
    expect(page.locator("#model-state")).to_contain_text("ms on a Pico", timeout=_PATIENCE)


# Dropping another model ends a search and a run.
def test_dropped_meanwhile(page, drop, shared_models):
    path = shared_models / "mlperf_resnet8_int8.tflite"
    drop(path.name, path.read_bytes())
    expect(page.locator("#search-state")).to_contain_text(
        "searches for a smaller one", timeout=_PATIENCE
    )
    assert page.locator("#busy").is_visible()
    page.click("#invoke")
    expect(page.locator("#model-state")).to_contain_text("runs it", timeout=_PATIENCE)
    assert drop("next.tflite", _relu((1, 64))) == "next.tflite is on the board."
    expect(page.locator("#busy")).not_to_be_visible()
    assert not page.inner_text("#search-state")
    assert len(_run(page)) == 10


# A file dropped beside the frame is accepted too, or the browser would leave the page.
def test_dropped_beside(page):
    page.evaluate(
        """(bytes) => {
          const files = new DataTransfer();
          files.items.add(new File([Uint8Array.from(bytes)], 'beside.tflite'));
          const options = { dataTransfer: files, bubbles: true, cancelable: true };
          const event = new DragEvent('drop', options);
          document.querySelector('h1').dispatchEvent(event);
          if (!event.defaultPrevented) throw new Error('the browser would open it');
        }""",
        list(_relu((1, 64))),
    )
    state = page.locator("#model-state")
    expect(state).to_have_text("beside.tflite is on the board.", timeout=_PATIENCE)


# Models can be in C source, zip archives and gzip files; `tflm flatten` makes the same .tflm.
@pytest.mark.parametrize("kind", ["model.h", "model.zip", "model.tflite.gz"])
def test_containers(page, drop, kind):
    data = _relu((1, 64))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("exported/model.tflite", data)
    source = f"const unsigned char model[] = {{{', '.join(map(str, data))}}};"
    packed = {
        "model.h": source.encode(),
        "model.zip": archive.getvalue(),
        "model.tflite.gz": gzip.compress(data),
    }
    assert drop(kind, packed[kind]) == f"{kind} is on the board."
    with page.expect_download() as download:
        page.click("#get-flat")
    assert download.value.suggested_filename == "model.tflm"
    assert Path(download.value.path()).read_bytes() == flatten(data, target="armv6m")


# A visitor can choose a file twice, and the page reads it twice.
def test_same_file(page, drop, tmp_path):
    path = tmp_path / "same.tflite"
    for count in (64, 32):
        path.write_bytes(_relu((1, count)))
        page.set_input_files("#file", path)
        expect(page.locator("#inputs legend")).to_contain_text(f"1×{count}", timeout=_PATIENCE)
        assert not page.input_value("#file")


# The drawing of an arena keeps its size if it is narrow, and its texts stay inside.
def test_small_charts(page, drop):
    drop("small.tflite", _relu((1, 64)))
    for drawing in _report(page).locator(".fit svg").all():
        shown, natural = drawing.bounding_box()["width"], float(drawing.get_attribute("width"))
        assert shown <= natural + 1
        left = "(e) => Math.min(...[...e.querySelectorAll('text')].map((t) => t.getBBox().x))"
        assert drawing.evaluate(left) >= 0


def test_failed_run_clears_outputs(page, drop):
    drop("numbers.tflite", _relu((1, 64)))
    assert _run(page)
    page.locator("#inputs select").select_option("numbers")
    page.locator("#inputs textarea").fill("Infinity")
    page.click("#invoke")
    expect(page.locator("#model-state")).to_contain_text("not all of these are finite numbers")
    expect(page.locator("#outputs")).to_be_empty()
