# Tests of the page: digits that its board reads, and the board's prompt
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import math
import re
import time

import pytest
from by_unix_port import read_digits
from steps import answered, draw, load_factor, run_program, shows, type_line

_FIRST_SECONDS = 10


def test_first_answer(opened):
    begin = time.monotonic()
    digit, _, milliseconds = answered(opened())
    took = time.monotonic() - begin
    print(f"first answer after {took:.1f} s")
    assert digit == 3 and took < _FIRST_SECONDS * load_factor()
    assert 4 < milliseconds < 12  # 6 ms (docs/how-to/firmware.md), and more at the first invoke


def test_samples(page, repository):
    data = (repository / "firmware" / "apps" / "digits" / "rom" / "images").read_bytes()
    wanted = read_digits(repository, [list(data[64 * i : 64 * i + 64]) for i in range(10)])
    for digit in range(10):
        page.get_by_role("button", name=f"a {digit} of the test set").click()
        assert answered(page)[:2] == wanted[digit]


_CIRCLE = [(0.5 + 0.25 * math.sin(i / 3), 0.5 - 0.35 * math.cos(i / 3)) for i in range(20)]
_DRAWN = {
    "0": [_CIRCLE],
    "1": [[(0.4, 0.25), (0.52, 0.12), (0.52, 0.9)]],
    "7": [[(0.25, 0.15), (0.7, 0.15), (0.42, 0.9)]],
}


# The board's answer to drawn pixels equals the answer of the unix port.
def test_drawing(page, repository):
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
    assert list(found.values()) == read_digits(repository, pictures)
    assert [found[digit][0] for digit in found] == [0, 1, 7]


# Arrow keys move the pen, and the space bar lowers and lifts it.
def test_drawing_by_keys(page):
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
    "Profile": r"CONV_2D",
    "Two cores": r"2: \d+\.\d ms",
    "Blink": r"on\s+off\s+on",
}


@pytest.mark.parametrize("title", _SAID)
def test_program(page, title):
    type_line(page, "print(20 * '\\n', 'nothing', 'before')")
    shows(page, "nothing before")
    said = run_program(page, title)
    assert re.search(_SAID[title], said) and "Traceback" not in said


def test_program_stops(page):
    page.fill("#code", "print('it', 'runs')\nwhile True:\n    pass")
    page.click("#start")
    shows(page, "it runs")
    page.click("#stop")
    shows(page, "KeyboardInterrupt")
    page.click("#samples button:nth-child(5)")
    assert answered(page)[0] == 4


def test_restart(page):
    page.click("#restart")
    assert answered(page)[0] == 3
    shows(page, "MicroPython v")
