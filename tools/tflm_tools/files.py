# tflm_tools: files: reads and writes files; a failed write leaves the old file unchanged
# MIT license; Copyright (c) 2026 the tflm authors

import errno
import os
import stat
import tempfile
from contextlib import contextmanager, suppress
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


# The paths that an input may mean: a file, and the file of "model.h#name". Arrays have none.
def _paths(given):
    if not isinstance(given, (str, os.PathLike)):
        return []
    return [path for path in (str(given), str(given).rpartition("#")[0]) if path]


def _is_same(one, other):
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them does not exist
        return False


def check_output(output, *inputs):
    """Raise ToolError when writing `output` would replace one of the inputs.

    inputs: paths; None and arrays are ignored.
    """
    check_outputs([output], *inputs)


def check_outputs(outputs, *inputs):
    """Raise ToolError when writing the outputs would replace an input or another output.

    outputs, inputs: paths; None, "" and arrays are ignored.
    """
    outputs = [output for output in outputs if output]
    for i, output in enumerate(outputs):
        for path in inputs:
            if any(_is_same(output, each) for each in _paths(path)):
                raise ToolError(
                    f"{output} is the same file as the input {path}; write to another file"
                )
        for other in outputs[:i]:
            if _is_same(output, other) or os.path.realpath(output) == os.path.realpath(other):
                raise ToolError(f"{output} is the same file as the output {other}; give two files")


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


# Write bytes to a private temporary file beside `path`, and to the disk; yield its name. It is
# removed at the end, unless it was renamed.
@contextmanager
def _temporary(path, data):
    name = None
    try:
        with tempfile.NamedTemporaryFile(
            dir=os.path.dirname(path), prefix=f".{os.path.basename(path)}.", delete=False
        ) as file:
            name = file.name
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield name
    finally:
        if name and os.path.exists(name):
            os.remove(name)


# Write the entries of a folder to the disk, so that a renamed file survives a power failure.
# Windows cannot open folders, and some file systems cannot do this.
def _sync_folder(path):
    with suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _write_error(path, error):
    return ToolError(f"cannot write {path}: {_reason(error)}; check the folder")


def write(path, data):
    """Write bytes to a temporary file and rename it, so that readers never see a partial file.

    After a power failure the file has the old or the new bytes. A symbolic link stays, and its
    target is written. Devices and pipes are written directly. Raises ToolError.
    """
    try:
        mode = _mode(path)
        if mode is None:
            with open(path, "wb") as file:
                file.write(data)
            return
        real = os.path.realpath(path)
        with _temporary(real, data) as temporary:
            os.chmod(temporary, mode)
            os.replace(temporary, real)
        _sync_folder(os.path.dirname(real))
    except OSError as error:
        raise _write_error(path, error) from None


def create_private(path, data):
    """Write bytes to a new file that only its owner can read.

    The file appears with all its bytes or not at all. Raises ToolError, also if it exists.
    """
    real = os.path.abspath(path)
    try:
        with _temporary(real, data) as temporary:
            try:
                os.link(temporary, real)  # unlike a renaming, it replaces no file
            except FileExistsError:
                raise
            except OSError:  # a file system without hard links
                if os.path.lexists(real):
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
                os.rename(temporary, real)
        _sync_folder(os.path.dirname(real))
    except OSError as error:
        raise _write_error(path, error) from None


def make_folder(path):
    """Make a folder and its parents; raises ToolError when this fails."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(f"cannot make the folder {path}: {_reason(error)}") from None
