# tflm_tools: packages: packs compiled files into a bundle, from which a board imports them
# MIT license; Copyright (c) 2026 the tflm authors

# A file system uses a block for each file and some milliseconds for each write, and each import
# searches three file names. lib/tflm therefore contains one bundle of files, and a loader that
# reads it as a folder (device/bundle.py). Files that other models need are further bundles.
#
# A bundle consists of:
#
#   "tflm bundle v1  INDEX    DATA   \n"   32 bytes: size of the index, offset of the data
#   the index                              "\n", "/path offset\n" for each file in order, " SIZE\n"
#   the checks                             the CRC32 of each file, "xxxxxxxx\n"
#   the data                               the files, unaligned
#
# MicroPython's loader does not end on a truncated .mpy. Both sides therefore check the size of a
# bundle before they read files from it.

import binascii
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

from . import mpy_compiler, runtime_files

_HEAD = re.compile(rb"tflm bundle v1  ([0-9 ]{8})([0-9 ]{7})\n")
HEAD_BYTES = 32
_LOADER = Path(__file__).parent / "device" / "bundle.py"

# The imports of tflm/__init__, which are left out with bundles: each file is loaded when it is
# needed, so that `import tflm` is fast.
_EAGER_IMPORTS = re.compile(r"^import tflm\.\w+\n|^del tflm\n", re.M)

INIT, LOADER, LOADER_SOURCE = "tflm/__init__.py", "tflm/loader.mpy", "tflm/loader.py"

# MicroPython hangs on a .mpy that is cut off, so the size of the loader is checked first. A source
# that is cut off raises an exception.
_INIT = """\
# tflm: imports the loader of this folder's bundles
import os

if os.stat(__path__ + "/loader.mpy")[6] != {size}:
    raise ImportError("tflm/loader.mpy is cut off; install tflm again")
from . import loader

del os
"""
# The names of tflm/__init__ that loader.mpy defines.
_NAMES = ("__version__", "__all__", "__getattr__", "help")


def files(names, arch):
    """Return {path below tflm/: bytes} of compiled files of tflm, for a bundle."""
    bundled = [name for name in names if name != "__init__" and not runtime_files.is_empty(name)]
    compiled = mpy_compiler.compile_runtime_files(bundled, arch)
    return {path.removeprefix("tflm/"): data for path, data in compiled.items()}


def pack(files):
    """Return the bundle (bytes) of {path below tflm/, with .mpy: bytes}; paths are sorted."""
    names = sorted(files)
    checks = "".join(f"{binascii.crc32(files[name]):08x}\n" for name in names)
    offset = 0
    # The index contains offsets of the data, which depend on the length of the index itself.
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
    """Return the offset of a bundle's data, from its first HEAD_BYTES; 0 if it is not a bundle."""
    match = _HEAD.fullmatch(head)
    return int(match[2]) if match else 0


def is_whole(head, size):
    """Return whether a file of `size` bytes with this head (all before the data) is complete."""
    match = _HEAD.match(head)
    return bool(match) and head[: HEAD_BYTES + int(match[1])].endswith(b"\n %d\n" % size)


def contents(head):
    """Return {path: (bytes, CRC32)} of a bundle, from its bytes before the data.

    Returns {} if it is not a bundle.
    """
    match = _HEAD.match(head)
    if not match:
        return {}
    index_end = HEAD_BYTES + int(match[1])
    index = head[HEAD_BYTES:index_end].decode(errors="replace").splitlines()[1:]
    try:
        names, starts = zip(*[line.split(" ") for line in index], strict=True)
        sizes = [int(end) - int(start) for start, end in pairwise(starts)]
        # In bundles of earlier versions these lines also had the path and the size.
        checks = [int(line.split()[-1], 16) for line in head[index_end:].splitlines()]
        return {
            name[1:]: (size, check)
            for name, size, check in zip(names[:-1], sizes, checks, strict=True)
        }
    except (IndexError, ValueError):
        return {}


def name_of(bundle):
    """Return the file name of a bundle (bytes), which depends on its contents."""
    return f"tflm/{binascii.crc32(bundle):08x}.bundle"


def loader_source():
    """Return the source of tflm/loader.mpy: the bundles' file system, then tflm/__init__."""
    package = (Path(runtime_files.package()) / "__init__.py").read_text()
    package = package.replace("globals()[name] = value", "setattr(_package, name, value)")
    names = "".join(f"_package.{name} = {name}\n" for name in _NAMES)
    return f"{_LOADER.read_text()}{_EAGER_IMPORTS.sub('', package)}\n\n{names}"


@cache
def init_files(arch):
    """Return {path below lib/: bytes} of __init__ and loader for a board that has bundles."""
    loader = mpy_compiler.compile_text(loader_source(), LOADER_SOURCE, arch)
    return {INIT: _INIT.format(size=len(loader)).encode(), LOADER: loader}
