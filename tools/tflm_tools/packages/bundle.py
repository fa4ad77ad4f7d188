# tflm_tools: packages: bundles: many compiled files in one, which a board imports from as it is
# MIT license; Copyright (c) 2026 the tflm authors

# A file system takes a block for each file and some milliseconds for each write, and an import
# looks for three names: so what goes to lib/tflm is one file, and an __init__ that reads it as a
# folder (device/bundle.py). What other models need besides comes as further bundles.
#
# A bundle is a line of 32 bytes, "tflm bundle v1  INDEX    DATA   \n": bytes of the index, and
# where the data begin; the index, a line "/path offset" for each file, in their order, and " SIZE"
# of it all; the CRC32 of each, a line too, for those who check; the files, at any address.
# MicroPython's loader does not end on a .mpy that is cut off, so nothing is read from a bundle
# that is.

import binascii
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

from . import parts

_HEAD = re.compile(rb"tflm bundle v1  ([0-9 ]{8})([0-9 ]{7})\n")
HEAD_BYTES = 32
_LOADER = Path(__file__).parent / "device" / "bundle.py"

# What the package imports when it is imported itself: with bundles each file comes when it is
# needed, so that `import tflm` costs little.
_AT_ONCE = re.compile(r"^import tflm\.\w+\n|^del tflm\n", re.M)

INIT, INIT_SOURCE = "tflm/__init__.mpy", "tflm/__init__.py"


def files(names, arch):
    """{path below tflm/: bytes} of files of tflm (without .py), as they go into a bundle."""
    wanted = [name for name in names if name != "__init__" and not parts.is_empty(name)]
    compiled = parts.compiled(wanted, arch)
    return {path.removeprefix("tflm/"): data for path, data in compiled.items()}


def pack(files):
    """The bundle (bytes) of {path below tflm/, with .mpy: bytes}; paths are sorted."""
    names = sorted(files)
    checks = "".join(f"{binascii.crc32(files[name]):08x}\n" for name in names)
    offset = 0
    # The index holds where the data begin, which depends on its own length.
    while True:
        index, at = "\n", offset
        for name in names:
            index += f"/{name} {at}\n"
            at += len(files[name])
        index += f" {at}\n"
        start = HEAD_BYTES + len(index) + len(checks)
        if start == offset:
            break
        offset = start
    head = b"tflm bundle v1  %-8d%-7d\n" % (len(index), start)
    return b"".join([head, index.encode(), checks.encode(), *(files[name] for name in names)])


def data_start(head):
    """Where the data of a bundle begin, of its first HEAD_BYTES; 0 for what is no bundle."""
    found = _HEAD.fullmatch(head)
    return int(found[2]) if found else 0


def is_whole(head, size):
    """Whether a file of `size` bytes that begins so is a bundle that was not cut off."""
    found = _HEAD.match(head)
    return bool(found) and head[: HEAD_BYTES + int(found[1])].endswith(b"\n %d\n" % size)


def contents(head):
    """{path: (bytes, CRC32)} of a bundle, of its bytes before the data; {} for what is none."""
    found = _HEAD.match(head)
    if not found:
        return {}
    behind = HEAD_BYTES + int(found[1])
    index = head[HEAD_BYTES:behind].decode(errors="replace").splitlines()[1:]
    try:
        names, starts = zip(*[line.split(" ") for line in index], strict=True)
        sizes = [int(end) - int(start) for start, end in pairwise(starts)]
        # A line of a bundle of earlier versions has its path and size, too.
        checks = [int(line.split()[-1], 16) for line in head[behind:].splitlines()]
        return {
            name[1:]: (size, check)
            for name, size, check in zip(names[:-1], sizes, checks, strict=True)
        }
    except (IndexError, ValueError):
        return {}


def name_of(bundle):
    """The file name of a bundle: another one for other contents."""
    return f"tflm/{binascii.crc32(bundle):08x}.bundle"


def init_source():
    """The source of tflm/__init__ for a board that has bundles."""
    package = Path(parts.package()) / "__init__.py"
    return _LOADER.read_text() + _AT_ONCE.sub("", package.read_text())


@cache
def init(arch):
    """tflm/__init__.mpy for a board that has bundles."""
    return parts.compile_text(init_source(), INIT_SOURCE, arch)
