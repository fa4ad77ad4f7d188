# tflm_tools: files are read with errors in one sentence, and written whole or not at all
# MIT license; Copyright (c) 2026 the tflm authors

import os
import stat
import tempfile
from pathlib import Path

from .errors import ToolError

_PIECE = 1 << 24  # bytes
_MOST = 1 << 31  # no .tflite is larger, but a device may have no end


# What the system says about an error, in lower case like the rest of a sentence.
def _reason(error):
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def read(path):
    """The bytes of a file; raises ToolError when it cannot be read."""
    pieces, size = [], 0
    try:
        with open(path, "rb") as file:
            while size <= _MOST and (piece := file.read(_PIECE)):
                pieces.append(piece)
                size += len(piece)
    except OSError as error:
        raise ToolError(f"cannot read {path}: {_reason(error)}; check the path") from None
    if size > _MOST:
        raise ToolError(f"{path} has more than 2 GB; check the path")
    return b"".join(pieces)


def check_output(output, *inputs):
    """Raise ToolError when writing `output` would replace one of the files that are read."""
    for path in inputs:
        try:
            is_same = os.path.samefile(output, path)
        except OSError:
            continue  # one of them is not there
        if is_same:
            raise ToolError(f"{output} is the same file as the input {path}; write to another one")


# The permissions of what is in a place, or those of a new file; None for what is no file, like
# a device or a pipe.
def _mode(path):
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None


def write(path, data):
    """Write bytes beside the file at `path`, then rename: readers never see half a file.

    A symbolic link stays, and what it points to is written; devices and pipes get the bytes.
    """
    temporary = None
    try:
        mode = _mode(path)
        if mode is None:
            with open(path, "wb") as file:
                file.write(data)
            return
        real = os.path.realpath(path)
        with tempfile.NamedTemporaryFile(
            dir=os.path.dirname(real), prefix=f".{os.path.basename(real)}.", delete=False
        ) as file:
            temporary = file.name
            file.write(data)
        os.chmod(temporary, mode)  # a temporary file is private; what it becomes should not be
        os.replace(temporary, real)
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
