# tflm_tools: board: lists the supported boards and the connected ports, for `tflm boards`
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from ..errors import DeviceError
from . import profiles
from .measured_boards import measured_boards
from .ports import Port, connected

# Descriptions of ports by USB vendor, for devices that give none themselves.
_VENDORS = {
    "2e8a": "Raspberry Pi",
    "303a": "Espressif",
    "10c4": "USB bridge",
    "1a86": "USB bridge",
}


@dataclass
class SupportedBoard:
    """A board of boards/; sizes in bytes, 0 for no ROMFS.

    stock: stock firmware exists for the board. built: the version of MicroPython that `make
    firmware` builds. method, help: how firmware is written to the board. times: "measured" if
    docs/data/measured/ has a file of `tflm measure` for it, else "emulated".
    """

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
    times: str


@dataclass
class Boards:
    """The supported boards, and the USB serial ports with their descriptions.

    unknown: why the ports could not be listed, or "".
    """

    known: list[SupportedBoard]
    ports: list[Port]
    unknown: str = ""


def boards():
    """Return the Boards; no port is opened."""
    measured = measured_boards()
    known = [
        SupportedBoard(
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
            "measured" if profile.id in measured else "emulated",
        )
        for profile in profiles.load_all()
    ]
    try:
        ports = connected()
    except DeviceError as error:
        return Boards(known, [], str(error))
    for port in ports:
        port.description = port.description or _VENDORS.get(port.usb_id[:4], "")
    return Boards(known, ports)
