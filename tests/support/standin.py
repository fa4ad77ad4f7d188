# Test support: simulates a board: the unix port at a pty, with a raw REPL
# MIT license; Copyright (c) 2026 the tflm authors

import os
import pty
import select
import signal
import struct
import subprocess
import threading
import tty
from contextlib import suppress
from pathlib import Path

from tflm_tools.port import unix_port

_DEVICE = Path(__file__).parent / "device" / "standin.py"
_RAW = b"raw REPL; CTRL-B to exit\r\n"
_BANNER = b"MicroPython stand-in\r\n>>> "


class Board:
    """A board whose files are in `folder`; `port` is its pty. Use it in a `with`.

    library: a folder with a package tflm that counts as frozen. rom: bytes of a ROMFS partition.
    special: Python code that runs at each boot. cut: the cable is pulled after this number of
    bytes from the host. flash_cut: the power is cut at this erase or write of the partition.
    heap: as for MicroPython's heapsize.
    """

    window = 512  # bytes that the host may send in raw paste mode before it waits

    def __init__(self, folder, library=None, rom=0, special="", cut=None, flash_cut=0,
                 heap="8M"):  # fmt: skip
        self._folder = Path(folder)
        (self._folder / "lib").mkdir(parents=True, exist_ok=True)
        self._library, self._cut, self._heap = library, cut, heap
        self._flash_cut = flash_cut
        self._arguments = []
        if rom:
            partition = self._folder.with_suffix(".rom")
            if not partition.exists():
                partition.write_bytes(b"\xff" * rom)
            self._arguments.append(f"{partition}@{flash_cut}")
        if special:
            file = self._folder.with_suffix(".special.py")
            file.write_text(special)
            self._arguments.append(str(file))
        self._received = 0
        self._child = None

    def __enter__(self):
        self._master, slave = pty.openpty()
        tty.setraw(self._master)
        tty.setraw(slave)
        self.port = os.ttyname(slave)
        self._slave = slave
        self._over = threading.Event()
        self._boot()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exception):
        self._over.set()
        self._thread.join(10)
        self._unplug()
        self._end()

    # Close the port.
    def _unplug(self):
        for end in (self._slave, self._master):
            with suppress(OSError):
                os.close(end)
        self._slave = self._master = -1

    # Number of bytes from the host.
    @property
    def received(self):
        return self._received

    def _end(self):
        self._child.kill()
        self._child.wait()
        for stream in (self._child.stdin, self._child.stdout):
            with suppress(OSError):
                stream.close()

    def _boot(self):
        if self._child is not None:
            self._end()
        path = [".frozen", "lib"] + ([str(self._library)] if self._library else [])
        command = [unix_port.executable(), "-X", f"heapsize={self._heap}", str(_DEVICE)]
        self._child = subprocess.Popen(
            command + self._arguments,
            cwd=self._folder,
            env={**os.environ, "MICROPYPATH": ":".join(path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    # Read a byte from the host.
    def _get(self):
        while True:
            ready, _, _ = select.select([self._master], [], [], 0.05)
            if self._over.is_set():
                raise EOFError
            if ready:
                data = os.read(self._master, 1)
                self._received += len(data)
                if not data or (self._cut is not None and self._received >= self._cut):
                    raise EOFError
                return data

    def _put(self, data):
        while data:
            data = data[os.write(self._master, data) :]

    # Run code, and pass on its output at once. Ctrl-C interrupts the code.
    def _run(self, code):
        self._child.stdin.write(struct.pack("<I", len(code)) + code)
        ends = 0
        while ends < 2:
            ready, _, _ = select.select([self._child.stdout, self._master], [], [], 0.05)
            if self._over.is_set():
                raise EOFError
            if self._master in ready and self._get() == b"\x03":
                self._child.send_signal(signal.SIGINT)
            if self._child.stdout in ready:
                data = os.read(self._child.stdout.fileno(), 4096)
                if not data and self._flash_cut:
                    raise EOFError
                if not data:
                    self._put(b"\x04board crashed\x04>")
                    self._boot()
                    return
                ends += data.count(b"\x04")
                self._put(data.replace(b"\n", b"\r\n"))
        self._put(b">")

    # Read code in raw paste mode: the host sends at most the window's size.
    def _paste(self):
        self._put(b"R\x01" + struct.pack("<H", self.window))
        code = bytearray()
        while (data := self._get()) != b"\x04":
            code += data
            if len(code) % self.window == 0:
                self._put(b"\x01")
        self._put(b"\x04")
        self._run(bytes(code))

    def _serve(self):
        with suppress(EOFError, OSError):
            self._repl()
        if not self._over.is_set():  # the cable is out
            self._unplug()

    def _repl(self):
        raw, code = False, bytearray()
        while True:
            data = self._get()
            if data == b"\x01":
                raw, code = True, bytearray()
                self._put(_RAW + b">")
            elif data == b"\x02":
                raw = False
                self._put(b"\r\n" + _BANNER)
            elif data == b"\x03":
                code = bytearray()
            elif raw and data == b"\x05":
                if self._get() == b"A" and self._get() == b"\x01":
                    self._paste()
            elif raw and data == b"\x04":
                if code.strip():
                    self._put(b"OK")
                    self._run(bytes(code))
                else:
                    self._boot()
                    self._put(b"OK\r\nMPY: soft reboot\r\n" + _RAW + b">")
                code = bytearray()
            elif raw:
                code += data
