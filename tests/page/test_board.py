# Tests of the page: the digits and the prompt of its board
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import math
import re
import time

import numpy as np
import pytest
from steps import answered, draw, run_program, shows, type_line
from tflm_tools.model import arrays
from tflm_tools.model.model_file import open_model
from tflm_tools.run.device_model import invoke

_FIRST_SECONDS = 10


# Digit and scores in percent of 64 pixels, by the unix port.
def _by_unix_port(repository, pictures):
    model = open_model(repository / "models" / "digits" / "digits_int8.tflite")
    info = model.inputs[0]
    runs = [
        [arrays.quantize(np.array(pixels, np.float32).reshape(info.shape), info)]
        for pixels in pictures
    ]
    found = []
    for (scores,) in invoke(model, runs).outputs:
        real = arrays.dequantize(scores, model.outputs[0]).reshape(-1)
        found.append((int(real.argmax()), [math.floor(100 * score + 0.5) for score in real]))
    return found


def test_first_answer(opened):
    begin = time.monotonic()
    digit, _, milliseconds = answered(opened())
    took = time.monotonic() - begin
    print(f"first answer after {took:.1f} s")
    assert digit == 3 and took < _FIRST_SECONDS
    assert 6 < milliseconds < 12  # docs/boards.md: some 10 at its first invoke


def test_samples(page, repository):
    data = (repository / "firmware" / "apps" / "digits" / "rom" / "images").read_bytes()
    wanted = _by_unix_port(repository, [list(data[64 * i : 64 * i + 64]) for i in range(10)])
    for digit in range(10):
        page.get_by_role("button", name=f"a {digit} of the test set").click()
        assert answered(page)[:2] == wanted[digit]


_CIRCLE = [(0.5 + 0.25 * math.sin(i / 3), 0.5 - 0.35 * math.cos(i / 3)) for i in range(20)]
_DRAWN = {
    "0": [_CIRCLE],
    "1": [[(0.4, 0.25), (0.52, 0.12), (0.52, 0.9)]],
    "7": [[(0.25, 0.15), (0.7, 0.15), (0.42, 0.9)]],
}


# What is drawn comes to the board as pixels, of which the unix port thinks the same.
def test_drawn(page, repository):
    type_line(page, "import draw; asked=draw.read")
    type_line(page, "draw.read=lambda p:(globals().update(pixels=p),asked(p))[1]")
    found, pictures = {}, []
    for digit, strokes in _DRAWN.items():
        found[digit] = draw(page, strokes)[:2]
        type_line(page, f"print({digit}, list(pixels), 'end')")
        shows(page, f"{digit} [")
        shows(page, "'end')")
        page.wait_for_timeout(500)
        text = page.locator("#terminal .xterm-rows").inner_text()
        numbers = re.findall(rf"{digit}\s(\[[\d,\s]+\])\s*end", re.sub(r"\s+", " ", text))
        pictures.append(ast.literal_eval(re.sub(r"(?<=\d) (?=\d)", "", numbers[-1])))
    assert list(found.values()) == _by_unix_port(repository, pictures)
    assert [found[digit][0] for digit in found] == [0, 1, 7]


# Without a pointer: arrow keys move the pen, the space bar lowers and lifts it.
def test_drawn_by_keys(page):
    page.click("#clear")
    page.locator("#paper").focus()
    for keys in (["ArrowUp"] * 5, [" "], ["ArrowDown"] * 11, [" "]):
        for key in keys:
            page.keyboard.press(key)
    assert answered(page)[0] == 1


def test_prompt(page):
    type_line(page, "6*7000")
    shows(page, "42000")
    page.keyboard.press("ArrowUp")
    page.keyboard.type("+1")
    page.keyboard.press("Enter")
    shows(page, "42001")
    type_line(page, "import tflm")
    page.keyboard.type("tflm.Interp")
    page.keyboard.press("Tab")
    shows(page, "tflm.Interpreter")
    page.keyboard.press("Enter")
    type_line(page, "while True: pass")
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)
    page.keyboard.press("Control+c")
    shows(page, "KeyboardInterrupt")


_SAID = {
    "Digits": r"this is 9 \(\d+ %\)",
    "Hello world": r"6\.03  -0\.\d\d +\*",
    "Keywords": r"s  (yes|no|stop)",
    "Profile": r"CONV_2D",
    "Two cores": r"2: \d+\.\d ms",
}


@pytest.mark.parametrize("title", _SAID)
def test_program(page, title):
    type_line(page, "print(20 * '\\n', 'nothing', 'before')")
    shows(page, "nothing before")
    said = run_program(page, title)
    assert re.search(_SAID[title], said) and "Traceback" not in said


def test_program_stops(page):
    page.fill("#code", "while True:\n    pass")
    page.click("#start")
    page.wait_for_timeout(1000)
    page.click("#stop")
    shows(page, "KeyboardInterrupt")
    page.click("#samples button:nth-child(5)")
    assert answered(page)[0] == 4


def test_restart(page):
    page.click("#restart")
    assert answered(page)[0] == 3
    shows(page, "MicroPython v")
