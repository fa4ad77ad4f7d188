# Tests of the page: words of a recording and of the visitor's microphone, which the board detects
# MIT license; Copyright (c) 2026 the tflm authors

import re
import wave

import numpy as np
import pytest
from by_unix_port import detected_words
from steps import answered, expect

_PATIENCE = 180_000  # milliseconds; the board hears more slowly than a real one
_PIECE = 8000  # samples
# Collects the samples that the page stores into the board's RAM.
_WATCH = """
globalThis.stored = [];
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  if (message?.kind === 'store') stored.push(btoa(String.fromCharCode(...message.bytes)));
  return post.call(this, message, ...rest);
};
"""
_PIECES = "stored.map((text) => Array.from(atob(text), (letter) => letter.charCodeAt(0)))"


def _shown(page):
    items = page.locator("#words li").all_inner_texts()
    found = [re.fullmatch(r"(\w+) (\d+) %, after ([\d.]+) s", text).groups() for text in items]
    return [(float(second), label, int(percent)) for label, percent, second in found]


# Return the samples that the page has stored; the byte after each piece is its state.
def _stored(page):
    pieces = [bytes(piece) for piece in page.evaluate(_PIECES)]
    assert {len(piece) for piece in pieces} == {2 * _PIECE + 1}
    assert [piece[-1] for piece in pieces] == [1] * (len(pieces) - 1) + [2]
    return np.frombuffer(b"".join(piece[:-1] for piece in pieces), "<i2")


def _samples(path):
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")


def _ends(page):
    expect(page.locator("#listen-start")).to_be_enabled(timeout=_PATIENCE)
    expect(page.locator("#listen-state")).to_have_text(
        re.compile(r"The board has heard [\d.]+ s.")
    )
    expect(page.locator("#listen-stop")).to_be_disabled()


def test_recording(opened, repository, tmp_path):
    page = opened(_WATCH)
    answered(page)
    page.click("#listen-play")
    _ends(page)
    wanted = _samples(repository / "models" / "keywords" / "words.wav")
    stored = _stored(page)
    # Chromium divides some samples by 32767.
    difference = stored[: len(wanted)].astype(int) - wanted
    assert np.abs(difference).max() <= 1 and not stored[len(wanted) :].any()
    shown = _shown(page)
    assert [label for _, label, _ in shown] == ["yes", "no", "stop"]
    assert shown == detected_words(stored, tmp_path)


# Chromium plays words.wav as its microphone (visiting.py).
def test_microphone(opened, tmp_path):
    page = opened(_WATCH, permissions=["microphone"])
    answered(page)
    page.click("#listen-start")
    expect(page.locator("#listen-stop")).to_be_enabled()
    page.wait_for_timeout(5500)
    page.click("#listen-stop")
    _ends(page)
    stored = _stored(page)
    assert len(stored) > 4 * 16000 and np.abs(stored.astype(int)).max() > 1000
    shown = _shown(page)
    assert [label for _, label, _ in shown] == ["yes", "no", "stop"]
    assert shown == detected_words(stored, tmp_path)


def test_no_permission(opened):
    page = opened()
    answered(page)
    page.click("#listen-start")
    expect(page.locator("#listen-state")).to_have_text(
        "the browser may not use your microphone; allow it beside the address, then press the "
        "button again"
    )
    expect(page.locator("#listen-start")).to_be_enabled()


# A restart of the board ends the sound, and the next one works.
@pytest.mark.parametrize("how", ["restart", "stop"])
def test_interrupted(opened, how):
    page = opened()
    answered(page)
    page.click("#listen-play")
    expect(page.locator("#listen-state")).to_contain_text("has heard", timeout=_PATIENCE)
    page.click(f"#{how}")
    said = {"restart": "the board was started again; repeat the command", "stop": "Interrupt"}
    expect(page.locator("#listen-state")).to_contain_text(said[how], timeout=_PATIENCE)
    expect(page.locator("#listen-play")).to_be_enabled()
    answered(page)
    page.click("#listen-play")
    expect(page.locator("#words")).to_contain_text("yes", timeout=_PATIENCE)
