# Tests of the language checks of `make lint`: each rule finds a fault
# MIT license; Copyright (c) 2026 the tflm authors

import subprocess
import sys
from pathlib import Path

import pytest
from rules.sources import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tools"))

from style import check


@pytest.mark.parametrize(
    "name, text, faults",
    [
        ("a.py", "rooms = 1\n", ["the name rooms says nothing"]),
        ("a.py", "def f(way):\n    pass\n", ["the name way says nothing"]),
        (
            "a.py",
            "x = 1\n# The" + " same for y.\ny = 1\n",
            ["a comment that needs the comment above"],
        ),
        ("a.py", "# The sums are the same.\nspace = 1\n", []),
        ("a.md", "word " * 201 + "\n", ["a line of 1005 characters"]),
        ("a.md", "word " * 200 + "\n", []),
    ],
)
def test_faults(name, text, faults, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    found = [fault for _, fault in check._faults(path)]
    assert len(found) == len(faults)
    assert all(fault.startswith(start) for fault, start in zip(found, faults, strict=True))


# Names that are not in a file any more are removed from the list of exceptions.
def test_exceptions_are_used(monkeypatch):
    exceptions = dict(check._PUBLIC)
    monkeypatch.setattr(check, "_PUBLIC", {})
    for name, names in exceptions.items():
        faults = " ".join(fault for _, fault in check._faults(Path(name)))
        assert not [word for word in names if f"the name {word} says" not in faults], name


# codespell uses the word list of pyproject.toml, also for terms of several words.
def test_words(tmp_path):
    path = tmp_path / "text.md"
    path.write_text("The bits lie" + " behind the header, but" + " for one.\n")
    command = [Path(sys.executable).with_name("codespell"), path]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    found = {line.split(": ")[1].split(" ==>")[0] for line in done.stdout.splitlines()}
    assert found == {"lie", "behind", "but for"}
