# Test support: simulates an ESP32: its modules, its resets, and its UART
# MIT license; Copyright (c) 2026 the tflm authors

import os
import select
import shutil
import threading
import time
from contextlib import suppress
from pathlib import Path

from .standin import Board

_MODULES = Path(__file__).parents[2] / "modules"

# What an ESP32 sends after a reset: the ROM's first line at another speed, then its boot log.
BOOT_LOG = (
    b"\x80\xf8\x00\xfe\xc0\x86ets Jul 29 2019 12:21:46\r\n\r\n"
    b"rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n"
    b"configsip: 0, SPIWP:0xee\r\nmode:DIO, clock div:2\r\nload:0x3fff0030,len:4892\r\n"
    b"entry 0x400805b0\r\nMicroPython v1.26.1; Generic ESP32 module with ESP32\r\n"
    b'Type "help()" for more information.\r\n>>> '
)
# Makes the stand-in an ESP32 with this number of free bytes of executable memory.
LIKE_ESP32 = """
import sys as _sys
class Implementation:
    name, version = _sys.implementation.name, _sys.implementation.version
    _mpy = _sys.implementation._mpy
    _machine = "Generic ESP32 module with ESP32"
class Sys:
    implementation = Implementation
    platform, path, modules = _sys.platform, _sys.path, _sys.modules
class Esp32:
    HEAP_EXEC, HEAP_DATA = 1, 2
    def idf_heap_info(kind):
        return [({0}, {0}, {0}, 0)] if kind == 1 else [(9000, 9000, 9000, 0)]
class Machine:
    mem32 = {{0x3FF5A00C: 1 << 15, 0x3FF5A014: 1 << 20, 0x3FF6607C: 1 << 31}}
    def freq():
        return 160_000_000
_sys.modules["machine"] = Machine
_sys.modules["sys"], _sys.modules["esp32"] = Sys, Esp32
"""
# Gives LIKE_ESP32 the architecture number {arch} and the platform {platform}. It cannot run the
# code for Xtensa that a deploy stores in lib/tflm. Imports find the sources in lib/.sources
# instead, after lib/tflm is complete. The module tflm_core tests the core.
_STOCK = """
import builtins, os
Implementation._mpy = 6 | 3 << 8 | {arch} << 10
Sys.platform = "{platform}"
class Core:
    has_mac16 = lambda: 1
    has_pie = lambda: 0
_import = builtins.__import__
def imported(name, *more):
    if name == "tflm_core":
        return Core
    if name.split(".")[0] == "tflm" and "lib/.sources" not in Sys.path:
        try:
            os.stat("lib/tflm/__init__.py")
            Sys.path.insert(0, "lib/.sources")
        except OSError:
            pass
    return _import(name, *more)
builtins.__import__ = imported
"""
_XTENSA, _XTENSAWIN = 9, 10  # numbers of architectures in sys.implementation._mpy
_CODE_BYTES = 100_000  # of free executable memory
_RING_BYTES = 256  # of a UART's received bytes, before the program reads them
_TICK = 0.005  # seconds in which the program reads _TICK_BYTES; 12,800 bytes a second
_TICK_BYTES = 64


class ResettingBoard(Board):
    """A board that resets when its port is opened, as DTR and RTS make an ESP32 do.

    It ignores what arrives while it boots. seconds: how long that takes.
    """

    seconds = 1.5

    def _serve(self):
        if not select.select([self._master], [], [], 30)[0]:  # the host opens the port
            return
        end = time.monotonic() + self.seconds
        for i in range(0, len(BOOT_LOG), 16):
            self._put(BOOT_LOG[i : i + 16])
            time.sleep(0.02)
        while time.monotonic() < end:
            if select.select([self._master], [], [], 0.05)[0]:
                os.read(self._master, 1024)
        super()._serve()


class StockBoard(ResettingBoard):
    """A board with MicroPython's stock firmware and a chip of Espressif's, like "ESP32".

    It stores the files that a real board stores, and runs the sources of this repository.
    """

    window = 128  # as on an ESP32, whose REPL reads a ring of 256 bytes

    def __init__(self, folder, chip="ESP32", heap="330k"):
        small = chip == "ESP8266"
        special = LIKE_ESP32.format(_CODE_BYTES).replace(
            "Generic ESP32 module with ESP32", f"Generic {chip} module with {chip}"
        ) + _STOCK.format(
            arch=_XTENSA if small else _XTENSAWIN, platform="esp8266" if small else "esp32"
        )
        super().__init__(folder, special=special, heap=heap)
        sources = Path(folder) / "lib" / ".sources"
        if not sources.exists():
            shutil.copytree(_MODULES / "tflm", sources / "tflm")


class Uart:
    """The host's end of a StockBoard's serial port, which loses bytes that come too fast.

    lost: the number of these bytes. The clock of the writer decides which bytes come too fast, so
    that a slow test loses none.
    """

    def __init__(self, board):
        self.lost = 0
        self._waiting, self._written = 0.0, 0.0  # bytes in the ring after the write at this time
        self._ring, self._lock = bytearray(), threading.Lock()
        self._port = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
        os.write(self._port, b"\r")  # the board starts when the port is opened
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self):
        while not self._over.wait(_TICK):
            with self._lock:
                data = bytes(self._ring[:_TICK_BYTES])
                del self._ring[:_TICK_BYTES]
            with suppress(OSError):
                os.write(self._port, data)

    def write(self, data, now=None):
        """Send bytes to the board. now: seconds of the writer's clock, by default of this one."""
        now = time.monotonic() if now is None else now
        read = max(now - self._written, 0.0) / _TICK * _TICK_BYTES
        self._waiting, self._written = max(self._waiting - read, 0.0), now
        accepted = data[: int(_RING_BYTES - self._waiting)]
        self._waiting += len(accepted)
        self.lost += len(data) - len(accepted)
        with self._lock:
            self._ring += accepted

    def read(self):
        """Return the bytes that have arrived from the board."""
        if not select.select([self._port], [], [], 0)[0]:
            return b""
        return os.read(self._port, 4096)

    def close(self):
        """Close the port."""
        self._over.set()
        self._thread.join(1)
        os.close(self._port)
