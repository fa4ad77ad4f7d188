# tflm: ADD, int8: assembler for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py xtensawin` from
# tools/asm/xtensawin/elementwise.py: change that, not this.

import micropython


# ADD of int8 by a table (prepare/add_table.py). The arena, and the offset of a block of parameters
# in it (ADD in tools/asm/common/parameters.py).
@micropython.viper
def add_run(arena, offset):
    #: 366100 entry a1, 48
    #: 2a33 add.n a3, a3, a2
    #: 4803 l32i.n a4, a3, 0
    #: 5813 l32i.n a5, a3, 4
    #: 2823 l32i.n a2, a3, 8
    #: b833 l32i.n a11, a3, 12
    #: 6843 l32i.n a6, a3, 16
    #: 7853 l32i.n a7, a3, 20
    #: 8863 l32i.n a8, a3, 24
    #: 9873 l32i.n a9, a3, 28
    #: a883 l32i.n a10, a3, 32
    #: 2901 s32i.n a2, a1, 0
    #: b044c0 sub a4, a4, a11
    #: b055c0 sub a5, a5, a11
    #: b022c0 sub a2, a2, a11
    #: d20500 l8ui a13, a5, 0
    #: c20400 l8ui a12, a4, 0
    #: 60dda0 addx4 a13, a13, a6
    #: 80cc01 slli a12, a12, 24
    #: d80d l32i.n a13, a13, 0
    #: c0c831 srai a12, a12, 24
    #: 70bc82 mull a11, a12, a7
    #: 1b44 addi.n a4, a4, 1
    #: 1b55 addi.n a5, a5, 1
    #: dabb add.n a11, a11, a13
    #: c893 l32i.n a12, a3, 36
    #: d8a3 l32i.n a13, a3, 40
    #: b0ef21 srai a14, a11, 15
    #: b0b0e4 extui a11, a11, 0, 15
    #: c0fe82 mull a15, a14, a12
    #: d0ee82 mull a14, a14, a13
    #: c0cb82 mull a12, a11, a12
    #: d0bb82 mull a11, a11, a13
    #: c0cf41 srli a12, a12, 15
    #: caff add.n a15, a15, a12
    #: f0f121 srai a15, a15, 1
    #: fabb add.n a11, a11, a15
    #: b2db40 addmi a11, a11, 0x4000
    #: b0bf21 srai a11, a11, 15
    #: eabb add.n a11, a11, a14
    #: e8b3 l32i.n a14, a3, 44
    #: 161e01 beqz a14, 0x7b
    #: 0bee addi.n a14, a14, -1
    #: 000e40 ssr a14
    #: b0ff31 srai a15, a11, 31
    #: fabb add.n a11, a11, a15
    #: b0b0b1 sra a11, a11
    #: 1bbb addi.n a11, a11, 1
    #: b0b121 srai a11, a11, 1
    #: 8abb add.n a11, a11, a8
    #: 90bb53 max a11, a11, a9
    #: a0bb43 min a11, a11, a10
    #: b24200 s8i a11, a2, 0
    #: 1b22 addi.n a2, a2, 1
    #: c801 l32i.n a12, a1, 0
    #: c79294 bne a2, a12, 0x22
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")
