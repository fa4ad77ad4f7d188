# Tests of the command that installs missing packages
# MIT license; Copyright (c) 2026 the tflm authors

import os
import shlex
import subprocess
import sys
from importlib import metadata

import pytest
from tflm_tools import extras


# The named packages are installed here in the pinned versions, so pip has nothing to install, and
# the command does not name a package of this project.
@pytest.mark.parametrize("extra", ["verify", "board", "report", "jobs", "dask", "search"])
def test_command_is_accepted_by_pip(extra, repository, monkeypatch):
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


def test_command_in_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert extras.installing("report").startswith(shlex.quote(sys.executable) + " -m pip install ")


# tflm runs from its sources and is not installed.
def test_command_without_installed_metadata(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(extras.metadata, "requires", missing)
    assert extras.installing("board").endswith(" -m pip install 'micropython-tflm[board]'")
