# page: replaces pyserial by a serial port of the browser, for mpremote and Link
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from types import ModuleType

from pyodide.ffi import run_sync, to_js

_channels = {}  # {name of the port: Channel}


def give(name, channel):
    """Make a Channel (src/serial_channel.js) the port with this name, a URL; None removes it."""
    if channel is None:
        _channels.pop(name, None)
    else:
        _channels[name] = channel


class _Serial:
    """The part of pyserial's Serial that mpremote and Wire use. Only Python blocks."""

    def __init__(self, channel, timeout):
        self._channel = channel
        self.timeout, self.write_timeout = timeout, None  # seconds; None waits forever

    # The page has opened the port.
    def isOpen(self):
        return True

    @property
    def in_waiting(self):
        if self._channel.lost and not self._channel.waiting:
            raise OSError("the port is gone")
        return self._channel.waiting

    def read(self, count=1):
        """Return at most `count` received bytes; b"" if none came in time."""
        found = run_sync(self._channel.read(count, _milliseconds(self.timeout)))
        if found is None:
            raise OSError("the port is gone")
        return found.to_bytes()

    def write(self, data):
        state = run_sync(self._channel.write(to_js(data), _milliseconds(self.write_timeout)))
        if state:
            raise OSError("write timeout" if state == "late" else "the port is gone")
        return len(data)

    # The page closes the port.
    def close(self):
        pass


def _milliseconds(seconds):
    return -1 if seconds is None else round(1000 * seconds)


# Replaces serial.serial_for_url(), which mpremote calls.
def _serial_for_url(name, timeout=None, **options):
    if name not in _channels:
        raise OSError(f"no port {name}")
    return _Serial(_channels[name], timeout)


def install():
    """Replace pyserial, and mpremote's console, which needs a real terminal."""
    serial, tools = ModuleType("serial"), ModuleType("serial.tools")
    serial.__version__ = "3.5"  # mpremote passes the options of this version
    serial.serial_for_url = _serial_for_url
    ports = ModuleType("serial.tools.list_ports")
    ports.comports = lambda: []
    console = ModuleType("mpremote.console")
    console.VT_ENABLED = False
    serial.tools, tools.list_ports = tools, ports
    for module in (serial, tools, ports, console):
        sys.modules[module.__name__] = module
