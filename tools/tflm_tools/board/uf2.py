# tflm_tools: board: makes and reads UF2 images, and copies them to the drive of a boot loader
# MIT license; Copyright (c) 2026 the tflm authors

import os
import struct
import time
from pathlib import Path

from ..errors import DeviceError, ToolError

_BLOCK = 512
_FIRST, _SECOND, _LAST = 0x0A324655, 0x9E5D5157, 0x0AB16F30
_NOT_MAIN_FLASH, _HAS_FAMILY = 1, 0x2000
_PAYLOAD = 256  # data bytes of a block that image() writes: a page of flash
_INFO = "INFO_UF2.TXT"

# Paths under which operating systems mount drives.
_MOUNTS = ("/media/*/{}", "/run/media/*/{}", "/media/{}", "/mnt/{}", "/Volumes/{}")


def parse(data, path):
    """Return (family, {address: bytes}) of a UF2 image. Raises ToolError for an invalid image."""
    family, pages = None, {}
    if not data or len(data) % _BLOCK:
        raise ToolError(
            f"{path} is not a UF2 image ({len(data)} bytes); build one with: make firmware"
        )
    for i in range(0, len(data), _BLOCK):
        block = data[i : i + _BLOCK]
        first, second, flags, address, size, _, _, number = struct.unpack_from("<8I", block)
        if (
            (first, second) != (_FIRST, _SECOND)
            or size > 476
            or block[-4:] != struct.pack("<I", _LAST)
        ):
            raise ToolError(f"{path} is damaged at byte {i}; build it again with: make firmware")
        if flags & _NOT_MAIN_FLASH:
            continue
        if flags & _HAS_FAMILY:
            family = number
        pages[address] = block[32 : 32 + size]
    return family, pages


def image(segments, family):
    """Return a UF2 image of `segments`, a list of (address, bytes), for a family of chips."""
    pages = [
        (address + at, data[at : at + _PAYLOAD].ljust(_PAYLOAD, b"\xff"))
        for address, data in segments
        for at in range(0, len(data), _PAYLOAD)
    ]
    blocks = []
    for number, (address, page) in enumerate(pages):
        head = (_FIRST, _SECOND, _HAS_FAMILY, address, _PAYLOAD, number, len(pages), family)
        blocks.append(
            struct.pack("<8I", *head) + page.ljust(476, b"\0") + struct.pack("<I", _LAST)
        )
    return b"".join(blocks)


def find_volume(name):
    """Return the folder of the mounted boot loader's drive `name`, or None."""
    for pattern in _MOUNTS:
        for folder in sorted(Path("/").glob(pattern.format(name)[1:])):
            if (folder / _INFO).exists():
                return folder
    return None


def wait_for_volume(name, seconds):
    """Return the folder of the drive `name` as soon as it is mounted, or None after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        folder = find_volume(name)
        if folder is not None:
            return folder
        time.sleep(0.25)
    return None


def check_volume(folder, name):
    """Raise DeviceError unless a folder is the boot loader's drive `name`."""
    try:
        text = (Path(folder) / _INFO).read_text(errors="replace")
    except OSError:
        raise DeviceError(
            f"{folder} is not a boot loader's drive, it has no {_INFO}; hold BOOTSEL while you "
            "plug the board in",
            "absent",
        ) from None
    if name not in text:
        board_id = next(
            (line for line in text.splitlines() if line.startswith("Board-ID")), text[:40]
        )
        raise DeviceError(
            f"{folder} belongs to another board ({board_id.strip()}), not {name}; "
            "check which board is plugged in",
            "board",
        )


def copy(data, folder, file, progress=None):
    """Copy an image to a drive in pieces; the board restarts when it has received all of it."""
    target = Path(folder) / file
    try:
        with open(target, "wb") as output:
            for i in range(0, len(data), 64 * 1024):
                output.write(data[i : i + 64 * 1024])
                output.flush()
                if progress is not None:
                    progress(min(i + 64 * 1024, len(data)), len(data))
            os.fsync(output.fileno())
    except OSError as error:
        if not target.parent.exists():
            return  # the board restarted after the last block, which removes the drive
        raise DeviceError(
            f"{target} could not be written ({error.strerror}); plug the board in again with "
            "BOOTSEL held, and retry",
            "lost",
        ) from None
