# Tests of the cycle model against the Cortex-M0+ manual's table
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import pytest
from m0plus import block_cost, instruction_cycles

_MANUAL = {
    "movs r0, #1": (0x2001, 1),
    "muls r0, r1": (0x4348, 1),
    "asrs r0, r1, #16": (0x1408, 1),
    "adcs r0, r1": (0x4148, 1),
    "mov r8, r0": (0x4680, 1),
    "mov pc, lr": (0x46F7, 2),
    "add r8, r0": (0x4480, 1),
    "add pc, r0": (0x4487, 2),
    "adr r0": (0xA000, 1),
    "add r0, sp, #4": (0xA801, 1),
    "add sp, #4": (0xB001, 1),
    "sxtb r0, r0": (0xB240, 1),
    "nop": (0xBF00, 1),
    "ldr r0, [pc]": (0x4800, 2),
    "ldr r0, [r0]": (0x6800, 2),
    "strb r0, [r0]": (0x7000, 2),
    "ldrsb r0, [r0, r0]": (0x5600, 2),
    "ldrh r0, [r0]": (0x8800, 2),
    "ldr r0, [sp]": (0x9800, 2),
    "ldmia r1!, {r2-r7}": (0xC9FC, 7),
    "stmia r1!, {r0, r2}": (0xC105, 3),
    "push {r4-r7, lr}": (0xB5F0, 6),
    "pop {r4-r7}": (0xBCF0, 5),
    "pop {r4-r7, pc}": (0xBDF0, 8),
    "b": (0xE7FE, 2),
    "bne, not taken": (0xD1FE, 1),
    "bx lr": (0x4770, 2),
    "blx r3": (0x4798, 2),
    "bl": (0xF000, 3),
}


@pytest.mark.parametrize("text", _MANUAL)
def test_an_instruction_costs_what_the_manual_says(text):
    half, cycles = _MANUAL[text]
    assert instruction_cycles(half) == cycles


def test_a_block_adds_up_and_knows_what_follows_a_conditional_branch():
    code = struct.pack("<5H", 0xF000, 0xF800, 0x6800, 0x3801, 0xD1FE)
    assert block_cost(0x100, code) == (3 + 2 + 1 + 1, 4, 0x10A, 1)


def test_an_unconditional_branch_has_no_fall_through():
    assert block_cost(0x100, struct.pack("<2H", 0x2001, 0xE7FE)) == (3, 2, None, 1)
