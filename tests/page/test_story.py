# Tests of the page: stories that the board writes, word by word
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from steps import answered, expect, run_code
from support.builder import ModelBuilder
from tflm_tools.language.write import write

_PATIENCE = 400_000  # milliseconds of a whole story
# Counts how often the shown text grows.
_WATCH = """() => {
  globalThis.growths = 0;
  const text = document.getElementById('story-text');
  new MutationObserver(() => growths++).observe(text, { childList: true });
}"""


def _begin(page, beginning, temperature, seed):
    page.fill("#story-begin", beginning)
    page.fill("#story-temperature", str(temperature))
    page.fill("#story-seed", str(seed))
    page.click("#story-write")


def _model(repository):
    return repository / "models" / "story" / "story_int8.tflite"


# The story equals the story of the unix port, and comes in many pieces.
def test_story(opened, repository):
    page = opened()
    answered(page)
    page.evaluate(_WATCH)
    _begin(page, "Once upon a time", 0.5, 1)
    expect(page.locator("#story-state")).to_contain_text("s on a Pico", timeout=_PATIENCE)
    options = {"temperature": 0.5, "seed": 1}
    words = list(write(_model(repository), "Once upon a time", **options))
    assert page.locator("#story-text").inner_text() == "Once upon a time" + "".join(words)
    assert page.evaluate("growths") > len(words) // 2 > 40
    assert page.input_value("#story-seed") == "2"


# A large model replaces the language model in flash, and the page then writes its own image again.
def test_after_large_model(opened, repository):
    page = opened()
    answered(page)
    weights = np.random.default_rng(5).integers(-127, 128, (150, 1024)).astype(np.int8)
    model = ModelBuilder("large")
    x = model.tensor((1, 1024), "int8", scale=0.1, zero_point=0)
    w = model.tensor(weights.shape, "int8", weights, scale=0.01, zero_point=0)
    y = model.tensor((1, 150), "int8", scale=0.5, zero_point=0)
    model.operator("FULLY_CONNECTED", [x, w], [y])
    model.io([x], [y])
    given = {"name": "large.tflite", "mimeType": "", "buffer": model.build()}
    page.set_input_files("#file", given)
    state = page.locator("#model-state")
    expect(state).to_have_text("large.tflite is on the board.", timeout=_PATIENCE)
    _begin(page, "Tom was", 0, 1)
    expect(page.locator("#story-text")).to_contain_text("Tom was a little boy", timeout=_PATIENCE)
    page.click("#story-stop")
    expect(page.locator("#story-state")).to_have_text("The story is stopped.", timeout=_PATIENCE)
    wanted = "Tom was" + "".join(write(_model(repository), "Tom was", temperature=0))
    assert wanted.startswith(page.locator("#story-text").inner_text())
    page.click("#invoke")
    expect(state).to_contain_text("ms on a Pico", timeout=_PATIENCE)


# A board whose heap is full of other models starts again.
def test_full_heap(opened):
    page = opened()
    answered(page)
    run_code(page, "import teach\nteach._use('sound')\nkept = bytearray(80000)")
    _begin(page, "Tom was", 0, 1)
    state = page.locator("#story-state")
    expect(state).to_contain_text("memory is full", timeout=_PATIENCE)
    expect(page.locator("#story-text")).to_contain_text("Tom was a", timeout=_PATIENCE)
    page.click("#story-stop")
    expect(state).to_have_text("The story is stopped.", timeout=_PATIENCE)


def test_long_beginning(opened):
    page = opened()
    answered(page)
    _begin(page, 200 * "ü", 0.5, 1)
    expect(page.locator("#story-state")).to_contain_text("shorten the prompt", timeout=_PATIENCE)
    expect(page.locator("#story-write")).to_be_enabled()
