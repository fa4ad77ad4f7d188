# tflm_tools: packages: what mpy-cross made before, for a place where it cannot run: the web page
# MIT license; Copyright (c) 2026 the tflm authors

import hashlib
import zipfile
from functools import cache
from pathlib import Path

ARCHIVE = Path(__file__).with_name("ready_made.zip")  # only the page has it


def name_of(source, name, arch):
    """The name that the .mpy of a source (str), its own name in it and an arch has there."""
    return hashlib.sha256(f"{arch}\n{name}\n{source}".encode()).hexdigest()[:24]


@cache
def _archive():
    return zipfile.ZipFile(ARCHIVE) if ARCHIVE.exists() else None


def find(source, name, arch):
    """The .mpy (bytes) of a source; None where there is none, or no archive."""
    archive = _archive()
    if archive is None:
        return None
    try:
        return archive.read(name_of(source, name, arch))
    except KeyError:
        return None
