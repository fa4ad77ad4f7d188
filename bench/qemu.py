# bench: runs scripts on a board in qemu whose clock counts instructions
# MIT license; Copyright (c) 2026 the tflm authors

import os
import select
import subprocess
import tempfile
import time
from pathlib import Path

import core_firmware
from tflm_tools.board import profiles, romfs_image
from tflm_tools.errors import ToolError

_SECONDS = 600


def elf(board):
    """Return the path of the firmware that `make firmware BOARD=... STOCK=1` builds."""
    import build

    return build.folder_of(board, stock=True) / "firmware.elf"


def is_there(board):
    """Return whether this firmware has been built and qemu is installed."""
    system = profiles.named(board).qemu["system"]
    return elf(board).exists() and bool(core_firmware.toolchain.have(system))


def run(board, elf, files, *scripts, memory=None, core="", base=0):
    """Return what the last script prints on a booted board with these files in its ROMFS.

    Each script runs after a soft reset. memory: {address: bytes} to load as well. core: another
    core of qemu than the board's. base: where this core's memory begins for the firmware; qemu
    loads files into it at address 0. Raises ToolError with the last line of its traceback.
    """
    profile = dict(profiles.named(board).qemu)
    if core:
        arguments = list(profile["arguments"])
        arguments[arguments.index("-cpu") + 1] = core
        profile["arguments"] = arguments
    contents = {profile["romfs"]: romfs_image.image(files), **(memory or {})}
    contents = {address - base: data for address, data in contents.items()}
    return run_machine(profile, elf, contents, *scripts)


def run_machine(machine, elf, contents, *scripts):
    """Return what the last script prints on a machine that boots `elf`; see run().

    machine: {"system": program of qemu, "arguments": its arguments}. contents: {address: bytes}.
    """
    with tempfile.TemporaryDirectory(prefix="cycles-") as folder:
        for address, data in contents.items():
            (Path(folder) / f"{address:#x}").write_bytes(data)
        said = _run(machine, elf, sorted(Path(folder).iterdir()), scripts)
    text, _, error = said.partition("\x04")
    if error := error.strip("\x04>\r\n "):
        raise ToolError(error.splitlines()[-1])
    return text.replace("\r", "")


# Return the raw REPL's answer to the last script.
def _run(profile, elf, images, scripts):
    command = [core_firmware.toolchain.have(profile["system"]), *profile["arguments"]]
    command += ["-nographic", "-monitor", "none", "-semihosting", "-serial", "stdio"]
    command += ["-icount", "shift=0,sleep=off", "-kernel", str(elf)]
    for image in images:
        command += ["-device", f"loader,file={image},addr={image.name},force-raw=on"]
    board = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=core_firmware.toolchain.environment(),
    )
    try:
        _until(board, b">>> ")
        _send(board, b"\x01")
        _until(board, b"to exit\r\n>")
        for i, script in enumerate(scripts):
            if i:
                _send(board, b"\x04")
                _until(board, b"to exit\r\n>")
            _send(board, script.encode() + b"\x04")
            answer = _until(board, b"\x04>").partition(b"OK")[2]
        return answer.decode(errors="replace")
    finally:
        board.kill()
        board.wait()


# The UART of Xtensa buffers 16 bytes and has no flow control.
def _send(board, data):
    for at in range(0, len(data), 8):
        board.stdin.write(data[at : at + 8])
        board.stdin.flush()
        time.sleep(0.005)


def _until(board, mark):
    seen, end = b"", time.monotonic() + _SECONDS
    while mark not in seen:
        ready, _, _ = select.select([board.stdout], [], [], max(0, end - time.monotonic()))
        data = os.read(board.stdout.fileno(), 1 << 16) if ready else b""
        if not data:
            text = seen.decode(errors="replace").strip().splitlines() or ["nothing"]
            raise ToolError(f"the emulated board stopped; it said last: {text[-1]}")
        seen += data
    return seen
