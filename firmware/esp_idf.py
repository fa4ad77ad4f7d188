# firmware: builds for ESP32 boards with MicroPython's makefile and the user's ESP-IDF
# MIT license; Copyright (c) 2026 the tflm authors

import os
from pathlib import Path

import toolchain
from tflm_tools.errors import ToolError

# `bash -c THIS bash IDF_PATH COMMAND` runs a command in the environment of ESP-IDF's export.sh.
_EXPORTED = 'idf=$1; shift; . "$idf/export.sh" >/dev/null && exec "$@"'


def check(profile, micropython):
    """Raise ToolError if something is missing for a build.

    micropython: the user's checkout, or None. Debian's source package, which is used for other
    boards, lacks the libraries of ports/esp32.
    """
    if not micropython:
        raise ToolError(
            f"firmware for {profile.id} is built from a checkout of MicroPython with its "
            "submodules; name yours with MICROPYTHON_DIR="
        )
    folder = os.environ.get("IDF_PATH")
    if folder and not (Path(folder) / "export.sh").exists():
        raise ToolError(f"there is no export.sh in {folder}; IDF_PATH is the folder of ESP-IDF")
    if not folder and not toolchain.have("idf.py"):
        raise ToolError(
            f"firmware for {profile.id} needs Espressif's ESP-IDF 5, which no package registry "
            "has; install it as its documentation says, and name its folder with IDF_PATH="
        )


def command(profile, micropython, objects, manifest):
    """Return the command (a list) that makes firmware.bin and micropython.elf in `objects`."""
    make = ["make", "-C", str(micropython / "ports" / "esp32"), f"BOARD={profile.id}"]
    make += [f"BOARD_DIR={profile.folder}", f"BUILD={objects}", f"FROZEN_MANIFEST={manifest}"]
    folder = os.environ.get("IDF_PATH")
    return ["bash", "-c", _EXPORTED, "bash", folder, *make] if folder else make


def image(profile, data, romfs):
    """Return the bytes to flash at the profile's offset: the port's image, then ROMFS.

    Raises ToolError if one of them is too large for its partition.
    """
    begin = profile.flashing["offset"]
    start, size = profile.tflm.firmware
    if begin + len(data) > start + size:
        raise ToolError(
            f"the firmware ends at {begin + len(data)}, its partition in {profile.id} at "
            f"{start + size}; leave kernels out with KERNELS="
        )
    if romfs is None:
        return data
    romfs_start, romfs_size = profile.tflm.romfs
    if len(romfs) > romfs_size:
        raise ToolError(
            f"the model takes {len(romfs)} bytes of ROMFS, {profile.id} has {romfs_size}; "
            "flatten it with --flash-budget, and name the .tflm"
        )
    return data + b"\xff" * (romfs_start - begin - len(data)) + romfs
