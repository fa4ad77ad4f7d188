# tflm_tools: files: reads and writes files; a failed write leaves the old file unchanged
# MIT license; Copyright (c) 2026 the tflm authors

import errno
import os
import select
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import ToolError

_CHUNK = 1 << 24  # bytes that are read at once
_MAX_BYTES = 1 << 31  # no .tflite is larger; a device such as /dev/zero may be endless
_PIPE_SECONDS = 30  # to wait for the first byte of a pipe


# The system's text of an error, starting in lower case.
def _reason(error):
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def read_error(path, error):
    """Return the ToolError for an OSError that opening or reading a file has raised."""
    return ToolError(f"cannot read {path}: {_reason(error)}; check the path")


def read(path, limit=None):
    """Return the bytes of a file.

    limit: the largest size in bytes, by default 2 GB. Raises ToolError for a file that cannot be
    read, a larger file, and a pipe to which nothing is written.
    """
    limit = _MAX_BYTES if limit is None else limit
    chunks, size = [], 0
    try:
        with _open(path) as file:
            while size <= limit and (chunk := file.read(_CHUNK)):
                chunks.append(chunk)
                size += len(chunk)
            if size <= limit:
                return b"".join(chunks)
    except OSError as error:
        raise read_error(path, error) from None
    except MemoryError:
        raise ToolError(f"{path} does not fit into memory; give a smaller file") from None
    most = f"{limit >> 30} GB" if limit >> 30 else f"{limit >> 20} MB"
    raise ToolError(f"{path} has more than {most}; check the path")


# Open a file for reading. Opening a pipe would otherwise wait for a program that writes to it.
@contextmanager
def _open(path):
    if not hasattr(os, "O_NONBLOCK"):
        with open(path, "rb", buffering=0) as file:
            yield file
        return
    with open(path, "rb", buffering=0, opener=_open_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            ready, _, _ = select.select([file], [], [], _PIPE_SECONDS)
            if not ready:
                raise ToolError(
                    f"cannot read {path}: nothing was written to it for {_PIPE_SECONDS} s; check "
                    "the path"
                )
        os.set_blocking(file.fileno(), True)
        yield file


def _open_without_waiting(path, flags):
    return os.open(path, flags | os.O_NONBLOCK)


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
