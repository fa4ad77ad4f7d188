# Tests of the page: symbols, sounds and motion that a visitor teaches to the board
# MIT license; Copyright (c) 2026 the tflm authors

import math
import time
import wave
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw
from steps import answered, draw_on, expect, load_factor
from tflm_tools.execution.device_model import invoke
from tflm_tools.inspection.inspection import inspect
from tflm_tools.model import arrays
from tflm_tools.model.model_file import open_model

_FIRST_SECONDS = 30  # until the board knows the first symbol
_EXAMPLES = 5
_PATIENCE = 60_000  # milliseconds
# Each symbol is a list of strokes of points 0..1.
_SYMBOLS = {
    "ring": [[(0.5 + 0.3 * math.sin(i / 3), 0.5 - 0.3 * math.cos(i / 3)) for i in range(20)]],
    "cross": [[(0.2, 0.2), (0.8, 0.8)], [(0.8, 0.2), (0.2, 0.8)]],
    "bar": [[(0.5, 0.15), (0.5, 0.85)]],
}


# The strokes of a symbol, as another hand would draw them.
def _drawn(name, seed):
    chance = np.random.default_rng(seed)
    scale, turn = chance.uniform(0.75, 1, 2), chance.uniform(-0.15, 0.15)
    strokes = []
    for stroke in _SYMBOLS[name]:
        points = (np.array(stroke) - 0.5) * scale
        points += chance.normal(0, 0.01, points.shape)
        turned = points @ [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
        strokes.append([tuple(point) for point in 0.5 + turned])
    return strokes


def _add(page, name):
    page.fill("#symbol-name", name)
    page.get_by_role("button", name="Add symbol").click()


def _draw(page, name, seed):
    draw_on(page, "#teach-paper", _drawn(name, seed))


def _teach(page, name):
    _add(page, name)
    for seed in range(_EXAMPLES):
        _draw(page, name, seed)
        page.get_by_role("button", name="The drawing is done").click()
    expect(page.locator("#teach-state")).to_contain_text(
        f"The board knows {name}.", timeout=_PATIENCE
    )


def _test(page, name, seed):
    page.check("#test")
    _draw(page, name, seed)
    expect(page.locator("#teach-state")).to_contain_text("ms on a Pico", timeout=_PATIENCE)
    found = page.inner_text("#symbol")
    page.evaluate("document.querySelector('#teach-state').textContent = ''")
    return found


@pytest.fixture(scope="module")
def taught(opened):
    """The page, offline, after the board has learned all symbols by drawings."""
    page = opened()
    answered(page)
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.context.set_offline(True)
    page.reload()
    answered(page)
    begin = time.monotonic()
    for i, name in enumerate(_SYMBOLS):
        _teach(page, name)
        if i == 0:
            page.took = time.monotonic() - begin
    return page


def test_first_symbol_in_time(taught):
    print(f"first symbol after {taught.took:.1f} s")
    assert taught.took < _FIRST_SECONDS * load_factor()


def test_recognizes(taught):
    found = [_test(taught, name, seed) for name in _SYMBOLS for seed in (100, 101)]
    assert found == [name for name in _SYMBOLS for _ in range(2)]


# A click on a picture removes this example.
def test_remove_one_picture(taught):
    pictures = taught.locator(".pictures button")
    before = pictures.count()
    _draw(taught, list(_SYMBOLS)[-1], 50)  # in the test mode it is no example
    assert pictures.count() == before
    taught.check("input[name=symbol] >> nth=0")
    _draw(taught, list(_SYMBOLS)[0], 51)
    expect(pictures).to_have_count(before + 1, timeout=_PATIENCE)
    expect(taught.locator("#symbols")).to_contain_text(f"{_EXAMPLES + 1} examples")
    pictures.nth(_EXAMPLES).click()
    expect(pictures).to_have_count(before)
    expect(taught.locator("#symbols")).not_to_contain_text(f"{_EXAMPLES + 1} examples")


# The exported model has the classes, and answers like the board for each picture that it learned.
def test_export(taught, repository):
    with taught.expect_download(timeout=_PATIENCE) as download:
        taught.click("#get-taught")
    assert download.value.suggested_filename == "taught.tflm"
    path = Path(download.value.path()).with_suffix(".tflm")
    path.write_bytes(Path(download.value.path()).read_bytes())
    model = open_model(path)
    labels = inspect(path).contents.labels
    assert labels == list(_SYMBOLS)
    samples = taught.evaluate(
        "[...document.querySelectorAll('.pictures canvas')].map((canvas) => "
        "[...canvas.getContext('2d').getImageData(0, 0, 8, 8).data]"
        ".filter((_, i) => i % 4 === 3).map((alpha) => Math.round(alpha / 255 * 16)))"
    )
    info = model.inputs[0]
    runs = [
        [arrays.quantize(np.array(pixels, np.float32).reshape(info.shape), info)]
        for pixels in samples
    ]
    scores = [run[0].reshape(-1) for run in invoke(model, runs).outputs]
    names = [labels[int(each.argmax())] for each in scores]
    assert names == [name for name in _SYMBOLS for _ in range(_EXAMPLES)]


# After a restart the board learns all examples again.
def test_restart(taught):
    taught.click("#restart")
    answered(taught)
    assert _test(taught, "cross", 102) == "cross"


def test_remove(taught):
    taught.get_by_role("button", name="Remove ring").click()
    assert _test(taught, "ring", 103) != "ring"


# A reload keeps the symbols, and the board learns them again.
def test_reload(taught):
    taught.reload()
    answered(taught)
    expect(taught.locator("#teach-state")).to_contain_text("Your symbols are here again.")
    expect(taught.locator(".pictures canvas")).to_have_count(_EXAMPLES * (len(_SYMBOLS) - 1))
    assert _test(taught, "cross", 104) == "cross"


def test_for_board(taught):
    taught.click("#use-taught")
    expect(taught.locator("#own-model")).to_have_text("taught.tflm", timeout=_PATIENCE)


# Write pictures of a symbol, one more than the page needs; return their paths.
def _pictures(folder, name):
    paths = []
    for seed in range(_EXAMPLES + 1):
        image = Image.new("L", (200, 160), 220)
        for stroke in _drawn(name, seed):
            points = [(160 * x, 160 * y) for x, y in stroke]
            ImageDraw.Draw(image).line(points, fill=30, width=14)
        paths.append(folder / f"{name}{seed}.png")
        image.save(paths[-1])
    return paths


# Pictures of symbols can be taught and tested, too.
def test_pictures(page, tmp_path):
    files = {name: _pictures(tmp_path, name) for name in ("ring", "bar")}
    for name, given in files.items():
        _add(page, name)
        page.set_input_files("#pictures", given[:-1])
        expect(page.locator("#teach-state")).to_contain_text(f"The board knows {name}")
    page.check("#test")
    for name, given in files.items():
        page.set_input_files("#pictures", given[-1])
        expect(page.locator("#symbol")).to_have_text(name)


# Write sounds of a word from models/keywords/words.wav, one more than the page needs. They begin
# at different times and differ in loudness and noise. Return their paths.
def _sounds(folder, repository, name, begin):
    with wave.open(str(repository / "models" / "keywords" / "words.wav")) as file:
        words = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float)
    chance = np.random.default_rng(int(1000 * begin))
    paths = []
    for i in range(_EXAMPLES + 1):
        first = int(16000 * (begin + chance.uniform(-0.1, 0.1)))
        sound = chance.uniform(0.6, 1.2) * words[first : first + 16000]
        sound += chance.normal(0, chance.uniform(10, 60), len(sound))
        paths.append(folder / f"{name}{i}.wav")
        with wave.open(str(paths[-1]), "wb") as file:
            file.setparams((1, 2, 16000, 0, "NONE", ""))
            file.writeframes(np.clip(sound, -32768, 32767).astype("<i2").tobytes())
    return paths


# Sounds of words are features of the front end, which the board computes.
def test_sounds(opened, repository, tmp_path):
    page = opened()
    answered(page)
    files = {
        name: _sounds(tmp_path, repository, name, begin)
        for name, begin in (("yes", 0.5), ("no", 1.6))
    }
    for name, given in files.items():
        begin = time.monotonic()
        _add(page, name)
        page.set_input_files("#pictures", given[:-1])
        expect(page.locator("#teach-state")).to_contain_text(
            f"The board knows {name}", timeout=2 * _PATIENCE
        )
        took = time.monotonic() - begin
        print(f"five sounds of {name} after {took:.1f} s")
        assert took < _FIRST_SECONDS * load_factor()
    page.check("#test")
    for name, given in files.items():
        page.set_input_files("#pictures", given[-1])
        expect(page.locator("#symbol")).to_have_text(name, timeout=_PATIENCE)
    page.set_input_files("#pictures", _pictures(tmp_path, "ring")[0])
    expect(page.locator("#teach-state")).to_have_text(
        "the board learns sounds now; remove these symbols before you add pictures"
    )
    with page.expect_download(timeout=_PATIENCE) as download:
        page.click("#get-taught")
    path = tmp_path / "taught.tflm"
    path.write_bytes(Path(download.value.path()).read_bytes())
    assert inspect(path).contents.labels == ["yes", "no"]
    assert open_model(path).inputs[0].shape == (1, 49, 1, 40)


# A program for the visitor's board that prints two seconds of motion in g.
_MOTION = """
import math
for i in range(96):
    sine, cosine = math.sin(i * {speed}), math.cos(i * {speed})
    print("%.4f,%.4f,%.4f" % ({x} * sine, {y} * cosine, 1 + {z} * sine))
"""
_MOTIONS = {
    "circle": {"x": 0.5, "y": 0.5, "z": 0, "speed": 0.15},
    "shake": {"x": 1.5, "y": 0, "z": 0.2, "speed": 1.2},
}


# The visitor's own board records motion by Web Serial.
def test_motion_of_own_board(opened):
    page = opened(script=Path(__file__).with_name("fake_serial.js").read_text())
    answered(page)
    page.click("#own-sensor summary")

    def record(name, scale):
        values = {key: scale * value for key, value in _MOTIONS[name].items()}
        page.fill("#sensor-program", _MOTION.format(**values))
        page.click("#record")

    for name in _MOTIONS:
        _add(page, name)
        for i in range(_EXAMPLES):
            record(name, 1 + 0.04 * i)
            expect(page.locator(".pictures canvas")).to_have_count(
                _EXAMPLES * list(_MOTIONS).index(name) + i + 1, timeout=_PATIENCE
            )
        expect(page.locator("#teach-state")).to_contain_text(
            f"The board knows {name}", timeout=_PATIENCE
        )
    page.check("#test")
    for name in _MOTIONS:
        record(name, 1.1)
        expect(page.locator("#symbol")).to_have_text(name, timeout=_PATIENCE)
    page.fill("#sensor-program", "print('1,2')")
    page.click("#record")
    expect(page.locator("#teach-state")).to_have_text(
        "the program printed 1 lines; print 96 lines x,y,z in g", timeout=_PATIENCE
    )


def test_names(page):
    page.fill("#symbol-name", "  ")
    page.get_by_role("button", name="Add symbol").click()
    expect(page.locator("#teach-state")).to_have_text("The symbol needs a name.")
    _add(page, "<b>")
    _add(page, "<b>")
    expect(page.locator("#teach-state")).to_have_text("<b> exists already; choose another name.")


# The visitor's board runs network and classes.
def test_own_board(opened, tmp_path):
    page = opened(script=Path(__file__).with_name("fake_serial.js").read_text())
    answered(page)
    for name in ("ring", "bar"):
        _add(page, name)
        page.set_input_files("#pictures", _pictures(tmp_path, name))
        expect(page.locator("#teach-state")).to_contain_text(f"The board knows {name}")
    page.click("#use-taught")
    expect(page.locator("#own-model")).to_have_text("taught.tflm", timeout=_PATIENCE)
    page.get_by_role("button", name="Send it to my board").click()
    expect(page.locator("#own-state")).to_have_text("Done.", timeout=3 * _PATIENCE)
    said, trace = page.evaluate(
        "code => navigator.serial.requestPort().then((port) => port.exec(code))",
        "import tflm; print(tflm.load('/rom/taught.tflm').labels())",
    )
    assert not trace and said.strip() == "['ring', 'bar']"
