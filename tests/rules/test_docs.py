# Rules for the documentation: valid links, generated pages up to date
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
        "docs/**/*.md",
        "models/**/*.md",
        "tests/*.md",
        "boards/*.md",
        "examples/*.md",
        "page/*.md",
        "release/*.md",
        "tools/**/*.md",
    )
    for path in REPOSITORY.glob(pattern)
)


# The anchors of a page's headings, as GitHub makes them.
def _anchors(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    titles = re.findall(r"^#+ +(.+?) *$", text, re.M)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


@pytest.mark.parametrize("page", _PAGES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_links(page):
    for target, _, anchor in re.findall(r"\]\(([^)#\s]*)(#([^)\s]+))?\)", page.read_text()):
        # ../../deployments of the README is a page of the host beside the repository's files.
        if not re.match(r"[a-z]+:|\.\./\.\./deployments$", target):
            path = page.parent / target if target else page
            assert path.exists(), f"{page.name} links to {target}"
            if anchor and path.suffix == ".md":
                assert anchor in _anchors(path), f"{page.name} links to {target}#{anchor}"


# A program of tools/docs that writes a page.
def _tool(name):
    path = REPOSITORY / "tools" / "docs" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def test_operators_are_up_to_date():
    table = _tool("operators_page")
    assert table.PAGE.read_text() == table.page(), f"{table.PAGE.name} is old; run: make docs"


# errors.md has every message of the sources, and a remedy for each.
def test_errors_are_up_to_date():
    errors = _tool("errors_page")
    text = errors.page()
    lacking = re.findall(r"^\| `\w+Error` \| (.*) \|  \|$", text, re.M)
    assert not lacking, "add a remedy after a semicolon, or to tools/docs/errors_page.py"
    assert errors.PAGE.read_text() == text, f"generated/{errors.PAGE.name} is old; run: make docs"


def test_api_is_up_to_date():
    api = _tool("api_page")
    assert api.PAGE.read_text() == api.page(), f"{api.PAGE.name} is old; run: make docs"


# The tables of docs/data are the only source of the benchmarks.
def test_benchmarks_are_up_to_date():
    benchmarks = _tool("benchmarks_page")
    page = benchmarks.PAGE
    assert page.read_text() == benchmarks.page(), f"{page.name} is old; run: make docs"
    for path in (REPOSITORY / "docs" / "data").glob("*.csv"):
        assert f"../data/{path.name}" in page.read_text(), f"{page.name} lacks {path.name}"


# Every pinned package has a licence and a purpose; the metadata of installed packages agree.
def test_licences():
    licences = _tool("licences_page")
    stated = {name for name, _, licence, _, _ in licences.packages() if licence}
    assert {name for name, *_ in licences.packages()} == stated
    page = licences.PAGE
    assert page.read_text() == licences.page(), f"{page.name} is old; run: make docs"


_FAMILIES = {"MIT": "MIT", "BSD": "BSD", "Apache": "Apache", "GPL": "GPL|General Public"}


# Packages whose metadata name the licence of the Python bindings, not of the library.
_BINDINGS = {"unicorn": "BSD"}


@pytest.mark.parametrize("row", _tool("licences_page").packages(), ids=lambda row: row[0])
def test_licences_are_true(row):
    name, _, licence, _, _ = row
    try:
        data = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    classifiers = " ".join(c for c in data.get_all("Classifier", []) if "License" in c)
    stated = " ".join([data.get("License-Expression") or data.get("License") or "", classifiers])
    family = next((words for start, words in _FAMILIES.items() if licence.startswith(start)), None)
    family = _BINDINGS.get(name, family)
    if stated.strip() and family:
        assert re.search(family, stated), f"{name} says {stated[:80]!r}"
