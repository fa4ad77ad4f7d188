# tflm_tools: files: reads and writes files; a failed write leaves the old file unchanged
# MIT license; Copyright (c) 2026 the tflm authors

import os
import stat
import tempfile
from pathlib import Path

from .errors import ToolError

_CHUNK = 1 << 24  # bytes that are read at once
_MAX_BYTES = 1 << 31  # no .tflite is larger; a device such as /dev/zero may be endless


# The system's text of an error, starting in lower case.
def _reason(error):
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def read(path):
    """Return the bytes of a file; raises ToolError when it cannot be read."""
    chunks, size = [], 0
    try:
        with open(path, "rb") as file:
            while size <= _MAX_BYTES and (chunk := file.read(_CHUNK)):
                chunks.append(chunk)
                size += len(chunk)
    except OSError as error:
        raise ToolError(f"cannot read {path}: {_reason(error)}; check the path") from None
    if size > _MAX_BYTES:
        raise ToolError(f"{path} has more than 2 GB; check the path")
    return b"".join(chunks)


def check_output(output, *inputs):
    """Raise ToolError when writing `output` would replace one of the inputs."""
    for path in inputs:
        try:
            is_same = os.path.samefile(output, path)
        except OSError:
            continue  # one of them does not exist
        if is_same:
            raise ToolError(
                f"{output} is the same file as the input {path}; write to another file"
            )


# The permissions of an existing file, or the permissions of a new file; None for devices, pipes
# and the like.
def _mode(path):
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None


def write(path, data):
    """Write bytes to a temporary file and rename it, so that readers never see a partial file.

    A symbolic link stays, and its target is written. Devices and pipes are written directly.
    Raises ToolError.
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
        os.chmod(temporary, mode)  # temporary files are private
        os.replace(temporary, real)
    except OSError as error:
        raise ToolError(f"cannot write {path}: {_reason(error)}; check the folder") from None
    finally:
        if temporary and os.path.exists(temporary):
            os.remove(temporary)


def make_folder(path):
    """Make a folder and its parents; raises ToolError when this fails."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(f"cannot make the folder {path}: {_reason(error)}") from None
