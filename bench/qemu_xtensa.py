# bench: runs one flat model on qemu's Xtensa and returns instructions of each step and outputs
# MIT license; Copyright (c) 2026 the tflm authors

# No other emulator here runs Xtensa. With -icount each instruction takes qemu's clock one
# nanosecond, and the core's CCOUNT runs at 40 MHz: a tick is 25 instructions.

import struct
import sys
from pathlib import Path

import core_firmware
import emulated
import qemu
import xtensa_fpu
from tflm import kernels
from tflm_tools import files

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from asm.files import called
from asm.language.machines.xtensa import XtensaMachine

TICK = 25
FREE = 0x60C80000  # memory after the notes that no firmware and no image uses
_BOARD = "QEMU_XTENSA"
_SCRIPT = "import cycles_xtensa\ncycles_xtensa.run()\n"


def is_there():
    """Return whether the firmware has been built and qemu is installed."""
    return qemu.is_there(_BOARD)


def firmware():
    """Return the firmware without tflm and inline assembler; build it if it is missing."""
    import build

    core_firmware.toolchain.require("qemu-system-xtensa")
    return build.build(_BOARD, stock=True).elf


def firmware_with_fpu(folder):
    """Return the same firmware for the core with an FPU; it is stored in `folder`."""
    path = Path(folder) / "xtensa-fpu.elf"
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write(path, xtensa_fpu.moved(Path(firmware()).read_bytes()))
    return path


def modules(folder, portable=False, mac16=False):
    """Return emulated.modules() for this core, with the measuring code.

    mac16: use the kernels for MAC16 and an FPU, like an ESP32, with MULL instead of the missing
    MULSH.
    """
    archs = emulated.ARCHS["xtensa"]
    found = emulated.modules(folder, archs, portable, ("cycles_xtensa.py",))
    if mac16:
        cache = Path(folder) / "mac16"
        cache.mkdir(parents=True, exist_ok=True)
        for name, source in without_mulsh():
            path = cache / name.replace("/", ".")
            if not path.exists() or path.read_text() != source:
                files.write(path, source.encode())
            found[name.replace(".py", ".mpy")] = emulated.compiled(name, path, cache, archs[0])
    return found


def without_mulsh():
    """Yield (path, source) of the kernels for MAC16 without MULSH, and of their folder."""
    folder = Path(kernels.__file__).parent / "xtensawin"
    head = (folder / "__init__.py").read_text()
    machine = XtensaMachine(mulsh=False)
    yield (
        "tflm/kernels/xtensawin/__init__.py",
        head.replace("# END generated", "has_mac16 = is_converted"),
    )
    for name in ("mac16_asm.py", "mac16_depthwise_asm.py"):
        functions = (machine.compile(f(machine)) for f in called("xtensawin")[name][1])
        source = "import micropython\n\n\n" + "\n\n".join(functions)
        yield f"tflm/kernels/xtensawin/gen/{name}", source


def measure(elf, files, model, inputs):
    """Run one invoke of a flat model (bytes) with the bytes of its inputs; raises ToolError.

    files: the result of modules(). Returns an emulated.Measurement in instructions.
    """
    said = run(elf, {**files, "model.tflm": model, "inputs": b"".join(inputs)}, _SCRIPT)
    lines = said.splitlines()
    ticks = [word for (word,) in struct.iter_unpack("<I", bytes.fromhex(lines[0]))]
    marks = [[0, ((tick - ticks[0]) & 0xFFFFFFFF) * TICK, 0] for tick in ticks]
    return emulated.measurement(
        {"error": None, "marks": marks, "text": lines[-1], "peeks": lines[1:-1], "hot": []}
    )


def run(elf, files, *scripts, memory=None):
    """Return what the last script prints on this board; see qemu.run().

    elf: the result of firmware() or of firmware_with_fpu().
    """
    options = {}
    if Path(elf).name == "xtensa-fpu.elf":
        options = {"core": xtensa_fpu.CORE, "base": xtensa_fpu.RAM}
    return qemu.run(_BOARD, elf, files, *scripts, memory=memory, **options)
