# Tests of the page: actions of a visitor, and what the page shows then
# MIT license; Copyright (c) 2026 the tflm authors

import os

import pytest

# Only `make -C page test` installs it.
expect = pytest.importorskip("playwright.sync_api", reason="`make -C page test` runs this").expect

_PATIENCE = 60_000  # milliseconds: the emulated board is slower than a real one
expect.set_options(timeout=_PATIENCE)


def load_factor():
    """Return the number of processes per core, at least 1: work takes longer by this factor."""
    return max(1, os.getloadavg()[0] / os.cpu_count())


def answered(page):
    """Wait for the board's answer; return the digit, its scores in percent, and milliseconds."""
    expect(page.locator("#took")).to_contain_text("ms on a Pico", timeout=_PATIENCE)
    shares = page.locator("#scores td:last-child").all_inner_texts()
    scores = [int(text.split()[0]) for text in shares]
    milliseconds = float(page.inner_text("#took").split()[0])
    return int(page.inner_text("#answer")), scores, milliseconds


def draw_on(page, paper, strokes):
    """Draw strokes of points 0..1 with the pointer on a canvas."""
    page.locator(paper).scroll_into_view_if_needed()
    box = page.locator(paper).bounding_box()
    for stroke in strokes:
        points = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in stroke]
        page.mouse.move(*points[0])
        page.mouse.down()
        for point in points[1:]:
            page.mouse.move(*point)
        page.mouse.up()


def draw(page, strokes):
    """Draw a digit; return the result of answered()."""
    page.click("#clear")
    draw_on(page, "#paper", strokes)
    return answered(page)


def type_line(page, text):
    """Type a line at the board's prompt."""
    page.locator("#terminal textarea").focus()
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def shows(page, text):
    """Wait until the terminal shows a text."""
    expect(page.locator("#terminal .xterm-rows")).to_contain_text(text, timeout=_PATIENCE)


def run_program(page, title):
    """Run a program of the gallery to its end; return the lines that the terminal shows then."""
    page.locator("#programs").get_by_role("button", name=title, exact=True).click()
    expect(page.locator("#start")).to_be_enabled(timeout=2 * _PATIENCE)
    page.wait_for_timeout(200)  # the terminal draws one frame later
    return page.locator("#terminal .xterm-rows").inner_text().replace("\xa0", " ")


def run_code(page, code, seconds=_PATIENCE // 1000):
    """Run a program of the text field to its end, which must come within `seconds`."""
    page.fill("#code", code)
    page.click("#start")
    expect(page.locator("#start")).to_be_enabled(timeout=1000 * seconds)
