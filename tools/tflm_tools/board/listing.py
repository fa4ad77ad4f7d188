# tflm_tools: board: what `tflm boards` lists: boards that are known, and ports that are there
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from ..errors import DeviceError
from . import profiles
from .ports import Port, connected

# USB vendors of boards, for a word on what is connected.
_VENDORS = {
    "2e8a": "Raspberry Pi",
    "303a": "Espressif",
    "10c4": "USB bridge",
    "1a86": "USB bridge",
}


@dataclass
class Known:
    """A board of boards/: sizes in bytes; romfs 0: none. flashing: how firmware gets there."""

    id: str
    name: str
    arch: str
    heap: int
    flash: int
    romfs: int
    stock: bool
    built: str
    method: str
    help: str


@dataclass
class Boards:
    """Boards that are known, and USB serial ports with what may be behind them.

    unknown: why it cannot be said which ports there are.
    """

    known: list[Known]
    ports: list[Port]
    unknown: str = ""


def boards():
    """The Boards; nothing is opened."""
    known = [
        Known(
            profile.id,
            profile.name,
            profile.arch,
            profile.tflm.heap,
            profile.flash_bytes,
            profile.tflm.romfs[1] if profile.tflm.romfs else 0,
            profile.stock is not None,
            profile.versions.get("built", ""),
            profile.flashing.get("method", ""),
            profile.flashing.get("help", ""),
        )
        for profile in profiles.every()
    ]
    try:
        ports = connected()
    except DeviceError as error:
        return Boards(known, [], str(error))
    for port in ports:
        port.description = port.description or _VENDORS.get(port.usb_id[:4], "")
    return Boards(known, ports)
