# tflm: AVERAGE_POOL_2D and MAX_POOL_2D, int8: assembler for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py xtensawin` from
# tools/asm/xtensawin/pooling.py: change that, not this.

import micropython


# Averages of windows of int8, four channels of a word at once: one row of the output. `op` is the
# record (POOLING in prepare/pooling.py), `unit` the number of the row.
@micropython.viper
def average_4(op, arena, rom, unit):
    #: 368100 entry a1, 64
    #: b822 l32i.n a11, a2, 8
    #: a862 l32i.n a10, a2, 24
    #: 9882 l32i.n a9, a2, 32
    #: 9911 s32i.n a9, a1, 4
    #: b0b241 srli a11, a11, 2
    #: a09982 mull a9, a9, a10
    #: 3abb add.n a11, a11, a3
    #: 509982 mull a9, a9, a5
    #: 9abb add.n a11, a11, a9
    #: 6812 l32i.n a6, a2, 4
    #: 609004 extui a9, a6, 0, 1
    #: 606241 srli a6, a6, 2
    #: 161900 beqz a9, 0x25
    #: 3d04 mov.n a3, a4
    #: 3a66 add.n a6, a6, a3
    #: 7872 l32i.n a7, a2, 28
    #: 7085c2 quou a8, a5, a7
    #: 707882 mull a7, a8, a7
    #: 7055c0 sub a5, a5, a7
    #: 98b2 l32i.n a9, a2, 44
    #: 905582 mull a5, a5, a9
    #: 98d2 l32i.n a9, a2, 52
    #: 9055c0 sub a5, a5, a9
    #: 9892 l32i.n a9, a2, 36
    #: 9a75 add.n a7, a5, a9
    #: 4842 l32i.n a4, a2, 16
    #: 407743 min a7, a7, a4
    #: 0c09 movi.n a9, 0
    #: 905553 max a5, a5, a9
    #: 5077c0 sub a7, a7, a5
    #: 7931 s32i.n a7, a1, 12
    #: 408882 mull a8, a8, a4
    #: 5a88 add.n a8, a8, a5
    #: 9852 l32i.n a9, a2, 20
    #: 908882 mull a8, a8, a9
    #: a08882 mull a8, a8, a10
    #: 8a66 add.n a6, a6, a8
    #: 6901 s32i.n a6, a1, 0
    #: 98e2 l32i.n a9, a2, 56
    #: 909060 neg a9, a9
    #: 9921 s32i.n a9, a1, 8
    #: f2a080 movi a15, 128
    #: f2a080 movi a15, 128
    #: 004f11 slli a4, a15, 16
    #: 4aff add.n a15, a15, a4
    #: 804f11 slli a4, a15, 8
    #: 40ff20 or a15, a15, a4
    #: 6821 l32i.n a6, a1, 8
    #: 98a2 l32i.n a9, a2, 40
    #: 8852 l32i.n a8, a2, 20
    #: 9a76 add.n a7, a6, a9
    #: 807743 min a7, a7, a8
    #: 0c09 movi.n a9, 0
    #: 906653 max a6, a6, a9
    #: 6077c0 sub a7, a7, a6
    #: 7941 s32i.n a7, a1, 16
    #: 9831 l32i.n a9, a1, 12
    #: 709982 mull a9, a9, a7
    #: 9961 s32i.n a9, a1, 24
    #: 7088c0 sub a8, a8, a7
    #: a08882 mull a8, a8, a10
    #: 8951 s32i.n a8, a1, 20
    #: a06682 mull a6, a6, a10
    #: e801 l32i.n a14, a1, 0
    #: 6aee add.n a14, a14, a6
    #: aa9e add.n a9, a14, a10
    #: 9971 s32i.n a9, a1, 28
    #: 3d0e mov.n a3, a14
    #: c831 l32i.n a12, a1, 12
    #: 0c06 movi.n a6, 0
    #: 0c07 movi.n a7, 0
    #: 0c08 movi.n a8, 0
    #: 0c09 movi.n a9, 0
    #: d841 l32i.n a13, a1, 16
    #: 4803 l32i.n a4, a3, 0
    #: aa33 add.n a3, a3, a10
    #: 0bdd addi.n a13, a13, -1
    #: f04430 xor a4, a4, a15
    #: 405074 extui a5, a4, 0, 8
    #: 5a66 add.n a6, a6, a5
    #: 405874 extui a5, a4, 8, 8
    #: 5a77 add.n a7, a7, a5
    #: 405075 extui a5, a4, 16, 8
    #: 5a88 add.n a8, a8, a5
    #: 404875 extui a4, a4, 24, 8
    #: 4a99 add.n a9, a9, a4
    #: 56fdfd bnez a13, 0xb5
    #: 4851 l32i.n a4, a1, 20
    #: 0bcc addi.n a12, a12, -1
    #: 4a33 add.n a3, a3, a4
    #: 564cfd bnez a12, 0xb3
    #: c861 l32i.n a12, a1, 24
    #: c0d141 srli a13, a12, 1
    #: 903c11 slli a3, a12, 7
    #: 3066c0 sub a6, a6, a3
    #: 604160 abs a4, a6
    #: da44 add.n a4, a4, a13
    #: c044c2 quou a4, a4, a12
    #: d62600 bgez a6, 0xf7
    #: 404060 neg a4, a4
    #: 58f2 l32i.n a5, a2, 60
    #: 504453 max a4, a4, a5
    #: 522210 l32i a5, a2, 64
    #: 504443 min a4, a4, a5
    #: 424b00 s8i a4, a11, 0
    #: 3077c0 sub a7, a7, a3
    #: 704160 abs a4, a7
    #: da44 add.n a4, a4, a13
    #: c044c2 quou a4, a4, a12
    #: d62700 bgez a7, 0x116
    #: 404060 neg a4, a4
    #: 58f2 l32i.n a5, a2, 60
    #: 504453 max a4, a4, a5
    #: 522210 l32i a5, a2, 64
    #: 504443 min a4, a4, a5
    #: 424b01 s8i a4, a11, 1
    #: 3088c0 sub a8, a8, a3
    #: 804160 abs a4, a8
    #: da44 add.n a4, a4, a13
    #: c044c2 quou a4, a4, a12
    #: d62800 bgez a8, 0x135
    #: 404060 neg a4, a4
    #: 58f2 l32i.n a5, a2, 60
    #: 504453 max a4, a4, a5
    #: 522210 l32i a5, a2, 64
    #: 504443 min a4, a4, a5
    #: 424b02 s8i a4, a11, 2
    #: 3099c0 sub a9, a9, a3
    #: 904160 abs a4, a9
    #: da44 add.n a4, a4, a13
    #: c044c2 quou a4, a4, a12
    #: d62900 bgez a9, 0x154
    #: 404060 neg a4, a4
    #: 58f2 l32i.n a5, a2, 60
    #: 504453 max a4, a4, a5
    #: 522210 l32i a5, a2, 64
    #: 504443 min a4, a4, a5
    #: 424b03 s8i a4, a11, 3
    #: 4bbb addi.n a11, a11, 4
    #: 4bee addi.n a14, a14, 4
    #: 4871 l32i.n a4, a1, 28
    #: 471e02 beq a14, a4, 0x16e
    #: 06ceff j 0xa7
    #: 7811 l32i.n a7, a1, 4
    #: 6821 l32i.n a6, a1, 8
    #: 88c2 l32i.n a8, a2, 48
    #: 0b77 addi.n a7, a7, -1
    #: 8a66 add.n a6, a6, a8
    #: 7911 s32i.n a7, a1, 4
    #: 6921 s32i.n a6, a1, 8
    #: 162700 beqz a7, 0x182
    #: 46bdff j 0x78
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# Averages of windows of int8, channel by channel: one row of the output. `op` is the
# record (POOLING in prepare/pooling.py), `unit` the number of the row.
@micropython.viper
def average_1(op, arena, rom, unit):
    #: 368100 entry a1, 64
    #: b822 l32i.n a11, a2, 8
    #: a862 l32i.n a10, a2, 24
    #: 9882 l32i.n a9, a2, 32
    #: 9911 s32i.n a9, a1, 4
    #: b0b241 srli a11, a11, 2
    #: a09982 mull a9, a9, a10
    #: 3abb add.n a11, a11, a3
    #: 509982 mull a9, a9, a5
    #: 9abb add.n a11, a11, a9
    #: 6812 l32i.n a6, a2, 4
    #: 609004 extui a9, a6, 0, 1
    #: 606241 srli a6, a6, 2
    #: 161900 beqz a9, 0x25
    #: 3d04 mov.n a3, a4
    #: 3a66 add.n a6, a6, a3
    #: 7872 l32i.n a7, a2, 28
    #: 7085c2 quou a8, a5, a7
    #: 707882 mull a7, a8, a7
    #: 7055c0 sub a5, a5, a7
    #: 98b2 l32i.n a9, a2, 44
    #: 905582 mull a5, a5, a9
    #: 98d2 l32i.n a9, a2, 52
    #: 9055c0 sub a5, a5, a9
    #: 9892 l32i.n a9, a2, 36
    #: 9a75 add.n a7, a5, a9
    #: 4842 l32i.n a4, a2, 16
    #: 407743 min a7, a7, a4
    #: 0c09 movi.n a9, 0
    #: 905553 max a5, a5, a9
    #: 5077c0 sub a7, a7, a5
    #: 7931 s32i.n a7, a1, 12
    #: 408882 mull a8, a8, a4
    #: 5a88 add.n a8, a8, a5
    #: 9852 l32i.n a9, a2, 20
    #: 908882 mull a8, a8, a9
    #: a08882 mull a8, a8, a10
    #: 8a66 add.n a6, a6, a8
    #: 6901 s32i.n a6, a1, 0
    #: 98e2 l32i.n a9, a2, 56
    #: 909060 neg a9, a9
    #: 9921 s32i.n a9, a1, 8
    #: f2a080 movi a15, 128
    #: 6821 l32i.n a6, a1, 8
    #: 98a2 l32i.n a9, a2, 40
    #: 8852 l32i.n a8, a2, 20
    #: 9a76 add.n a7, a6, a9
    #: 807743 min a7, a7, a8
    #: 0c09 movi.n a9, 0
    #: 906653 max a6, a6, a9
    #: 6077c0 sub a7, a7, a6
    #: 7941 s32i.n a7, a1, 16
    #: 9831 l32i.n a9, a1, 12
    #: 709982 mull a9, a9, a7
    #: 9961 s32i.n a9, a1, 24
    #: 7088c0 sub a8, a8, a7
    #: a08882 mull a8, a8, a10
    #: 8951 s32i.n a8, a1, 20
    #: a06682 mull a6, a6, a10
    #: e801 l32i.n a14, a1, 0
    #: 6aee add.n a14, a14, a6
    #: aa9e add.n a9, a14, a10
    #: 9971 s32i.n a9, a1, 28
    #: 3d0e mov.n a3, a14
    #: c831 l32i.n a12, a1, 12
    #: 0c06 movi.n a6, 0
    #: d841 l32i.n a13, a1, 16
    #: 420300 l8ui a4, a3, 0
    #: aa33 add.n a3, a3, a10
    #: 0bdd addi.n a13, a13, -1
    #: f04430 xor a4, a4, a15
    #: 404074 extui a4, a4, 0, 8
    #: 4a66 add.n a6, a6, a4
    #: 56ddfe bnez a13, 0xa1
    #: 4851 l32i.n a4, a1, 20
    #: 0bcc addi.n a12, a12, -1
    #: 4a33 add.n a3, a3, a4
    #: 562cfe bnez a12, 0x9f
    #: c861 l32i.n a12, a1, 24
    #: c0d141 srli a13, a12, 1
    #: 903c11 slli a3, a12, 7
    #: 3066c0 sub a6, a6, a3
    #: 604160 abs a4, a6
    #: da44 add.n a4, a4, a13
    #: c044c2 quou a4, a4, a12
    #: d62600 bgez a6, 0xd5
    #: 404060 neg a4, a4
    #: 58f2 l32i.n a5, a2, 60
    #: 504453 max a4, a4, a5
    #: 522210 l32i a5, a2, 64
    #: 504443 min a4, a4, a5
    #: 424b00 s8i a4, a11, 0
    #: 1bbb addi.n a11, a11, 1
    #: 1bee addi.n a14, a14, 1
    #: 4871 l32i.n a4, a1, 28
    #: 471e02 beq a14, a4, 0xef
    #: 46eaff j 0x99
    #: 7811 l32i.n a7, a1, 4
    #: 6821 l32i.n a6, a1, 8
    #: 88c2 l32i.n a8, a2, 48
    #: 0b77 addi.n a7, a7, -1
    #: 8a66 add.n a6, a6, a8
    #: 7911 s32i.n a7, a1, 4
    #: 6921 s32i.n a6, a1, 8
    #: 162700 beqz a7, 0x103
    #: 86d9ff j 0x6a
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# Maxima of windows of int8, four channels of a word at once: one row of the output. `op` is the
# record (POOLING in prepare/pooling.py), `unit` the number of the row.
@micropython.viper
def maximum_4(op, arena, rom, unit):
    #: 368100 entry a1, 64
    #: b822 l32i.n a11, a2, 8
    #: a862 l32i.n a10, a2, 24
    #: 9882 l32i.n a9, a2, 32
    #: 9911 s32i.n a9, a1, 4
    #: b0b241 srli a11, a11, 2
    #: a09982 mull a9, a9, a10
    #: 3abb add.n a11, a11, a3
    #: 509982 mull a9, a9, a5
    #: 9abb add.n a11, a11, a9
    #: 6812 l32i.n a6, a2, 4
    #: 609004 extui a9, a6, 0, 1
    #: 606241 srli a6, a6, 2
    #: 161900 beqz a9, 0x25
    #: 3d04 mov.n a3, a4
    #: 3a66 add.n a6, a6, a3
    #: 7872 l32i.n a7, a2, 28
    #: 7085c2 quou a8, a5, a7
    #: 707882 mull a7, a8, a7
    #: 7055c0 sub a5, a5, a7
    #: 98b2 l32i.n a9, a2, 44
    #: 905582 mull a5, a5, a9
    #: 98d2 l32i.n a9, a2, 52
    #: 9055c0 sub a5, a5, a9
    #: 9892 l32i.n a9, a2, 36
    #: 9a75 add.n a7, a5, a9
    #: 4842 l32i.n a4, a2, 16
    #: 407743 min a7, a7, a4
    #: 0c09 movi.n a9, 0
    #: 905553 max a5, a5, a9
    #: 5077c0 sub a7, a7, a5
    #: 7931 s32i.n a7, a1, 12
    #: 408882 mull a8, a8, a4
    #: 5a88 add.n a8, a8, a5
    #: 9852 l32i.n a9, a2, 20
    #: 908882 mull a8, a8, a9
    #: a08882 mull a8, a8, a10
    #: 8a66 add.n a6, a6, a8
    #: 6901 s32i.n a6, a1, 0
    #: 98e2 l32i.n a9, a2, 56
    #: 909060 neg a9, a9
    #: 9921 s32i.n a9, a1, 8
    #: f2a080 movi a15, 128
    #: f2a080 movi a15, 128
    #: 004f11 slli a4, a15, 16
    #: 4aff add.n a15, a15, a4
    #: 804f11 slli a4, a15, 8
    #: 40ff20 or a15, a15, a4
    #: 6821 l32i.n a6, a1, 8
    #: 98a2 l32i.n a9, a2, 40
    #: 8852 l32i.n a8, a2, 20
    #: 9a76 add.n a7, a6, a9
    #: 807743 min a7, a7, a8
    #: 0c09 movi.n a9, 0
    #: 906653 max a6, a6, a9
    #: 6077c0 sub a7, a7, a6
    #: 7941 s32i.n a7, a1, 16
    #: 9831 l32i.n a9, a1, 12
    #: 709982 mull a9, a9, a7
    #: 9961 s32i.n a9, a1, 24
    #: 7088c0 sub a8, a8, a7
    #: a08882 mull a8, a8, a10
    #: 8951 s32i.n a8, a1, 20
    #: a06682 mull a6, a6, a10
    #: e801 l32i.n a14, a1, 0
    #: 6aee add.n a14, a14, a6
    #: aa9e add.n a9, a14, a10
    #: 9971 s32i.n a9, a1, 28
    #: 3d0e mov.n a3, a14
    #: c831 l32i.n a12, a1, 12
    #: 62af80 movi a6, -128
    #: 806601 slli a6, a6, 24
    #: 72af80 movi a7, -128
    #: 807701 slli a7, a7, 24
    #: 82af80 movi a8, -128
    #: 808801 slli a8, a8, 24
    #: 92af80 movi a9, -128
    #: 809901 slli a9, a9, 24
    #: d841 l32i.n a13, a1, 16
    #: 4803 l32i.n a4, a3, 0
    #: aa33 add.n a3, a3, a10
    #: 0bdd addi.n a13, a13, -1
    #: 805401 slli a5, a4, 24
    #: 506653 max a6, a6, a5
    #: 005411 slli a5, a4, 16
    #: 507753 max a7, a7, a5
    #: 805411 slli a5, a4, 8
    #: 508853 max a8, a8, a5
    #: 409953 max a9, a9, a4
    #: 561dfe bnez a13, 0xc5
    #: 4851 l32i.n a4, a1, 20
    #: 0bcc addi.n a12, a12, -1
    #: 4a33 add.n a3, a3, a4
    #: 566cfd bnez a12, 0xc3
    #: 606831 srai a6, a6, 24
    #: 58f2 l32i.n a5, a2, 60
    #: 506653 max a6, a6, a5
    #: 522210 l32i a5, a2, 64
    #: 506643 min a6, a6, a5
    #: 624b00 s8i a6, a11, 0
    #: 707831 srai a7, a7, 24
    #: 58f2 l32i.n a5, a2, 60
    #: 507753 max a7, a7, a5
    #: 522210 l32i a5, a2, 64
    #: 507743 min a7, a7, a5
    #: 724b01 s8i a7, a11, 1
    #: 808831 srai a8, a8, 24
    #: 58f2 l32i.n a5, a2, 60
    #: 508853 max a8, a8, a5
    #: 522210 l32i a5, a2, 64
    #: 508843 min a8, a8, a5
    #: 824b02 s8i a8, a11, 2
    #: 909831 srai a9, a9, 24
    #: 58f2 l32i.n a5, a2, 60
    #: 509953 max a9, a9, a5
    #: 522210 l32i a5, a2, 64
    #: 509943 min a9, a9, a5
    #: 924b03 s8i a9, a11, 3
    #: 4bbb addi.n a11, a11, 4
    #: 4bee addi.n a14, a14, 4
    #: 4871 l32i.n a4, a1, 28
    #: 471e02 beq a14, a4, 0x13c
    #: 86daff j 0xa7
    #: 7811 l32i.n a7, a1, 4
    #: 6821 l32i.n a6, a1, 8
    #: 88c2 l32i.n a8, a2, 48
    #: 0b77 addi.n a7, a7, -1
    #: 8a66 add.n a6, a6, a8
    #: 7911 s32i.n a7, a1, 4
    #: 6921 s32i.n a6, a1, 8
    #: 162700 beqz a7, 0x150
    #: c6c9ff j 0x78
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# Maxima of windows of int8, channel by channel: one row of the output. `op` is the
# record (POOLING in prepare/pooling.py), `unit` the number of the row.
@micropython.viper
def maximum_1(op, arena, rom, unit):
    #: 368100 entry a1, 64
    #: b822 l32i.n a11, a2, 8
    #: a862 l32i.n a10, a2, 24
    #: 9882 l32i.n a9, a2, 32
    #: 9911 s32i.n a9, a1, 4
    #: b0b241 srli a11, a11, 2
    #: a09982 mull a9, a9, a10
    #: 3abb add.n a11, a11, a3
    #: 509982 mull a9, a9, a5
    #: 9abb add.n a11, a11, a9
    #: 6812 l32i.n a6, a2, 4
    #: 609004 extui a9, a6, 0, 1
    #: 606241 srli a6, a6, 2
    #: 161900 beqz a9, 0x25
    #: 3d04 mov.n a3, a4
    #: 3a66 add.n a6, a6, a3
    #: 7872 l32i.n a7, a2, 28
    #: 7085c2 quou a8, a5, a7
    #: 707882 mull a7, a8, a7
    #: 7055c0 sub a5, a5, a7
    #: 98b2 l32i.n a9, a2, 44
    #: 905582 mull a5, a5, a9
    #: 98d2 l32i.n a9, a2, 52
    #: 9055c0 sub a5, a5, a9
    #: 9892 l32i.n a9, a2, 36
    #: 9a75 add.n a7, a5, a9
    #: 4842 l32i.n a4, a2, 16
    #: 407743 min a7, a7, a4
    #: 0c09 movi.n a9, 0
    #: 905553 max a5, a5, a9
    #: 5077c0 sub a7, a7, a5
    #: 7931 s32i.n a7, a1, 12
    #: 408882 mull a8, a8, a4
    #: 5a88 add.n a8, a8, a5
    #: 9852 l32i.n a9, a2, 20
    #: 908882 mull a8, a8, a9
    #: a08882 mull a8, a8, a10
    #: 8a66 add.n a6, a6, a8
    #: 6901 s32i.n a6, a1, 0
    #: 98e2 l32i.n a9, a2, 56
    #: 909060 neg a9, a9
    #: 9921 s32i.n a9, a1, 8
    #: f2a080 movi a15, 128
    #: 6821 l32i.n a6, a1, 8
    #: 98a2 l32i.n a9, a2, 40
    #: 8852 l32i.n a8, a2, 20
    #: 9a76 add.n a7, a6, a9
    #: 807743 min a7, a7, a8
    #: 0c09 movi.n a9, 0
    #: 906653 max a6, a6, a9
    #: 6077c0 sub a7, a7, a6
    #: 7941 s32i.n a7, a1, 16
    #: 9831 l32i.n a9, a1, 12
    #: 709982 mull a9, a9, a7
    #: 9961 s32i.n a9, a1, 24
    #: 7088c0 sub a8, a8, a7
    #: a08882 mull a8, a8, a10
    #: 8951 s32i.n a8, a1, 20
    #: a06682 mull a6, a6, a10
    #: e801 l32i.n a14, a1, 0
    #: 6aee add.n a14, a14, a6
    #: aa9e add.n a9, a14, a10
    #: 9971 s32i.n a9, a1, 28
    #: 3d0e mov.n a3, a14
    #: c831 l32i.n a12, a1, 12
    #: 62af80 movi a6, -128
    #: 806601 slli a6, a6, 24
    #: d841 l32i.n a13, a1, 16
    #: 420300 l8ui a4, a3, 0
    #: aa33 add.n a3, a3, a10
    #: 0bdd addi.n a13, a13, -1
    #: 805401 slli a5, a4, 24
    #: 506653 max a6, a6, a5
    #: 56fdfe bnez a13, 0xa5
    #: 4851 l32i.n a4, a1, 20
    #: 0bcc addi.n a12, a12, -1
    #: 4a33 add.n a3, a3, a4
    #: 564cfe bnez a12, 0xa3
    #: 606831 srai a6, a6, 24
    #: 58f2 l32i.n a5, a2, 60
    #: 506653 max a6, a6, a5
    #: 522210 l32i a5, a2, 64
    #: 506643 min a6, a6, a5
    #: 624b00 s8i a6, a11, 0
    #: 1bbb addi.n a11, a11, 1
    #: 1bee addi.n a14, a14, 1
    #: 4871 l32i.n a4, a1, 28
    #: 471e02 beq a14, a4, 0xdb
    #: 46efff j 0x99
    #: 7811 l32i.n a7, a1, 4
    #: 6821 l32i.n a6, a1, 8
    #: 88c2 l32i.n a8, a2, 48
    #: 0b77 addi.n a7, a7, -1
    #: 8a66 add.n a6, a6, a8
    #: 7911 s32i.n a7, a1, 4
    #: 6921 s32i.n a6, a1, 8
    #: 162700 beqz a7, 0xef
    #: 86deff j 0x6a
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")
