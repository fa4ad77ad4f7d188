# Tests of the page, which `make -C page test` runs
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
for _folder in (_HERE, _ROOT / "firmware", _ROOT / "page", _ROOT / "page" / "python"):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))
_PAGE = _ROOT / "dist" / "page"
_PICTURES = _ROOT / "build" / "page" / "screenshots"


# Without --page, only tests that need no browser run.
def pytest_collection_modifyitems(config, items):
    if config.option.page:
        return
    skip = pytest.mark.skip(reason="`make -C page test` runs this")
    for item in items:
        if _HERE in item.path.parents and not item.get_closest_marker("quick_page"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def built_page():
    """Folder that `make -C page` has built."""
    return _PAGE


@pytest.fixture(scope="session")
def address(built_page):
    """Address at which this folder is served."""
    from visiting import served

    with served(built_page) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    from visiting import chromium

    with chromium() as browser:
        yield browser


# Warnings of xterm.js about slow tasks depend on the load of the machine and do not count.
def _complaints(message):
    busy = message.text.startswith("task queue exceeded allotted deadline")
    return [message.text] if message.type in ("error", "warning") and not busy else []


@pytest.fixture(scope="module")
def opened(browser, address):
    """Return opened(script="", **options), which opens the page and does not wait for its board.

    script: runs before the page's scripts. options: for the browser's context. The teardown fails
    if a page logged an error or a warning, or contacted a server other than its own.
    """
    contexts, faults = [], []

    def watch(request):
        if not request.url.startswith((address, "data:", "blob:")):
            faults.append(f"asked {request.url}")

    def open_page(script="", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.on("request", watch)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda m: faults.extend(_complaints(m)))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture(scope="module")
def page(opened):
    """The page after the board has read its first digit."""
    from steps import answered

    page = opened()
    answered(page)
    return page


@pytest.fixture
def pictures():
    """Folder of the screenshots, which people look at."""
    _PICTURES.mkdir(parents=True, exist_ok=True)
    return _PICTURES
