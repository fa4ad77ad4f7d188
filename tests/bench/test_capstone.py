# Tests of machine code: every instruction is what Capstone, another disassembler, says it is
# MIT license; Copyright (c) 2026 the tflm authors

import re
from pathlib import Path

import pytest
from tflm_tools.packages.machine_code import rv32imc, xtensawin

capstone = pytest.importorskip("capstone")
if not hasattr(capstone, "CS_ARCH_XTENSA"):
    pytest.skip("Xtensa came with Capstone 6", allow_module_level=True)

_ROOT = Path(__file__).resolve().parents[2]
_KERNELS = _ROOT / "modules" / "tflm" / "kernels" / "xtensawin"
_LINE = re.compile(r"^\s+#: ((?:[0-9a-f]{2})+) (.*)$", re.MULTILINE)
_SPECIAL = re.compile(r"([rw]sr)\.(\w+) (\w+)")
_MODES = {
    "xtensa": ("CS_ARCH_XTENSA", ("CS_MODE_XTENSA_ESP32",)),
    "rv32": ("CS_ARCH_RISCV", ("CS_MODE_RISCV32", "CS_MODE_RISCVC")),
}


# [(mnemonic, operands)] in code (bytes).
def disassembled(code, arch):
    name, modes = _MODES[arch]
    disassembler = capstone.Cs(
        getattr(capstone, name), sum(getattr(capstone, mode) for mode in modes)
    )
    return [(each.mnemonic, each.op_str) for each in disassembler.disasm(code, 0)]


# Registers and numbers of an instruction; where a branch leads depends on its place.
def _operands(mnemonic, text):
    operands = re.split(r",\s*", text) if text else []
    if (
        mnemonic[0] in "bjl"
        and not mnemonic.startswith(("l8", "l16", "l32"))
        or "call8" in mnemonic
    ):
        operands = [each for each in operands if re.fullmatch(r"[am]\d+", each)]
    return [each if each[:1].isalpha() else int(each, 0) & 0xFFFFFFFF for each in operands]


# As Capstone writes what GNU's disassembler writes otherwise.
def _same(text):
    return _SPECIAL.sub(r"\1 \3, \2", text)


# Each instruction of one of the files once. The other test (GNU binutils) does not know MULSH and
# CLAMPS; Capstone does not know NOP.N.
def test_xtensa():
    lines = set()
    for path in sorted(_KERNELS.rglob("*.py")):
        lines |= set(_LINE.findall(path.read_text()))
    assert {"mulsh", "clamps", "loopnez", "ldinc"} <= {text.split()[0] for _, text in lines}
    for data, text in sorted(lines):
        if text == "nop.n" or text.startswith(("ee.", "rur.")):  # see test_pie_encodings.py
            continue
        wanted, _, operands = _same(text).partition(" ")
        found = disassembled(bytes.fromhex(data), "xtensa")
        assert len(found) == 1 and found[0][0] == wanted, (data, text, found)
        if not wanted.startswith("mula"):  # it writes halves and registers in ways of its own
            assert _operands(wanted, found[0][1]) == _operands(wanted, operands), (text, found)


# What the tools write before a function: it ends with the call of what follows, and a return.
@pytest.mark.parametrize(
    ("arch", "around", "calls", "end"),
    [
        ("rv32", rv32imc.wrap, "jalr", ["jal", "slli", "addi", "lw", "lw", "lw", "addi", "ret"]),
        ("xtensa", xtensawin.wrap, "callx8", ["call8", "slli", "addi.n", "retw.n"]),
    ],
)
def test_the_beginning_of_a_function(arch, around, calls, end):
    found = [mnemonic for mnemonic, _ in disassembled(around(b"", 3, 5), arch)]
    assert found.count(calls) == 4  # the check of the arguments, and each of them converted
    assert found[-len(end) :] == end
