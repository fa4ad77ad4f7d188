# tflm_tools: remembers the last times of a model, in the user's folder for caches
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from tflm.errors import TflmError

from .. import files

_MOST = 200  # runs that are kept; the oldest go first
_VERSION = 1


def folder():
    """$TFLM_CACHE, or tflm in the folder that the system has for caches."""
    given = os.environ.get("TFLM_CACHE")
    if given:
        return Path(given)
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "tflm"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "tflm"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "tflm"


# What is kept: {key: entry}, the latest last. A file that is none counts as empty.
def _read():
    try:
        data = json.loads((folder() / "bench.json").read_text())
        if data["version"] == _VERSION and isinstance(data["runs"], dict):
            return data["runs"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {}


def last(key):
    """The entry (a dict) that note() was given last with a key, or None."""
    entry = _read().get(key)
    return entry if isinstance(entry, dict) else None


def note(key, entry):
    """Keep an entry; where the folder cannot be written, nothing is kept and nobody minds."""
    runs = _read()
    runs.pop(key, None)
    runs[key] = entry
    for old in list(runs)[:-_MOST]:
        del runs[old]
    with suppress(TflmError):
        files.make_folder(folder())
        text = json.dumps({"version": _VERSION, "runs": runs})
        files.write(folder() / "bench.json", text.encode())
