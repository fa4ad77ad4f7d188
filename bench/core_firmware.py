# bench: builds MicroPython for the emulated cores of bench/boards
# MIT license; Copyright (c) 2026 the tflm authors

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "firmware"))

import sources  # noqa: E402
import toolchain  # noqa: E402
from build_folders import TOOLCHAIN  # noqa: E402
from tflm_tools.errors import ToolError  # noqa: E402

_HEAP = 3 << 20
_COMPILERS = {
    "m0plus": "arm",
    "m33": "arm",
    "m4f": "arm",
    "rv32": "riscv32",
    "rv32-stock": "riscv32",
}


def build(folder, core):
    """Build the firmware for a core in `folder`; return the ELF file. Raises ToolError."""
    toolchain.require("make", _COMPILERS[core])
    source = sources.Sources(TOOLCHAIN)
    folder = Path(folder).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / core, ignore_errors=True)  # make ignores changed compiler options
    log = folder / f"{core}.log"
    print(f"cycles: building the firmware for {core}", file=sys.stderr, flush=True)
    port = source.micropython / "ports" / "qemu"
    command = ["make", "-C", port, "-j2", f"BUILD={folder / core}"]
    command += [f"BOARD=CYCLES_{core}", f"BOARD_DIR={HERE / 'boards' / core}"]
    command += [f"MPY_LIB_DIR={source.library}", f"MICROPY_HEAP_SIZE={_HEAP}", "FROZEN_MANIFEST="]
    with open(log, "wb") as file:
        answer = subprocess.run(
            [str(word) for word in command], env=toolchain.environment(), stdin=subprocess.DEVNULL,
            stdout=file, stderr=subprocess.STDOUT,
        )  # fmt: skip
    if answer.returncode:
        lines = log.read_text(errors="replace").strip().splitlines() or ["no output"]
        raise ToolError(
            f"the firmware for {core} was not built ({lines[-1]}); the whole log is {log}"
        )
    return folder / core / "firmware.elf"
