# Tests of the encoder of the ESP32-S3's vector unit (tools/asm/encoders/pie.py)
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "tools"))
sys.path.insert(0, str(_ROOT / "bench"))

from asm.encoders.pie import Pie  # noqa: E402
from xtensa_core import Core  # noqa: E402

# (method, operands, bytes in memory, instruction), read in the tests of LLVM's assembler. GNU's
# assembler makes the same bytes.
_INSTRUCTIONS = (
    ("vld_ip", ("q3", "a14", 1248), "e4ce93", "ee.vld.128.ip q3, a14, 1248"),
    ("vst_ip", ("q3", "a6", -816), "64cdda", "ee.vst.128.ip q3, a6, -816"),
    ("vld_xp", ("q5", "a10", "a12"), "a4acad", "ee.vld.128.xp q5, a10, a12"),
    ("mul_accx", ("q1", "q0"), "c4011a", "ee.vmulas.s8.accx q1, q0"),
    ("mul_qacc", ("q5", "q7"), "c47d1a", "ee.vmulas.s8.qacc q5, q7"),
    ("mul_accx_load", ("q2", "a8", 80, "q3", "q0"), "8ec502f1",
     "ee.vmulas.s8.accx.ld.ip q2, a8, 80, q3, q0"),
    ("mul_accx_load", ("q3", "a3", "a4", "q4", "q7"), "3f349af1",
     "ee.vmulas.s8.accx.ld.xp q3, a3, a4, q4, q7"),
    ("mul_qacc_load", ("q5", "a10", -16, "q0", "q0"), "ae0f0bfe",
     "ee.vmulas.s8.qacc.ld.ip q5, a10, -16, q0, q0"),
    ("mul_qacc_load", ("q1", "a1", "a12", "q5", "q0"), "1f4c1bf0",
     "ee.vmulas.s8.qacc.ld.xp q1, a1, a12, q5, q0"),
    ("zero_accx", (), "040825", "ee.zero.accx"),
    ("zero_qacc", (), "440825", "ee.zero.qacc"),
    ("rur", ("a11", "accx_0"), "00b0e3", "rur.accx_0 a11"),
    ("rur", ("a1", "qacc_h_0"), "2010e3", "rur.qacc_h_0 a1"),
    ("rur", ("a13", "qacc_h_4"), "60d0e3", "rur.qacc_h_4 a13"),
    ("rur", ("a8", "qacc_l_0"), "7080e3", "rur.qacc_l_0 a8"),
    ("rur", ("a7", "qacc_l_4"), "b070e3", "rur.qacc_l_4 a7"),
)  # fmt: skip


@pytest.mark.parametrize(("method", "operands", "code", "text"), _INSTRUCTIONS)
def test_encodings(method, operands, code, text):
    function = Pie("encodings", "", 0)
    getattr(function, method)(*operands)
    _, data, shown = list(function.lines())[-1]
    assert (data.hex(), shown) == (code, text)


# The result of a function in the emulator, with 64 bytes at address 0: 0, 1, 2, ...
def _run(write, arguments=()):
    memory = bytearray(range(64))
    function = Pie("run", "", len(arguments))
    write(function)
    function.retw()

    def read(address, size):
        return int.from_bytes(memory[address : address + size], "little")

    def store(address, size, value):
        memory[address : address + size] = value.to_bytes(size, "little")

    return Core(read, store).call(function.code(), arguments), memory


# Load q0 from address a2 and q1 from address a3.
def _load(function):
    function.vld_ip("q0", "a2", 16)
    function.vld_ip("q1", "a3", 0)


def test_sum_of_all_lanes():
    def write(function):
        _load(function)
        function.zero_accx()
        function.mul_accx_load("q0", "a2", 16, "q0", "q1")
        function.mul_accx("q0", "q1")
        function.nop()
        function.nop()
        function.rur("a2", "accx_0")

    wanted = sum(i * (32 + i) + (16 + i) * (32 + i) for i in range(16))
    assert _run(write, (0, 32))[0] == wanted


# Lane 9 is lane 1 of QACC_H: bits 20 to 39.
def test_sum_of_a_lane():
    def write(function):
        _load(function)
        function.zero_qacc()
        function.mul_qacc("q0", "q1")
        function.mul_qacc("q0", "q1")
        function.nop()
        function.nop()
        function.rur("a3", "qacc_h_0")
        function.rur("a4", "qacc_h_1")
        function.ssai(20)
        function.src("a2", "a4", "a3")
        function.extui("a2", "a2", 0, 16)

    assert _run(write, (0, 16))[0] == 2 * 9 * (16 + 9)


def test_store():
    def write(function):
        function.vld_ip("q5", "a2", 16)
        function.vst_ip("q5", "a2", 0)

    memory = _run(write, (16,))[1]
    assert memory[32:48] == bytes(range(16, 32)) and memory[48:] == bytes(range(48, 64))


def test_unaligned_vector_is_an_error():
    with pytest.raises(AssertionError, match="unaligned vector"):
        _run(_load, (8, 16))


def test_early_read_is_an_error():
    def write(function):
        _load(function)
        function.zero_accx()
        function.mul_accx("q0", "q1")
        function.nop()
        function.rur("a2", "accx_0")

    with pytest.raises(AssertionError, match="too early"):
        _run(write, (0, 16))


# 63 * 63 fits 132 times in 19 bits.
def test_saturation_is_an_error():
    def write(function):
        _load(function)
        function.zero_qacc()
        for _ in range(133):
            function.mul_qacc("q0", "q0")

    with pytest.raises(AssertionError, match="saturates"):
        _run(write, (48, 48))
