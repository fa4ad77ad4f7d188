# Tests of the machine code for Xtensa: each instruction is what GNU's disassembler says it is
# MIT license; Copyright (c) 2026 the tflm authors

import re
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "firmware"))

import toolchain  # noqa: E402
from build_folders import TOOLCHAIN  # noqa: E402
from tflm_tools.packages.machine_code import xtensawin  # noqa: E402

_TABLES = TOOLCHAIN / "xtensa" / "tables.so"
_OBJDUMP = "xtensa-lx106-elf-objdump"
_LINE = re.compile(r"^\s+#: ((?:[0-9a-f]{2})+) (.*)$", re.MULTILINE)
_KERNELS = _ROOT / "modules" / "tflm" / "kernels" / "xtensawin"
_BENCH = _ROOT / "bench" / "device" / "cycles_xtensa.py"

pytestmark = pytest.mark.skipif(
    not (_TABLES.exists() and toolchain.have(_OBJDUMP)),
    reason="there is no disassembler for Xtensa; `make firmware BOARD=QEMU_XTENSA` brings it",
)


# [(bytes in hex, instruction)] that binutils reads in machine code.
def disassembled(code, tmp_path):
    path = tmp_path / "code"
    path.write_bytes(code)
    answer = subprocess.run(
        [toolchain.have(_OBJDUMP), "-D", "-bbinary", "-mxtensa", path],
        env=dict(toolchain.environment(), XTENSA_GNU_CONFIG=str(_TABLES)),
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.findall(r"^ *[0-9a-f]+:\s+([0-9a-f]+)\s+(.*)$", answer.stdout, re.MULTILINE)
    return [(data, re.sub(r"\s+", " ", text.split("(")[0]).strip()) for data, text in found]


# An instruction whose hexadecimal numbers are decimal: the disassembler prints long ones so.
def _decimal(data, text):
    def number(found):
        value = int(found[0], 16)
        return str(value - (value >> 31 << 32))

    return data, re.sub(r"\b0x[0-9a-f]+", number, text)


# Functions of the kernel files: their lines as (bytes, instruction).
def _functions():
    for path in [*sorted(_KERNELS.rglob("*.py")), _BENCH]:
        for text in path.read_text().split("\ndef ")[1:]:
            if lines := _LINE.findall(text):
                yield pytest.param(lines, id=f"{path.stem}.{text.split('(')[0]}")


_NO_FPU = (
    *("add.s", "sub.s", "mul.s", "abs.s", "olt.s", "movt.s", "round.s", "float.s"),
    *("wfr", "rfr", "lsx", "lsi", "ssi", "bf"),
)


# The core whose tables these are has no FPU and no MULSH, which test_capstone.py reads. MULSH is
# MULL with a 1 and a 1 in its two highest bits but one.
def _known(data, text):
    if text.split()[0] in _NO_FPU:
        return "f02000", "nop"
    if not text.startswith("mulsh "):
        return data, text
    assert data.endswith("b2")
    return data[:-2] + "82", text.replace("mulsh", "mull")


# The tables have no vector unit, whose instructions test_pie_encodings.py checks.
def _is_vector(text):
    return text.startswith(("ee.", "rur."))


# Instructions of the vector unit become other instructions of the same size.
def _replaced(data, text):
    if not _is_vector(text):
        return [(data, text)]
    return [("3df0", "nop.n")] * 2 if len(data) == 8 else [("f02000", "nop")]


@pytest.mark.parametrize("lines", list(_functions()))
def test_listings_are_what_the_disassembler_reads(lines, tmp_path):
    lines = [_known(*each) for line in lines for each in _replaced(*line)]
    code = b"".join(bytes.fromhex(data) for data, _ in lines)
    found = disassembled(code, tmp_path)
    assert [_decimal(*each) for each in found] == [_decimal(*each) for each in lines]


# What the tools write before a function of four arguments.
def test_the_beginning_of_a_function(tmp_path):
    code = xtensawin.wrap(bytes.fromhex("3641001df0"), 4, 3)
    texts = [text for _, text in disassembled(code, tmp_path)]
    assert texts[:3] == ["entry a1, 64", "l32i.n a6, a2, 4", "l32i.n a6, a6, 12"]
    assert f"call8 0x{len(code) - 5:x}" in texts and texts[-2:] == ["entry a1, 32", "retw.n"]
