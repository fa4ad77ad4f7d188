# The measuring bench: one flat model on qemu's Xtensa: instructions of each step, outputs
# MIT license; Copyright (c) 2026 the tflm authors

# No other emulator here runs Xtensa. With -icount each instruction takes qemu's clock one
# nanosecond, and the core's CCOUNT runs at 40 MHz: a tick is 25 instructions.

import os
import re
import select
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import core_firmware
import emulated
from tflm import kernels
from tflm_tools.board import profiles, romfs_image
from tflm_tools.errors import ToolError

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from asm.xtensawin import mac16_depthwise, mac16_multiply

TICK = 25
_BOARD = "QEMU_XTENSA"
_SECONDS = 120
_SCRIPT = "import cycles_xtensa\ncycles_xtensa.run()\n"


def is_there():
    """Whether that firmware has been built, and qemu is there to run it."""
    import build

    elf = build.folder_of(_BOARD, stock=True) / "firmware.elf"
    return elf.exists() and bool(core_firmware.toolchain.have("qemu-system-xtensa"))


def firmware():
    """The board's firmware without tflm and without an inline assembler, built where missing."""
    import build

    core_firmware.toolchain.require("qemu-system-xtensa")
    return build.build(_BOARD, stock=True).elf


def modules(folder, portable=False, mac16=False):
    """emulated.modules() for this core, with what counts on it.

    mac16: as on an ESP32; emulated cores have MAC16, but no MULSH: MULL does its work.
    """
    archs = emulated.ARCHS["xtensa"]
    found = emulated.modules(folder, archs, portable, ("cycles_xtensa.py",))
    if mac16:
        place = Path(folder) / "mac16"
        place.mkdir(parents=True, exist_ok=True)
        for name, source in without_mulsh():
            path = place / name.replace("/", ".")
            if not path.exists() or path.read_text() != source:
                path.write_text(source)
            found[name.replace(".py", ".mpy")] = emulated.compiled(name, path, place, archs[0])
    return found


def without_mulsh():
    """(path, source) of the kernels for MAC16 without MULSH, and of the folder that takes them."""
    folder = Path(kernels.__file__).parent / "xtensawin"
    head = (folder / "__init__.py").read_text()
    made = {
        "mac16_asm": (mac16_multiply.gather(), mac16_multiply.gather_bytes(),
                      mac16_multiply.multiply(mulsh=False)),
        "mac16_depthwise_asm": (mac16_depthwise.build_plane(),
                                mac16_depthwise.rows_3x3(mulsh=False),
                                mac16_depthwise.rows_3x3_stride_2(mulsh=False)),
    }  # fmt: skip
    yield (
        "tflm/kernels/xtensawin/__init__.py",
        re.sub("if not has_mac16.*", "", head, flags=re.S),
    )
    for name, functions in made.items():
        yield (
            f"tflm/kernels/xtensawin/{name}.py",
            "import micropython\n\n\n" + "\n\n".join(functions),
        )


def measure(elf, files, model, inputs):
    """Run one invoke of a flat model (bytes) with the bytes of its inputs; raises ToolError.

    files: what modules() gave. Returns an emulated.Measurement in instructions.
    """
    said = run(elf, {**files, "model.tflm": model, "inputs": b"".join(inputs)}, _SCRIPT)
    lines = said.splitlines()
    ticks = [word for (word,) in struct.iter_unpack("<I", bytes.fromhex(lines[0]))]
    marks = [[0, ((tick - ticks[0]) & 0xFFFFFFFF) * TICK, 0] for tick in ticks]
    return emulated.measurement(
        {"error": None, "marks": marks, "text": lines[-1], "peeks": lines[1:-1], "hot": []}
    )


def run(elf, files, *scripts):
    """What the last of scripts says on a booted board with these files in its ROMFS.

    Each runs behind a soft reset. Raises ToolError for the end of its traceback.
    """
    with tempfile.NamedTemporaryFile(prefix="cycles-") as file:
        file.write(romfs_image.image(files))
        file.flush()
        said = _run(elf, Path(file.name), scripts)
    text, _, error = said.partition("\x04")
    if error := error.strip("\x04>\r\n "):
        raise ToolError(error.splitlines()[-1])
    return text.replace("\r", "")


# The raw REPL's answer to the last script.
def _run(elf, image, scripts):
    qemu = profiles.named(_BOARD).qemu
    place = f"loader,file={image},addr={qemu['romfs']:#x},force-raw=on"
    command = [core_firmware.toolchain.have(qemu["system"]), *qemu["arguments"]]
    command += ["-nographic", "-monitor", "none", "-semihosting", "-serial", "stdio"]
    command += ["-icount", "shift=0,sleep=off", "-kernel", str(elf), "-device", place]
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


# The UART of the board has room for 16 bytes, and no way to say so.
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
            raise ToolError(f"the emulated Xtensa stopped; it said last: {text[-1]}")
        seen += data
    return seen
