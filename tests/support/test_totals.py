# Tests of conftest.py: the line of totals at the end of a run
# MIT license; Copyright (c) 2026 the tflm authors

import subprocess
import sys
from pathlib import Path

import pytest

_CONFTEST = Path(__file__).parents[1] / "conftest.py"
_MIXED = """
import pytest
def test_pass(): pass
def test_fail(): assert 0
def test_skip(): pytest.skip("no reason")
@pytest.mark.xfail
def test_expected(): assert 0
@pytest.fixture
def broken(): raise ValueError
def test_error(broken): pass
"""


# Run pytest on one file beside a copy of conftest.py; return the last line and the exit code.
def last_line(folder: Path, text: str, *options: str) -> tuple[str, int]:
    (folder / "conftest.py").write_text(_CONFTEST.read_text())
    (folder / "test_it.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.stdout.splitlines()[-1], done.returncode


# Errors count as failed, expected failures as skipped; xdist's workers print nothing.
@pytest.mark.parametrize("options", [[], ["-q"], ["-n", "2"], ["-q", "-s"]], ids=" ".join)
def test_counts(tmp_path, options):
    assert last_line(tmp_path, _MIXED, *options) == ("1 passed, 2 failed, 2 skipped", 1)


# Without failures and skips, the line has only two numbers.
def test_only_passed(tmp_path):
    assert last_line(tmp_path, "def test_a(): pass") == ("1 passed, 0 failed", 0)


# A module that cannot be imported and an interrupted run count as failures.
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import nothing_of_that_name", "0 passed, 1 failed"),
        ("def test_a(): raise KeyboardInterrupt", "0 passed, 1 failed"),
    ],
    ids=["import", "interrupt"],
)
def test_broken_runs(tmp_path, text, line):
    last, code = last_line(tmp_path, text)
    assert last == line
    assert code == 2
