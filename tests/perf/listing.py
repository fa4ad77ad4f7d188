# The measuring bench: machine code of a basic block as assembler
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import subprocess
import tempfile
from pathlib import Path

from tflm_tools.errors import ToolError

_OBJDUMP = {
    "m0plus": ("arm-none-eabi-objdump", "-marm", "-Mforce-thumb"),
    "m33": ("arm-none-eabi-objdump", "-marm", "-Mforce-thumb"),
    "rv32": ("riscv64-unknown-elf-objdump", "-mriscv:rv32"),
}


def disassemble(core, block, build):
    """The lines of a block (address, code, ...), by objdump of the toolchain below `build`."""
    address, code = block[:2]
    program, *options = _OBJDUMP[core]
    root = Path(build) / "toolchain" / "usr"
    libraries = os.pathsep.join(str(path) for path in root.glob("lib/*-linux-gnu"))
    with tempfile.NamedTemporaryFile() as file:
        file.write(code)
        file.flush()
        command = [root / "bin" / program, "-D", "-bbinary", *options]
        answer = subprocess.run(
            [*command, f"--adjust-vma={address}", file.name],
            capture_output=True,
            text=True,
            env={**os.environ, "LD_LIBRARY_PATH": libraries},
        )
    if answer.returncode:
        raise ToolError(f"{program} failed: {answer.stderr.strip()}; remove {build} to fetch it")
    return re.findall("^ *[0-9a-f]+:.*$", answer.stdout.expandtabs(), re.MULTILINE)
