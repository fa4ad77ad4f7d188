# Tests of the machine code for x86-64: each instruction is what Capstone, a disassembler, reads
# MIT license; Copyright (c) 2026 the tflm authors

import re
import sys
from pathlib import Path

import pytest
from tflm_tools.packages.machine_code import x64, x86
from tflm_tools.packages.machine_code.x86 import X86, CodeError, at

capstone = pytest.importorskip("capstone")

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from asm.x64 import files  # noqa: E402

_LINE = re.compile(r"^    #: ((?:[0-9a-f]{2})+) (.*)$", re.MULTILINE)
_SIZES = re.compile(r"(?:xmmword|ymmword|dword|qword|word|byte) ptr |[de]s:")
# Capstone has a name for each comparison.
_COMPARE = re.compile(r"^cmpss( .*), (\d)$")
_PREDICATES = {0: "eq", 1: "lt", 2: "le", 4: "neq"}
_MEMORY = (
    at("rax"),
    at("rbp"),
    at("r13"),
    at("rsp", 8),
    at("r12", -300),
    at("rdi", 0, "rcx", 4),
    at("r8", 16, "r9", 8),
    at("r13", 0, "r14", 2),
)


# The only instruction in these bytes, which are at an address, as the listing writes it.
def disassembled(code, address):
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    instructions = list(decoder.disasm(code, address))
    assert len(instructions) == 1 and instructions[0].size == len(code), code.hex()
    text = f"{instructions[0].mnemonic} {instructions[0].op_str}"
    return _SIZES.sub("", text).strip()


# Check bytes and texts. Constants after the code are no instructions. Where an instruction reads
# one, the listing has the name of the constant and not the distance.
def check(lines):
    address = 0
    for code, text in lines:
        if text != ".byte":
            read = disassembled(code, address)
            text = _COMPARE.sub(lambda m: f"cmp{_PREDICATES[int(m[2])]}ss{m[1]}", text)
            if "[constant_" in text:
                text = re.sub(r"\[constant_\d+\]", "[rip]", text)
                read = re.sub(r"\[rip[^]]*\]", "[rip]", read)
            assert read == text, code.hex()
        address += len(code)


@pytest.mark.parametrize("name", files.FILES)
def test_kernels(name):
    for function in files.FILES[name][1]:
        lines = [(bytes.fromhex(data), text) for data, text in _LINE.findall(function())]
        assert len(lines) > 10
        check(lines)


# Instructions with each kind of operand, with the first and the last registers.
def test_operands():
    t = X86()
    for memory in _MEMORY:
        for name in x86._ARITHMETIC:
            getattr(t, name)("r9", memory)
            getattr(t, name)(memory, "rdx")
        for value in ("rcx", "r10d", "sil", "r9b", "ax", "r8w"):
            t.mov(memory, value)
        for name in ("mov", "lea", "movsxd", "movsx_byte", "movzx_word", "imul", "cmovge"):
            getattr(t, name)("r11", memory)
        for name in set(x86._ARITHMETIC_VECTORS) - {"movlhps", "movhlps"}:
            getattr(t, name)("xmm9", memory)
            getattr(t, f"v{name}")("xmm9", "xmm3", memory)
            if not name.endswith("ss"):
                getattr(t, f"v{name}")("ymm1", "ymm13", memory)
        for name in x86._ONLY_AVX:
            getattr(t, name)("ymm9", "ymm3", memory)
        for name in x86._STORES:
            getattr(t, name)(memory, "xmm10")
            getattr(t, f"v{name}")(memory, "xmm10")
    for register in ("rax", "rdi", "r9", "r15"):
        for value in (1, -1, 127, 128, -128, -129, 1000000):
            t.add(register, value)
            t.mov(register, value)
        for other in ("rcx", "r14"):
            t.mov(register, other)
            t.test(register, other)
        t.shl(register, 3)
        t.sar(register, "cl")
    check((code, text) for _, code, text in t.lines())


def test_branches():
    t = X86()
    t.label("begin")
    for _ in range(60):
        t.jne("end")
        t.jmp("begin")
    t.call("end")
    t.label("end")
    t.jae("begin")
    check((code, text) for _, code, text in t.lines())


@pytest.mark.parametrize(
    "write",
    [
        lambda t: t.mov("eax", -1),
        lambda t: t.add("rax", 1 << 31),
        lambda t: t.shl("rax", 64),
        lambda t: t.mov("rax", at("eax")),
        lambda t: t.mov("rax", at("rax", 0, "rcx", 3)),
        lambda t: t.addps("ymm1", "ymm2"),
        lambda t: t.vaddps("ymm1", "xmm2", "ymm3"),
    ],
)
def test_refused(write):
    with pytest.raises(CodeError, match="not an instruction of x86-64"):
        write(X86())


# The prologue of a function: calls need a stack at a multiple of 16, and the frame is removed.
@pytest.mark.parametrize("arguments", range(9))
def test_prologue(arguments):
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    code = x64.wrap(b"", arguments, 3)
    instructions = [(each.mnemonic, each.op_str) for each in decoder.disasm(code, 0)]
    names = [mnemonic for mnemonic, _ in instructions]
    frames = {int(text[5:], 0) for _, text in instructions if text.startswith("rsp, ")}
    assert names.count("call") == arguments + 2
    assert names.count("push") == names.count("pop") == 3
    assert names[-1] == "ret" and len(frames) <= 1
    assert all(frame % 16 == 0 for frame in frames)
