# firmware: makes a compiler for Xtensa with register windows (ESP32) from Debian's packages
# MIT license; Copyright (c) 2026 the tflm authors

# Debian's GCC is for the Xtensa LX106 of an ESP8266, which lacks register windows. This GCC
# accepts -mabi=windowed, and its assembler and linker read the tables of another core from the
# library in the variable XTENSA_GNU_CONFIG. The tables of the core DE212 come from qemu's sources,
# so compiled code runs in qemu. libgcc's assembler files come from GCC's sources.

import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import toolchain
from debian import Suite, members, say, unpack
from tflm_tools.errors import ToolError

_CORE = "de212"
_PACKAGES = ("gcc-xtensa-lx106", "binutils-xtensa-lx106", "picolibc-xtensa-lx106-elf")


# Return the files of a tar archive whose paths match: {name without folders: bytes}.
def _find(tar, pattern):
    found = {}
    for member in tar:
        if member.isfile() and re.search(pattern, member.name):
            found[member.name.rsplit("/", 1)[-1]] = tar.extractfile(member).read()
    return found


# Return such files from a source archive inside a .deb.
def _find_in_package(deb, archive, pattern):
    with tarfile.open(fileobj=members(deb), mode="r|") as outer:
        for member in outer:
            if re.search(archive, member.name):
                with tarfile.open(fileobj=outer.extractfile(member), mode="r|xz") as inner:
                    return _find(inner, pattern)
    raise ToolError(f"{deb} has an unknown layout; Xtensa needs Debian 12")


# Return the numbers in a core-isa.h or xtensa-config.h.
def _numbers(text):
    return dict(re.findall(r"^#define\s+(XCHAL_\w+)\s+(\S+)", text, re.M))


# Return binutils' header of its own core with the numbers of our core and with register windows.
def _config(default, core):
    numbers = _numbers(core)

    def line(match):
        return f"#define {match[1]} {numbers.get(match[1], match[2])}"

    text = re.sub(r"^#define\s+(XCHAL_\w+)\s+(\S+).*$", line, default, flags=re.M)
    return re.sub(r"(#define\s+XSHAL_ABI\s+).*", r"\1XTHAL_ABI_WINDOWED", text)


_SHIM = """\
#include <stdint.h>
#include <stddef.h>
#include <string.h>
#include <stdio.h>
#define ATTRIBUTE_UNUSED __attribute__((unused))
"""
_INSTANCE = """\
#define XTENSA_CONFIG_DEFINITION
#include "xtensa-config.h"
#include "xtensa-dynconfig.h"
XTENSA_CONFIG_INSTANCE_LIST;
"""


# Compile the library with the core's tables.
def _compile_tables(folder, headers, core):
    config = folder / "config"
    config.mkdir(exist_ok=True)
    isa = core["core-isa.h"].decode()
    default = headers["xtensa-config.h"].decode()
    (config / "xtensa-config.h").write_text(_config(default, isa))
    for name in ("xtensa-isa.h", "xtensa-isa-internal.h"):
        (config / name).write_bytes(headers[name])
    (config / "xtensa-dynconfig.h").write_bytes(headers["xtensa-dynconfig.h"])
    modules = core["xtensa-modules.c.inc"].decode().replace('"qemu/osdep.h"', '"shim.h"')
    (config / "modules.c").write_text(modules)
    (config / "shim.h").write_text(_SHIM)
    (config / "instance.c").write_text(_INSTANCE)
    command = ["gcc", "-shared", "-fPIC", "-O1", "-w", "-I.", "modules.c", "instance.c"]
    library = folder / "tables.so"
    answer = subprocess.run(
        [*command, "-o", str(library)],
        cwd=config,
        env=toolchain.environment(),
        capture_output=True,
        text=True,
    )
    if answer.returncode:
        raise ToolError(f"the tables of {_CORE} do not compile: {answer.stderr.strip()[-200:]}")


def _fetch(folder, packages):
    suite = Suite(packages)
    say("making a compiler for Xtensa (a minute)")
    debs = suite.download(*_PACKAGES, "binutils-source", "gcc-12-source")
    for deb in debs[: len(_PACKAGES)]:
        unpack(deb, folder / "root")
    headers = _find_in_package(debs[3], r"\.tar\.xz$", r"/include/xtensa-[\w-]+\.h$")
    libgcc = folder / "libgcc"
    libgcc.mkdir(exist_ok=True)
    pattern = r"/libgcc/config/xtensa/[\w-]+\.S$"
    for name, data in _find_in_package(debs[4], r"/gcc-12[^/]*\.tar\.xz$", pattern).items():
        (libgcc / name).write_bytes(data)
    (archive,) = suite.source("qemu")
    pattern = rf"/target/xtensa/core-{_CORE}/[\w.-]+$"
    with tarfile.open(archive) as tar:
        core = _find(tar, pattern)
    _compile_tables(folder, headers, core)


def prepare(toolchain_folder):
    """Make the compiler if it does not exist; return the environment variables that it needs."""
    toolchain.require("make")
    folder = Path(toolchain_folder) / "xtensa"
    if not folder.exists():
        partial = folder.with_name("xtensa.part")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        _fetch(partial, Path(toolchain_folder) / "packages")
        os.replace(partial, folder)
    return {
        "XTENSA_GNU_CONFIG": str(folder / "tables.so"),
        "XTENSA_CONFIG": str(folder / "config"),
        "XTENSA_LIBGCC": str(folder / "libgcc"),
    }
