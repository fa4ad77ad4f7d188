# bench: disassembles the machine code of a basic block
# MIT license; Copyright (c) 2026 the tflm authors

import re
import subprocess
import tempfile

import core_firmware
from tflm_tools.errors import ToolError

_OBJDUMP = {
    "m0plus": ("arm-none-eabi-objdump", "-marm", "-Mforce-thumb"),
    "pico2": ("arm-none-eabi-objdump", "-marm", "-Mforce-thumb"),
    "m33": ("arm-none-eabi-objdump", "-marm", "-Mforce-thumb"),
    "rv32": ("riscv64-unknown-elf-objdump", "-mriscv:rv32"),
    "rv32-stock": ("riscv64-unknown-elf-objdump", "-mriscv:rv32"),
}


def disassemble(core, block):
    """Return the lines of a block (address, code, ...)."""
    address, code = block[:2]
    program, *options = _OBJDUMP[core]
    with tempfile.NamedTemporaryFile() as file:
        file.write(code)
        file.flush()
        command = [core_firmware.toolchain.have(program), "-D", "-bbinary", *options]
        answer = subprocess.run(
            [*command, f"--adjust-vma={address}", file.name],
            capture_output=True,
            text=True,
            env=core_firmware.toolchain.environment(),
        )
    if answer.returncode:
        raise ToolError(f"{program} failed: {answer.stderr.strip()}")
    return re.findall("^ *[0-9a-f]+:.*$", answer.stdout.expandtabs(), re.MULTILINE)
