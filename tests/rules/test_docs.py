# Rules for the documentation: links lead somewhere, generated pages are up to date
# MIT license; Copyright (c) 2026 the tflm authors

import importlib.util
import re

import pytest
from rules.sources import REPOSITORY

_PAGES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "models/*.md", "tests/*.md")
    for path in REPOSITORY.glob(pattern)
)


@pytest.mark.parametrize("page", _PAGES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_links(page):
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_operators_are_up_to_date():
    path = REPOSITORY / "tests" / "tools" / "ops_table.py"
    spec = importlib.util.spec_from_file_location("ops_table", path)
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    assert table.PAGE.read_text() == table.page(), "docs/ops.md is old; run: make docs"
