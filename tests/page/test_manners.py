# Tests of the page: colours, narrow screens, names for screen readers, network access, long tasks
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from steps import answered, expect, load_factor

_MAX_TASK = 200  # milliseconds that a task of the page may take on an idle machine
_WATCH = """
globalThis.tasks = [];
new PerformanceObserver((list) => tasks.push(...list.getEntries().map((task) => task.duration)))
  .observe({ type: 'longtask', buffered: true });
"""
_SIZES = {"wide": (1280, 900), "middle": (768, 1024), "narrow": (360, 740)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", _SIZES)
def test_looks(opened, pictures, scheme, size):
    width, height = _SIZES[size]
    page = opened(color_scheme=scheme, viewport={"width": width, "height": height})
    answered(page)
    page.screenshot(path=pictures / f"{size}-{scheme}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = sum(int(value) for value in paper[4:-1].split(",")) > 3 * 128
    assert light == (scheme == "light")


# Bars and the light keep a colour where the system replaces backgrounds.
def test_forced_colours(opened):
    page = opened(forced_colors="active")
    answered(page)
    read = "(name) => getComputedStyle(document.querySelector(name)).backgroundColor"
    paper = page.evaluate(read, "body")
    assert page.evaluate(read, "#scores .best i") not in (paper, page.evaluate(read, "#scores i"))
    assert page.evaluate(read, ".light.on") != paper


# Each element that TAB reaches has a name, and TAB leaves the terminal after Esc.
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
    for heading in ("Draw a digit", "The board's Python prompt", "Your board"):
        assert page.get_by_role("region", name=heading).count() == 1
    assert page.get_by_role("main").count() == page.get_by_role("navigation").count() == 1


# After the first visit, the board and the digits work without a network.
def test_offline(opened):
    page = opened()
    answered(page)
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.context.set_offline(True)
    page.reload()
    assert answered(page)[0] == 3


# Tries to contact another server; returns the directive of the policy that forbids it.
_CONTACT_ANOTHER_SERVER = """() => new Promise((resolve) => {
  const report = (event) => resolve(event.effectiveDirective);
  self.addEventListener('securitypolicyviolation', report);
  fetch('http://localhost:9/').catch(() => setTimeout(resolve, 1000, 'nothing'));
})"""


# Neither the page nor a worker, which may hold a visitor's model, can contact another server.
def test_no_other_server(browser, address):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        answered(page)
        page.get_by_role("button", name="hello_world_float.tflite").click()
        result = page.locator("#inspection:visible, #report:visible")
        expect(result.first).to_be_visible()
        assert len(page.workers) == 2
        for each in [page, *page.workers]:
            assert each.evaluate(_CONTACT_ANOTHER_SERVER) == "connect-src"


# The board and Python work elsewhere: the page answers while it starts, reads, and takes a model.
def test_never_freezes(opened):
    page = opened()
    page.evaluate(_WATCH)
    answered(page)
    page.get_by_role("button", name="keywords_int8.tflite").click()
    expect(page.locator("#model-state")).to_contain_text("is on the board", timeout=120_000)
    longest = page.evaluate("Math.max(0, ...tasks)")
    print(f"longest task of the page: {longest:.0f} ms")
    assert longest < _MAX_TASK * load_factor()
