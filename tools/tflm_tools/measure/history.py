# tflm_tools: history: stores the last times of a model in the user's cache folder
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from tflm.errors import TflmError

from .. import files

_MAX_RUNS = 200  # that are stored; the oldest are removed first
_VERSION = 1


def folder():
    """Return the path in $TFLM_CACHE, or the folder tflm in the system's cache folder."""
    given = os.environ.get("TFLM_CACHE")
    if given:
        return Path(given)
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "tflm"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "tflm"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "tflm"


# {key: entry} of the file, the latest last; {} if the file is missing or damaged.
def _read():
    try:
        data = json.loads((folder() / "bench.json").read_text())
        if data["version"] == _VERSION and isinstance(data["runs"], dict):
            return data["runs"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {}


def last(key):
    """Return the last entry (a dict) that note() stored for a key, or None."""
    entry = _read().get(key)
    return entry if isinstance(entry, dict) else None


def note(key, entry):
    """Store an entry (a dict) for a key. If the folder cannot be written, do nothing."""
    runs = _read()
    runs.pop(key, None)
    runs[key] = entry
    for old in list(runs)[:-_MAX_RUNS]:
        del runs[old]
    with suppress(TflmError):
        files.make_folder(folder())
        text = json.dumps({"version": _VERSION, "runs": runs})
        files.write(folder() / "bench.json", text.encode())
