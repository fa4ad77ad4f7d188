# tflm_tools: board: which serial port is meant, and why one cannot be opened
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from ..errors import DeviceError
from ..extras import installing

# Short names, as mpremote has them.
_SHORT = {"a": "/dev/ttyACM", "u": "/dev/ttyUSB", "c": "COM"}


@dataclass
class Port:
    """A serial port with a USB device behind it."""

    device: str
    serial_number: str
    usb_id: str
    description: str


def connected():
    """The serial ports that have a USB device, as a list of Port."""
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
    """The error for a package of the extra `board` that is not installed."""
    return DeviceError(
        f"the package {name} is missing; install it with: {installing('board')}", "missing"
    )


# The one port that there is.
def _only_one():
    found = connected()
    if not found:
        raise DeviceError(
            "no board is connected over USB; plug one in, or name its port, like a0 or /dev/ttyS0",
            "absent",
        )
    if len(found) > 1:
        names = ", ".join(port.device for port in found)
        raise DeviceError(f"there are {len(found)} ports ({names}); name one of them", "several")
    return found[0].device


def resolve(name=None):
    """A port named as in mpremote: None or "auto", a0, u0, c0, id:…, a path, or a URL (socket://).

    Raises DeviceError when there is no such port, or none that could be meant.
    """
    if name in (None, "", "auto"):
        return _only_one()
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
    if os.name == "posix" and "://" not in name:  # pyserial knows what URLs mean
        _check_file(name)
    return name


# Say what is wrong with a device file before anything is opened.
def _check_file(name):
    try:
        mode = os.stat(name).st_mode
    except OSError:
        raise DeviceError(
            f"there is no port {name}; plug the board in, or see what is there with: tflm boards",
            "absent",
        ) from None
    if not stat.S_ISCHR(mode):
        raise DeviceError(f"{name} is no serial port; see: tflm boards", "absent")
    if not os.access(name, os.R_OK | os.W_OK):
        group = Path(name).group()
        raise DeviceError(
            f"you may not use {name}; become a member of its group {group} "
            f"(sudo usermod -a -G {group} $USER, then log in again)",
            "permission",
        )
