# Tests of the emulated Cortex-M0+: a few instructions as firmware, counted
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import pytest

pytest.importorskip("unicorn", reason="the measuring bench needs the extra `cycles`")
core = pytest.importorskip("core")

_CODE_AT = 16
_COUNT_ON, _MARK, _COUNT_OFF = (0x2101, 0x6001), (0x6041,), (0x2100, 0x6001)
_WAIT = (0x681C, 0xE7FE)  # read the UART's state, in r3, for ever


# An ELF file whose only segment holds a vector table and this code, DEVICE in r0.
def _firmware(path, *code):
    halves = [half for halves in (*code, _WAIT) for half in halves]
    pool = 2 * (2 + len(halves)) + _CODE_AT
    pool += pool % 4
    loads = [0x4800 | (pool - _CODE_AT - 4) // 4, 0x4B00 | (pool + 4 - _CODE_AT - 4) // 4]
    flash = struct.pack("<II", 0x20001000, _CODE_AT | 1).ljust(_CODE_AT, b"\0")
    flash += struct.pack(f"<{2 + len(halves)}H", *loads, *halves)
    flash = flash.ljust(pool, b"\0") + struct.pack("<II", core.DEVICE, core.UART + core.RECEIVED)
    header = b"\x7fELF\x01".ljust(28, b"\0") + struct.pack("<I", 52)
    header = header.ljust(42, b"\0") + struct.pack("<HH", 32, 1)
    segment = struct.pack("<8I", 1, 84, 0, 0, len(flash), len(flash), 5, 4)
    path.write_bytes(header.ljust(52, b"\0") + segment + flash)
    return path


# The machine after it ran this code.
def _run(folder, *code, alignment=False):
    machine = core.Core("m0plus", _firmware(folder / "firmware.elf", *code), alignment)
    machine.uc.reg_write(core.arm.UC_ARM_REG_PC, _CODE_AT)
    machine.run()
    return machine


def test_a_loop_costs_its_taken_branches(tmp_path):
    loop = (0x220A, 0x3A01, 0xD1FD)  # movs r2, #10; subs r2, #1; bne
    # MARK, too, is a store of 2 cycles; a block is counted as a whole when it begins.
    machine = _run(tmp_path, _COUNT_ON, _MARK, loop, _MARK, _COUNT_OFF)
    (_, before, _), (_, after, instructions) = machine.marks
    assert before == 2 + 1 + 2  # str, movs, the first subs and bne
    last = 2 + 1 + 2 + 2 + 2  # str, movs, str, ldr, b
    assert after - before == 9 * 2 + 9 + last
    assert instructions == 4 + 9 * 2 + 5


def test_code_outside_of_counting_costs_nothing(tmp_path):
    machine = _run(tmp_path, (0x2200, 0x2200), _COUNT_ON, _COUNT_OFF, (0x2200, 0x2200))
    assert machine.cycles == 1 + 2 + 2 + 2 + 1 + 1
    assert machine.marks == []


def test_memory_is_shown(tmp_path):
    show = (0x2108, 0x6081, 0x2104, 0x60C1)  # 8 into PEEK_ADDRESS, 4 into PEEK
    machine = _run(tmp_path, show)
    assert len(machine.peeks) == 1
    assert bytes.fromhex(machine.peeks[0]) == machine.uc.mem_read(8, 4)


def test_an_unaligned_load_is_an_error_when_asked_for(tmp_path):
    load = (0x2105, 0x680A)  # movs r1, #5; ldr r2, [r1]
    assert _run(tmp_path, _COUNT_ON, load, (0x2100,)).cycles
    with pytest.raises(core.CoreError, match="unaligned address 0x00000005"):
        _run(tmp_path, _COUNT_ON, load, (0x2100,), alignment=True)


def test_a_crash_names_its_address(tmp_path):
    with pytest.raises(core.CoreError, match="0x000000"):
        _run(tmp_path, (0x2101, 0x0709, 0x680A))  # a load from 0x10000000: nothing is there
