# firmware: ESP32 boards, built by MicroPython's own makefile with an ESP-IDF that is given
# MIT license; Copyright (c) 2026 the tflm authors

import os
from pathlib import Path

import toolchain
from tflm_tools.errors import ToolError

# bash -c THIS bash IDF_PATH COMMAND: in the environment that ESP-IDF's export.sh makes.
_EXPORTED = 'idf=$1; shift; . "$idf/export.sh" >/dev/null && exec "$@"'


def check(profile, micropython):
    """Refuse, with what is missing, before anything is built.

    micropython: the checkout that is given. Debian's source package, which other boards are
    built from, lacks the libraries that ports/esp32 wants.
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
    """The command (a list) that makes firmware.bin and micropython.elf in a folder."""
    make = ["make", "-C", str(micropython / "ports" / "esp32"), f"BOARD={profile.id}"]
    make += [f"BOARD_DIR={profile.folder}", f"BUILD={objects}", f"FROZEN_MANIFEST={manifest}"]
    folder = os.environ.get("IDF_PATH")
    return ["bash", "-c", _EXPORTED, "bash", folder, *make] if folder else make


def image(profile, data, romfs):
    """The bytes that go to flash at the profile's offset: the port's image, and ROMFS behind it.

    Raises ToolError for an image that is too large for its partition.
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
    place, room = profile.tflm.romfs
    if len(romfs) > room:
        raise ToolError(
            f"the model takes {len(romfs)} bytes of ROMFS, {profile.id} has {room}; flatten it "
            "with --flash-budget, and name the .tflm"
        )
    return data + b"\xff" * (place - begin - len(data)) + romfs
