# Tests of the page: manners: colours, narrow screens, names for screen readers
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from steps import answered

_SIZES = {"wide": (1280, 900), "narrow": (360, 740)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", _SIZES)
def test_looks(opened, pictures, scheme, size):
    width, height = _SIZES[size]
    page = opened(color_scheme=scheme, viewport={"width": width, "height": height})
    answered(page)
    page.screenshot(path=pictures / f"{size}-{scheme}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = sum(int(part) for part in paper[4:-1].split(",")) > 3 * 128
    assert light == (scheme == "light")


# Whatever can be reached with TAB has a name, and TAB gets out of the terminal.
def test_keyboard(page):
    page.evaluate("document.activeElement.blur()")
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("!!document.activeElement.closest('#terminal')"):
            page.keyboard.press("Escape")
        name = page.evaluate(
            "(e => e.id || e.getAttribute('aria-label') || e.textContent.trim())"
            "(document.activeElement)"
        )
        assert name
        reached.append(name)
        if "Licences" in name:
            break
    assert {"paper", "clear", "restart", "code", "start", "stop"} <= set(reached)


def test_headings_and_landmarks(page):
    for heading in ("Draw a digit", "Its prompt", "Your board"):
        assert page.get_by_role("region", name=heading).count() == 1
    assert page.get_by_role("main").count() == page.get_by_role("navigation").count() == 1
