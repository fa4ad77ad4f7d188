# firmware: lets pico-sdk compile for the RISC-V cores of an RP2350 with Debian's GCC
# MIT license; Copyright (c) 2026 the tflm authors

import os

import toolchain
from tflm_tools import files

OPTIONS = ("-DPICO_CLIB=picolibc",)

# pico-sdk calls riscv32-unknown-elf-gcc with newlib and libstdc++. Debian 12 has
# riscv64-unknown-elf-gcc 12 with picolibc, without nosys.specs and without libstdc++. Its compiler
# ends with an internal error for the extension Zbs, which only the assembler may use, and its
# libraries are for plain rv32imac.
_COMPILER = """\
#!/bin/bash
links=yes
for each in "$@"; do
    case "$each" in -c|-S|-E) links= ;; esac
done
arguments=()
for each in "$@"; do
    case "$each" in
        --specs=nosys.specs) ;;
        -march=*)
            if [ $links ]; then
                arguments+=(-march=rv32imac)
            else
                arguments+=("${each/_zbs/}" -mno-riscv-attribute "-Wa,$each")
            fi ;;
        -Wl,--script=*) arguments+=(-T "${each#*=}") ;;
        *) arguments+=("$each") ;;
    esac
done
[ $links ] && arguments+=(-nostartfiles)
case "$*" in *bs2_default.elf*) arguments+=(-Wl,--no-gc-sections) ;; esac
exec riscv64-unknown-elf-gcc --specs=picolibc.specs -DPICO_CXX_DISABLE_ALLOCATION_OVERRIDES=1 \\
    "${arguments[@]}"
"""
# ports/rp2 always passes armv6m.
_MPY_CROSS = '#!/bin/bash\nexec "%s" "${@/#-march=armv6m/-march=rv32imc}"\n'
_TOOL = '#!/bin/sh\nexec riscv64-unknown-elf-%s "$@"\n'


def environment(folder):
    """Write the commands that pico-sdk calls to `folder`; return environment variables for it."""
    commands = folder / "riscv32"
    files.make_folder(commands)
    for name in ("gcc", "g++", "objcopy", "objdump", "ar", "ranlib", "nm", "size"):
        text = _COMPILER if name in ("gcc", "g++") else _TOOL % name
        _write(commands / f"riscv32-unknown-elf-{name}", text)
    return {"PATH": os.pathsep.join([str(commands), toolchain.environment()["PATH"]])}


def mpy_cross(folder, command):
    """Write a command to `folder` that runs mpy-cross's `command` for RV32; return its path."""
    return _write(folder / "mpy-cross-rv32imc", _MPY_CROSS % command)


def _write(path, text):
    files.write(path, text.encode())
    path.chmod(0o755)
    return str(path)
