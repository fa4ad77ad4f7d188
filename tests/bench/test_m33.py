# Tests of the cycles of a Cortex-M33: sequences whose cycles are known of an RP2350
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import pytest

pytest.importorskip("capstone")
from m33 import block_cost

_ADDS, _SUBS, _MOV = 0x18C0, 0x3F01, 0x4602  # adds r0, r0, r3; subs r7, #1; mov r2, r0
_LDR, _STR = 0x6831, 0x6031  # r1, [r6]
_BNE, _IT, _NOP, _BX = 0xD1FE, 0xBF08, 0xBF00, 0x4770
_LDMIA, _MULS = 0xCE0F, 0x4348  # r6!, {r0-r3}; r0, r1, r0
_LDRD = 0xE9D6, 0x1202  # ldrd r1, r2, [r6, #8]
_SMLAD = 0xFB21, 0x0002  # smlad r0, r1, r2, r0
_SMLAD_OF_R0 = 0xFB20, 0x3302  # smlad r3, r0, r2, r3
_SHIFTED = 0xEB03, 0x4030  # add.w r0, r3, r0, ror #16
_ADD_LOADED = 0x1908  # adds r0, r1, r4

# Instructions, cycles, cycles more where the branch at the end is taken.
_CASES = {
    "one after the other": ((_ADDS, _ADDS, _ADDS), 3, 0),
    "a load is late": ((_LDR, _ADD_LOADED), 3, 0),
    "but not one instruction later": ((_LDR, _MOV, _ADD_LOADED), 3, 0),
    "nor for a store": ((_LDR, _STR), 2, 0),
    "nor for a sum": ((0x6830, *_SMLAD), 2, 0),  # ldr r0, [r6]
    "two words": ((*_LDRD, _MOV), 3, 0),
    "four words": ((_LDMIA, _MOV), 6, 0),
    "sums follow each other": (_SMLAD * 3, 3, 0),
    "a product is late": ((*_SMLAD, *_SMLAD_OF_R0), 3, 0),
    "a product with flags": ((_MULS, _SUBS), 3, 0),
    "a shifted operand is late": ((*_SHIFTED, _ADDS), 3, 0),
    "a branch after flags": ((_SUBS, _BNE), 1, 2),
    "a branch after no flags": ((_SUBS, _MOV, _BNE), 2, 1),
    "a branch after a wide instruction": ((_SUBS, *_SMLAD, _BNE), 3, 1),
    "it, nop": ((_SUBS, _IT, _MOV, _NOP), 2, 0),
    "a return": ((_MOV, _BX), 4, 0),
}


@pytest.mark.parametrize("name", _CASES)
def test_a_sequence_takes_what_was_found(name):
    halves, cycles, extra = _CASES[name]
    code = struct.pack(f"<{len(halves)}H", *halves)
    found = block_cost(0x100, code)
    assert (found[0], found[3]) == (cycles, extra)
    assert found[2] == (0x100 + len(code) if extra else None)
