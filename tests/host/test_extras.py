# Tests of how to install what is missing: the command works, however tflm came here
# MIT license; Copyright (c) 2026 the tflm authors

import os
import shlex
import subprocess
import sys
from importlib import metadata

import pytest
from tflm_tools import extras


# What is named is there, in the versions that pyproject.toml pins: pip has nothing left to do, and
# asks no registry for a package of this project.
@pytest.mark.parametrize("extra", ["verify", "board", "report", "jobs", "dask", "search"])
def test_the_command_works(extra, repository, monkeypatch):
    monkeypatch.chdir(repository)
    command = extras.installing(extra)
    python, *words = shlex.split(command)
    assert os.path.samefile(python, sys.executable)
    assert words[:3] == ["-m", "pip", "install"] and "micropython-tflm" not in command
    done = subprocess.run(
        [python, *words, "--no-index", "--dry-run"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "Would install" not in done.stdout


def test_from_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert extras.installing("report").startswith(shlex.quote(sys.executable) + " -m pip install ")


# Run from sources that nobody has installed.
def test_not_installed(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(extras.metadata, "requires", missing)
    assert extras.installing("board").endswith(" -m pip install 'micropython-tflm[board]'")
