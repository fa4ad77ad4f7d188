# Tests of the page: workers that are missing, die or hang, and programs that restart the board
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from steps import answered, expect, run_code, shows, type_line

_PATIENCE = 120_000  # milliseconds; Python starts with the first model
_DIGITS = "digits_int8.tflite"
_MISSING = "could not be loaded; check the connection and try again"


@pytest.fixture
def visit(browser, address):
    """Return visit(pattern=""), which opens the page without files whose address fits `pattern`.

    visit() returns (page, heal): after heal(), these files can be loaded.
    """
    contexts = []

    def open_page(pattern=""):
        context = browser.new_context()
        contexts.append(context)
        if pattern:
            context.route(pattern, lambda route: route.abort())
        page = context.new_page()
        page.goto(address)
        return page, lambda: context.unroute(pattern)

    yield open_page
    for context in contexts:
        context.close()


def _choose(page):
    page.get_by_role("button", name=_DIGITS).click()


def _is_on_board(page):
    expect(page.locator("#model-state")).to_have_text(
        f"{_DIGITS} is on the board.", timeout=_PATIENCE
    )


# Each file of the tools can be missing once: a click later works.
@pytest.mark.parametrize(
    "pattern", ["**/python_worker.js", "**/pyodide.asm.wasm", "**/pyodide.mjs", "**/tools.zip"]
)
def test_tools_missing(visit, pattern):
    page, heal = visit(pattern)
    answered(page)
    _choose(page)
    expect(page.locator("#model-state")).to_contain_text(_MISSING, timeout=_PATIENCE)
    expect(page.locator("#busy")).not_to_be_visible()
    heal()
    _choose(page)
    _is_on_board(page)


# The page says that the visitor is offline, and reads the model when the network is back.
def test_tools_offline(visit):
    page, _ = visit()
    answered(page)
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.context.set_offline(True)
    page.reload()
    answered(page)
    _choose(page)
    expect(page.locator("#model-state")).to_contain_text("you are offline", timeout=_PATIENCE)
    page.context.set_offline(False)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    _is_on_board(page)


def _worker(page, name):
    (worker,) = (each for each in page.workers if each.evaluate("self.name") == name)
    return worker


# A worker that dies is replaced, and the new one gets the model.
def test_tools_die(visit):
    page, _ = visit()
    answered(page)
    _choose(page)
    _is_on_board(page)
    _worker(page, "python_worker.js").evaluate("self.close()")
    with page.expect_download(timeout=_PATIENCE) as download:
        page.click("#get-flat")
    assert download.value.suggested_filename == "digits_int8.tflm"
    _worker(page, "python_worker.js").evaluate("self.close()")
    _choose(page)
    _is_on_board(page)


def test_emulator_missing(visit):
    page, heal = visit("**/emulator_worker.js")
    expect(page.locator("#state")).to_contain_text(_MISSING)
    heal()
    page.click("#restart")
    assert answered(page)[0] == 3


def test_emulator_dies(visit):
    page, _ = visit()
    answered(page)
    _worker(page, "emulator_worker.js").evaluate("self.close()")
    expect(page.locator("#state")).to_contain_text(
        "The emulator had stopped, so the board was started"
    )
    assert answered(page)[0] == 3


# An emulator that hangs does not answer, and Restart replaces it.
def test_emulator_hangs(visit):
    page, _ = visit()
    answered(page)
    _worker(page, "emulator_worker.js").evaluate("setTimeout(() => { for (;;); })")
    page.click("#restart")
    expect(page.locator("#state")).to_contain_text("The emulator had stopped")
    assert answered(page)[0] == 3


@pytest.mark.parametrize("typed", [False, True])
def test_bootloader(page, typed):
    code = "import machine; machine.bootloader()"
    if typed:
        type_line(page, code)
    else:
        page.fill("#code", code)
        page.click("#start")
    expect(page.locator("#state")).to_contain_text("waits for a UF2 file as a USB drive")
    expect(page.locator("#start")).to_be_enabled()
    page.click("#restart")
    assert answered(page)[0] == 3


@pytest.mark.parametrize(
    "code",
    ["import sys; sys.exit()", "raise SystemExit", "import machine; machine.soft_reset()"],
)
def test_soft_reset(page, code):
    run_code(page, f"print('be' + 'fore')\n{code}", seconds=10)
    shows(page, "before")
    shows(page, "soft reboot")
    page.click("#samples button:nth-child(6)")
    assert answered(page)[0] == 5


def test_reset(page):
    run_code(page, "import machine; machine.reset()", seconds=10)
    shows(page, "The board was reset.")
    page.click("#samples button:nth-child(8)")
    assert answered(page)[0] == 7
    type_line(page, "'al' 'ive'")
    shows(page, "alive")


# A drawing waits for what runs or is typed at the prompt.
def test_drawing_waits(page):
    type_line(page, "n = 0")
    type_line(page, "while True: n += 1")
    page.keyboard.press("Enter")
    page.click("#samples button:nth-child(2)")
    expect(page.locator("#took")).to_contain_text("The prompt is in use.")
    page.click("#stop")
    shows(page, "KeyboardInterrupt")
    assert answered(page)[0] == 1
    page.locator("#terminal textarea").focus()
    page.keyboard.type("lost_")
    page.click("#samples button:nth-child(3)")
    expect(page.locator("#took")).to_contain_text("The prompt is in use.")
    page.locator("#terminal textarea").focus()
    page.keyboard.type("name1=1")
    page.keyboard.press("Enter")
    assert answered(page)[0] == 2
    type_line(page, "lost_name1 + 41")
    shows(page, "42")


def test_drawing_waits_for_program(page):
    page.fill("#code", "while True:\n    pass")
    page.click("#start")
    page.click("#samples button:nth-child(2)")
    expect(page.locator("#took")).to_contain_text(
        "The board still works on another part of this page"
    )
    page.click("#stop")
    assert answered(page)[0] == 1


# Run ends what runs at the prompt, and the terminal shows it.
def test_run_interrupts(page):
    type_line(page, "while True: pass")
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)
    run_code(page, "print('th' + 'en')")
    shows(page, "KeyboardInterrupt")
    shows(page, "then")


# A model that is flashed leaves the visitor's files on the board.
def test_files_stay(page):
    type_line(page, "f = open('mine', 'w'); f.write('kept'); f.close()")
    _choose(page)
    _is_on_board(page)
    type_line(page, "open('mine').read() + '!'")
    shows(page, "kept!")
    page.click("#restart")
    answered(page)
    type_line(page, "open('mine').read() + '?'")
    shows(page, "kept?")


def test_clear(page):
    page.click("#samples button:nth-child(2)")
    answered(page)
    page.click("#clear")
    assert not any(page.locator("#scores td:last-child").all_inner_texts())
    box, paper = (page.locator(name).bounding_box() for name in ("#clear", "#paper"))
    assert box["y"] >= paper["y"] + paper["height"]
