# tflm_tools: board: flash: firmware goes to a board, is checked before and compared after
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import time
from dataclasses import dataclass
from pathlib import Path

from .. import files
from ..errors import DeviceError, ToolError
from . import esp, profiles, uf2
from .checks import check_board
from .facts import ask
from .link import Link
from .ports import connected, resolve

_VENDOR = "2e8a"  # USB vendor of RP2 boards
_DRIVE_SECONDS = 20
_BACK_SECONDS = 15
_BUILD = Path(__file__).resolve().parents[3] / "build" / "firmware"


@dataclass
class Flashing:
    """What `tflm flash` did. verified: how the flash was compared, "" when it could not be."""

    board: str
    image: str
    bytes: int
    where: str
    verified: str


def flash(board, port=None, image=None, volume=None, progress=None, timeout=None):
    """Put a firmware image on a board: BOARD is a folder of boards/.

    image: a file; None takes what `make firmware BOARD=…` has built. volume: the folder of a
    boot loader's drive, where it is not found by itself. timeout: seconds for the board's first
    answer. Everything is checked before the first byte is written. Raises ToolError and
    DeviceError. Returns a Flashing.
    """
    profile = profiles.named(board)
    method = profile.flashing.get("method")
    if method not in ("uf2", "esptool"):
        raise ToolError(f"{board} is an emulated board; run it with: make emulate BOARD={board}")
    path = Path(image) if image else _built(board, ".uf2" if method == "uf2" else ".bin")
    data = files.read(path)
    if method == "uf2":
        return _flash_uf2(profile, port, path, data, volume, progress, timeout)
    esp.check_image(data, profile.flashing["chip"], path)
    device = resolve(port)
    esp.write(path, device, profile.flashing["chip"], profile.flashing["offset"], progress)
    return Flashing(board, str(path), len(data), device, "esptool has compared the flash")


# The image that the build has made.
def _built(board, suffix):
    found = sorted((_BUILD / board).glob(f"*{suffix}"))
    if not found:
        raise ToolError(
            f"there is no image for {board} yet; build it with: make firmware BOARD={board}, "
            "or name one with --image"
        )
    named = [path for path in found if path.stem == "firmware"]
    return (named or found)[0]


def _flash_uf2(profile, port, path, data, volume, progress, timeout):
    family, pieces = uf2.parse(data, path)
    if family != profile.flashing["family"]:
        raise ToolError(
            f"{path} is for another chip (UF2 family {family or 0:#x}), {profile.id} has "
            f"{profile.flashing['family']:#x}; take an image of this board"
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
        verified = "the drive has the same bytes"
    else:
        verified = _compare_flash(port, pieces)
    return Flashing(profile.id, str(path), len(data), str(folder), verified)


# Send a board that runs MicroPython into its boot loader; returns its port.
def _enter_bootloader(profile, port, timeout):
    try:
        device = resolve(port)
    except DeviceError as error:
        if error.kind != "absent" or port:
            raise
        raise DeviceError(
            f"no drive {profile.flashing['volume']} and no board are there; "
            f"{profile.flashing.get('help', 'hold BOOTSEL while you plug it in')}",
            "absent",
        ) from None
    with Link(device, timeout) as link:
        facts = ask(link)
        check_board(facts, profile.machine[0])
        try:
            link.exec("import machine\nmachine.bootloader()", seconds=5)
        except DeviceError as error:
            if error.kind not in ("lost", "silent", "timeout", "endless"):
                raise
    return device


# Compare the flash with the image when the board is back; how that was done, or "".
def _compare_flash(port, pieces):
    end = time.monotonic() + _BACK_SECONDS
    while time.monotonic() < end:
        found = [p.device for p in connected() if p.usb_id.startswith(_VENDOR)]
        if port or len(found) == 1:
            try:
                with Link(port or found[0]) as link:
                    link.exec("import uctypes\nfrom binascii import crc32")
                    return _compare(link, pieces)
            except DeviceError as error:
                if error.kind == "crc":
                    raise
        time.sleep(0.5)
    return ""


def _compare(link, pieces):
    start = min(pieces)
    while start in pieces:  # runs of pieces that lie one behind the other
        end, data = start, b""
        while end in pieces and len(data) < 32 * 1024:
            data += pieces[end]
            end += len(pieces[end])
        crc = link.eval(f"crc32(uctypes.bytearray_at({start}, {len(data)})) & 0xFFFFFFFF")
        if crc != binascii.crc32(data):
            raise DeviceError(
                f"the flash at {start:#x} is not what was written; flash the board again", "crc"
            )
        start = end
    return "the board's flash has the same CRCs"
