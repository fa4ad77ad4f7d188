# Runs scripts on emulated cores, and on this computer, with memory of single pages
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import os
import struct
import subprocess
import tempfile
from pathlib import Path

import qemu_xtensa
import xtensa_fpu
from packed_cases import BUILD, emulated, firmware_of
from support.runner import REPOSITORY, micropython_path
from tflm_tools.errors import ToolError
from tflm_tools.packages import mpy_compiler

PAGE = xtensa_fpu.PAGE
CORES = ("m0plus", "m33", "rv32", "xtensa", "x64")
_SECONDS = 600

# System calls of Linux: map pages at an address, and make pages read-only.
_PAGES = """\
import micropython

@micropython.viper
def map_pages(address, size):
    #: ba03000000 mov edx, 3
    #: 41ba32000000 mov r10d, 50
    #: 49c7c0ffffffff mov r8, -1
    #: 4531c9 xor r9d, r9d
    #: b809000000 mov eax, 9
    #: 0f05 syscall
    #: c3 ret
    raise NotImplementedError

@micropython.viper
def protect_pages(address, size):
    #: ba01000000 mov edx, 1
    #: b80a000000 mov eax, 10
    #: 0f05 syscall
    #: c3 ret
    raise NotImplementedError
"""
_MAP = """\
import struct, uctypes
from paged_memory import map_pages, protect_pages

with open("memory", "rb") as file:
    while head := file.read(12):
        address, size, is_writable = struct.unpack("<III", head)
        pages = size + {page} - 1 & (0 - {page})
        assert map_pages(address, pages) == address
        file.readinto(uctypes.bytearray_at(address, size))
        if not is_writable:
            protect_pages(address, pages)
"""


def first_window(core):
    """Return the lowest address of memory that run() can map on a core."""
    return xtensa_fpu.PAGES if core == "xtensa" else 0x00200000


def is_there(core):
    """Return whether a script can run on a core now."""
    if core == "x64":
        return os.uname().machine == "x86_64"
    return qemu_xtensa.is_there() if core == "xtensa" else firmware_of(core).exists()


def run(core, script, memory=()):
    """Return what a script with all of tflm prints; raises ToolError, for an access elsewhere too.

    memory: (address, bytes, whether it is writable) of memory that begins at a page.
    """
    if core == "x64":
        return _run_here(script, memory)
    if core == "xtensa":
        return _run_xtensa(script, memory)
    said = emulated.run(core, firmware_of(core), _files(core), script, memory)
    assert not said["error"], said["error"]
    return said["text"]


@functools.cache
def _files(core):
    if core == "xtensa":
        return qemu_xtensa.modules(BUILD, mac16=True)
    return emulated.file_system(BUILD, core)


def _run_xtensa(script, memory):
    pages = {
        address + at: (data[at : at + PAGE], is_writable)
        for address, data, is_writable in memory
        for at in range(0, len(data), PAGE)
    }
    contents = {}
    if pages:
        table, data = xtensa_fpu.mapped(pages)
        contents = {xtensa_fpu.TABLE: table + data}
    elf = qemu_xtensa.firmware_with_fpu(BUILD)
    return qemu_xtensa.run(elf, _files("xtensa"), script, memory=contents)


@functools.cache
def _compiled_pages():
    return mpy_compiler.compile_text(_PAGES, "paged_memory.py", "x64")


def _run_here(script, memory):
    with tempfile.TemporaryDirectory(prefix="tflm-pages-") as name:
        folder = Path(name)
        (folder / "paged_memory.mpy").write_bytes(_compiled_pages())
        with (folder / "memory").open("wb") as file:
            for address, data, is_writable in memory:
                file.write(struct.pack("<III", address, len(data), is_writable) + data)
        (folder / "script.py").write_text(_MAP.format(page=PAGE) + script)
        done = subprocess.run(
            [micropython_path(), "-X", "heapsize=32M", "script.py"],
            cwd=folder,
            env={**os.environ, "MICROPYPATH": f"{folder}:{REPOSITORY / 'modules'}:.frozen"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SECONDS,
            text=True,
        )
    assert done.returncode <= 0, done.stdout
    if done.returncode:
        raise ToolError(f"MicroPython crashed: signal {-done.returncode}")
    return done.stdout
