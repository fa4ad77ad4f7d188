# bench: runs scripts on qemu's Cortex-M4 with an FPU; as a program, builds its firmware
# MIT license; Copyright (c) 2026 the tflm authors

# The emulated Cortex-M33 of core.py has the same FPU kernels, but another emulator.

import sys
from pathlib import Path

import core_firmware
import emulated
import qemu
from tflm_tools.board import romfs_image
from tflm_tools.errors import ToolError

CORE = "m4f"
FILES, FREE = 0x21000000, 0x21800000  # in the board's PSRAM: the modules, then memory for scripts
_CPACR, _FPU_ON = 0xE000ED88, 0xF << 20  # coprocessors that code may use: all of the FPU
_MACHINE = {
    "system": "qemu-system-arm",
    "arguments": [
        *("-machine", "mps2-an386"),
        *("-device", f"loader,addr={_CPACR:#x},data={_FPU_ON:#x},data-len=4,cpu-num=0"),
    ],
}


def is_there():
    """Return whether qemu for ARM is installed."""
    return bool(core_firmware.toolchain.have(_MACHINE["system"]))


def run(folder, script, portable=False, memory=None):
    """Return what a script prints on the board with the modules of tflm; raises ToolError.

    folder: where emulated.firmware() stores the firmware. portable: only viper kernels.
    memory: {address: bytes}.
    """
    files = romfs_image.image(emulated.modules(folder, emulated.ARCHS["m33"], portable))
    contents = {FILES: files, **(memory or {})}
    script = emulated.mount(FILES, files) + script
    return qemu.run_machine(_MACHINE, emulated.firmware(folder, CORE), contents, script)


if __name__ == "__main__":
    try:
        core_firmware.toolchain.require(_MACHINE["system"])
        emulated.firmware(Path(__file__).resolve().parents[1] / "build" / "cycles", CORE)
    except ToolError as error:
        sys.exit(f"qemu_arm: {error}")
