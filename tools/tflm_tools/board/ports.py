# tflm_tools: board: finds the serial port that a user names, and explains why it cannot be used
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from ..errors import DeviceError
from ..extras import installing

# mpremote's short names of ports.
_SHORT = {"a": "/dev/ttyACM", "u": "/dev/ttyUSB", "c": "COM"}


@dataclass
class Port:
    """A serial port of a USB device."""

    device: str
    serial_number: str
    usb_id: str
    description: str


def connected():
    """Return the serial ports of USB devices as a list of Port. Raises DeviceError."""
    try:
        from serial.tools import list_ports
    except ImportError:
        raise missing_package("pyserial") from None
    return [
        Port(p.device, p.serial_number or "", f"{p.vid:04x}:{p.pid or 0:04x}", p.product or "")
        for p in sorted(list_ports.comports())
        if p.vid is not None
    ]


def missing_package(name):
    """Return the DeviceError for a package of the extra `board` that is not installed."""
    return DeviceError(
        f"the package {name} is missing; install it with: {installing('board')}", "missing"
    )


# The only connected port.
def _only_port():
    found = connected()
    if not found:
        raise DeviceError(
            "no board is connected over USB; plug one in, or name its port, like a0 or /dev/ttyS0 "
            "(make emulate PTY=1 prints the port of an emulator)",
            "absent",
        )
    if len(found) > 1:
        names = ", ".join(port.device for port in found)
        raise DeviceError(f"there are {len(found)} ports ({names}); name one of them", "several")
    return found[0].device


def resolve(name=None):
    """Return the path or URL of a port that is named as in mpremote.

    name: None or "auto" for the only port, a0, u0, c0, id:SERIAL_NUMBER, a path, or a URL like
    socket://HOST:PORT. Raises DeviceError when no port or several ports match.
    """
    if name in (None, "", "auto"):
        return _only_port()
    if name.startswith("id:"):
        for port in connected():
            if port.serial_number == name[3:]:
                return port.device
        raise DeviceError(
            f"no board has the serial number {name[3:]!r}; see: tflm boards", "absent"
        )
    name = name.removeprefix("port:")
    short = re.fullmatch(r"([auc])([0-9]+)", name)
    if short:
        name = _SHORT[short[1]] + short[2]
    if os.name == "posix" and "://" not in name:  # pyserial checks URLs
        _check_file(name)
    return name


# Raise DeviceError for a device file that cannot be used.
def _check_file(name):
    try:
        mode = os.stat(name).st_mode
    except OSError:
        raise DeviceError(
            f"there is no port {name}; plug the board in, or list the ports with: tflm boards",
            "absent",
        ) from None
    if not stat.S_ISCHR(mode):
        raise DeviceError(f"{name} is not a serial port; see: tflm boards", "absent")
    if not os.access(name, os.R_OK | os.W_OK):
        group = Path(name).group()
        raise DeviceError(
            f"you have no permission for {name}; join its group {group} "
            f"(sudo usermod -a -G {group} $USER, then log in again)",
            "permission",
        )
