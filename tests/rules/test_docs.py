# Rules for the documentation: links lead somewhere, generated pages are up to date
# MIT license; Copyright (c) 2026 the tflm authors

import importlib.metadata
import importlib.util
import re

import pytest
from rules.sources import REPOSITORY

_PAGES = sorted(
    path
    for pattern in (
        "*.md",
        "docs/*.md",
        "models/*.md",
        "tests/*.md",
        "boards/*.md",
        "examples/*.md",
    )
    for path in REPOSITORY.glob(pattern)
)


@pytest.mark.parametrize("page", _PAGES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_links(page):
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


# A program of tests/tools that writes a page.
def _tool(name):
    path = REPOSITORY / "tests" / "tools" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def test_operators_are_up_to_date():
    table = _tool("ops_table")
    assert table.PAGE.read_text() == table.page(), "docs/ops.md is old; run: make docs"


# docs/errors.md has every message of the sources, and a remedy for each.
def test_errors_are_up_to_date():
    errors = _tool("errors_page")
    text = errors.page()
    lacking = re.findall(r"^\| `\w+Error` \| (.*) \|  \|$", text, re.M)
    assert not lacking, "say what to do behind a semicolon, or in tests/tools/errors_page.py"
    assert errors.PAGE.read_text() == text, "docs/errors.md is old; run: make docs"


# Every pinned package has licence and purpose, and those that are installed say the same.
def test_licences():
    licences = _tool("licences_page")
    told = {name for name, _, licence, _, _ in licences.packages() if licence}
    assert {name for name, *_ in licences.packages()} == told
    assert licences.PAGE.read_text() == licences.page(), "docs/licences.md is old; run: make docs"


_FAMILIES = {"MIT": "MIT", "BSD": "BSD", "Apache": "Apache", "GPL": "GPL|General Public"}


# Where the metadata name the licence of the Python bindings, and the library itself has another.
_BINDINGS = {"unicorn": "BSD"}


@pytest.mark.parametrize("row", _tool("licences_page").packages(), ids=lambda row: row[0])
def test_licences_are_true(row):
    name, _, licence, _, _ = row
    try:
        data = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    classifiers = " ".join(c for c in data.get_all("Classifier", []) if "License" in c)
    told = " ".join([data.get("License-Expression") or data.get("License") or "", classifiers])
    family = next((words for start, words in _FAMILIES.items() if licence.startswith(start)), None)
    family = _BINDINGS.get(name, family)
    if told.strip() and family:
        assert re.search(family, told), f"{name} says {told[:80]!r}"
