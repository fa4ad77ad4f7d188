# tflm_tools: board: writes firmware to a board and compares it afterwards, for `tflm flash`
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import time
from dataclasses import dataclass
from pathlib import Path

from .. import files
from ..errors import DeviceError, ToolError
from . import esp, profiles, uf2
from .checks import check_board
from .facts import read_facts
from .link import Link
from .ports import connected, resolve

_VENDOR = "2e8a"  # USB vendor of RP2 boards
_DRIVE_SECONDS = 20  # limit for the boot loader's drive to appear
_RESTART_SECONDS = 15  # limit for the board to answer after a restart
_BUILD = Path(__file__).resolve().parents[3] / "build" / "firmware"


@dataclass
class Flashing:
    """The result of `tflm flash`. verified: how the flash was compared, "" if it was not."""

    board: str
    image: str
    bytes: int
    where: str
    verified: str


def flash(board, port=None, image=None, volume=None, progress=None, timeout=None):
    """Write a firmware image to a board; return a Flashing.

    board: the name of a folder of boards/. image: a file; by default the one that `make firmware
    BOARD=…` has built. volume: the folder of the boot loader's drive, if tflm does not find it.
    progress: called with (bytes done, bytes in all). timeout: seconds to wait for the board's
    first answer. All checks are done before the first byte is written. Raises ToolError and
    DeviceError.
    """
    profile = profiles.named(board)
    method = profile.flashing.get("method")
    if method not in ("uf2", "esptool"):
        raise ToolError(f"{board} is an emulated board; run it with: make emulate BOARD={board}")
    path = Path(image) if image else _built_image(board, ".uf2" if method == "uf2" else ".bin")
    data = files.read(path)
    if method == "uf2":
        return _flash_uf2(profile, port, path, data, volume, progress, timeout)
    esp.check_image(data, profile.flashing["chip"], path)
    device = resolve(port)
    esp.write(path, device, profile.flashing["chip"], profile.flashing["offset"], progress)
    return Flashing(board, str(path), len(data), device, "esptool has compared the flash")


# The image that `make firmware` has built.
def _built_image(board, suffix):
    images = sorted((_BUILD / board).glob(f"*{suffix}"))
    if not images:
        raise ToolError(
            f"there is no image for {board} yet; build it with: make firmware BOARD={board}, "
            "or name one with --image"
        )
    named = [path for path in images if path.stem == "firmware"]
    return (named or images)[0]


def _flash_uf2(profile, port, path, data, volume, progress, timeout):
    family, pages = uf2.parse(data, path)
    if family != profile.flashing["family"]:
        raise ToolError(
            f"{path} is for another chip (UF2 family {family or 0:#x}), {profile.id} has "
            f"{profile.flashing['family']:#x}; use an image for this board"
        )
    name = profile.flashing["volume"]
    folder = volume or uf2.find_volume(name)
    if folder is None:
        port = _enter_bootloader(profile, port, timeout)
        folder = uf2.wait_for_volume(name, _DRIVE_SECONDS)
    if folder is None:
        raise DeviceError(
            f"the drive {name} did not appear; {profile.flashing.get('help', 'use BOOTSEL')}, "
            "then try again, or name the drive with --volume",
            "absent",
        )
    uf2.check_volume(folder, name)
    uf2.copy(data, folder, path.name, progress)
    copied = Path(folder) / path.name
    if copied.exists() and copied.read_bytes() == data:
        verified = "the file on the drive has the same bytes"
    else:
        verified = _compare_flash(port, pages)
    return Flashing(profile.id, str(path), len(data), str(folder), verified)


# Start the boot loader of a board that runs MicroPython; return the board's port.
def _enter_bootloader(profile, port, timeout):
    try:
        device = resolve(port)
    except DeviceError as error:
        if error.kind != "absent" or port:
            raise
        raise DeviceError(
            f"neither a drive {profile.flashing['volume']} nor a board is connected; "
            f"{profile.flashing.get('help', 'hold BOOTSEL while you plug it in')}",
            "absent",
        ) from None
    with Link(device, timeout) as link:
        facts = read_facts(link)
        check_board(facts, profile.machine[0])
        try:
            link.exec("import machine\nmachine.bootloader()", seconds=5)
        except DeviceError as error:
            if error.kind not in ("lost", "silent", "timeout", "endless", "reset"):
                raise
    return device


# Compare the flash with the image after the board has restarted; return how, or "" without a
# board.
def _compare_flash(port, pages):
    end = time.monotonic() + _RESTART_SECONDS
    while time.monotonic() < end:
        devices = [p.device for p in connected() if p.usb_id.startswith(_VENDOR)]
        if port or len(devices) == 1:
            try:
                with Link(port or devices[0]) as link:
                    link.exec("import uctypes\nfrom binascii import crc32")
                    return _compare(link, pages)
            except DeviceError as error:
                if error.kind == "crc":
                    raise
        time.sleep(0.5)
    return ""


# Compare the first contiguous range of pages ({address: bytes}), up to 32 KB at a time.
def _compare(link, pages):
    start = min(pages)
    while start in pages:
        end, data = start, b""
        while end in pages and len(data) < 32 * 1024:
            data += pages[end]
            end += len(pages[end])
        crc = link.eval(f"crc32(uctypes.bytearray_at({start}, {len(data)})) & 0xFFFFFFFF")
        if crc != binascii.crc32(data):
            raise DeviceError(
                f"the flash at {start:#x} differs from the image; flash the board again", "crc"
            )
        start = end
    return "the board's flash has the same CRCs"
