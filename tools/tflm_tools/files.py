# tflm_tools: files are read with errors in one sentence, and written whole or not at all
# MIT license; Copyright (c) 2026 the tflm authors

import os
import tempfile
from pathlib import Path

from .errors import ToolError


# What the system says about an error, in lower case like the rest of a sentence.
def _reason(error):
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def read(path):
    """The bytes of a file; raises ToolError when it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ToolError(f"cannot read {path}: {_reason(error)}; check the path") from None


def write(path, data):
    """Write bytes beside `path`, then rename: readers never see half a file."""
    path = Path(path)
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            temporary = file.name
            file.write(data)
        umask = os.umask(0)  # a temporary file is private; what it becomes should not be
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except OSError as error:
        raise ToolError(f"cannot write {path}: {_reason(error)}; check the folder") from None
    finally:
        if temporary and os.path.exists(temporary):
            os.remove(temporary)


def make_folder(path):
    """Make a folder with its parents; raises ToolError when it cannot be made."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(f"cannot make the folder {path}: {_reason(error)}") from None
