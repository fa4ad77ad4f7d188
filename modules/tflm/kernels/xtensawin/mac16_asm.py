# tflm: CONV_2D and FULLY_CONNECTED, int8, by MAC16: assembler for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py xtensawin` from
# tools/asm/xtensawin/mac16_multiply.py: change that, not this.

import micropython


# Unpack columns of int8 to halfwords. The arena, the offset of a block of parameters in it
# (GATHER in tools/asm/common/parameters.py), and the memory of the image; the places among the
# parameters count from these. A column is a run of whole, aligned words in each row of the filter;
# it lies in the image, or beside it.
@micropython.viper
def gather(arena, offset, memory):
    #: 364100 entry a1, 32
    #: 2a33 add.n a3, a3, a2
    #: a813 l32i.n a10, a3, 4
    #: c803 l32i.n a12, a3, 0
    #: aa22 add.n a2, a2, a10
    #: ca44 add.n a4, a4, a12
    #: 5893 l32i.n a5, a3, 36
    #: 6823 l32i.n a6, a3, 8
    #: 72a080 movi a7, 128
    #: 00a711 slli a10, a7, 16
    #: aa77 add.n a7, a7, a10
    #: 808711 slli a8, a7, 8
    #: 708820 or a8, a8, a7
    #: 92a0ff movi a9, 255
    #: 00a911 slli a10, a9, 16
    #: aa99 add.n a9, a9, a10
    #: f863 l32i.n a15, a3, 24
    #: e873 l32i.n a14, a3, 28
    #: c8a3 l32i.n a12, a3, 40
    #: 57bc03 bgeu a12, a5, 0x34
    #: eaff add.n a15, a15, a14
    #: 0c0e movi.n a14, 0
    #: a843 l32i.n a10, a3, 16
    #: f0aa82 mull a10, a10, a15
    #: f0aa11 slli a10, a10, 1
    #: 2aba add.n a11, a10, a2
    #: a8b3 l32i.n a10, a3, 44
    #: 7aaa add.n a10, a10, a7
    #: 271b08 beq a11, a2, 0x4e
    #: a902 s32i.n a10, a2, 0
    #: a912 s32i.n a10, a2, 4
    #: 8b22 addi.n a2, a2, 8
    #: 279bf6 bne a11, a2, 0x45
    #: 169e02 beqz a14, 0x7b
    #: fd04 mov.n a15, a4
    #: c843 l32i.n a12, a3, 16
    #: ad0f mov.n a10, a15
    #: cabf add.n a11, a15, a12
    #: c80a l32i.n a12, a10, 0
    #: 4baa addi.n a10, a10, 4
    #: 80cc30 xor a12, a12, a8
    #: c0d841 srli a13, a12, 8
    #: 90cc10 and a12, a12, a9
    #: 90dd10 and a13, a13, a9
    #: c902 s32i.n a12, a2, 0
    #: d912 s32i.n a13, a2, 4
    #: 8b22 addi.n a2, a2, 8
    #: b79ae6 bne a10, a11, 0x59
    #: c853 l32i.n a12, a3, 20
    #: 0bee addi.n a14, a14, -1
    #: caff add.n a15, a15, a12
    #: 567efd bnez a14, 0x53
    #: f883 l32i.n a15, a3, 32
    #: a843 l32i.n a10, a3, 16
    #: f0aa82 mull a10, a10, a15
    #: f0aa11 slli a10, a10, 1
    #: 2aba add.n a11, a10, a2
    #: a8b3 l32i.n a10, a3, 44
    #: 7aaa add.n a10, a10, a7
    #: 271b08 beq a11, a2, 0x97
    #: a902 s32i.n a10, a2, 0
    #: a912 s32i.n a10, a2, 4
    #: 8b22 addi.n a2, a2, 8
    #: 279bf6 bne a11, a2, 0x8e
    #: c833 l32i.n a12, a3, 12
    #: 0b66 addi.n a6, a6, -1
    #: ca44 add.n a4, a4, a12
    #: ca55 add.n a5, a5, a12
    #: 162600 beqz a6, 0xa5
    #: 46e0ff j 0x27
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# The same for columns of any width and place: their bytes are brought together in spare memory,
# those of all rows without a gap.
@micropython.viper
def gather_bytes(arena, offset, memory):
    #: 366100 entry a1, 48
    #: 2a33 add.n a3, a3, a2
    #: a8e3 l32i.n a10, a3, 56
    #: 2aaa add.n a10, a10, a2
    #: a931 s32i.n a10, a1, 12
    #: a813 l32i.n a10, a3, 4
    #: c803 l32i.n a12, a3, 0
    #: aa22 add.n a2, a2, a10
    #: ca44 add.n a4, a4, a12
    #: 5893 l32i.n a5, a3, 36
    #: 6823 l32i.n a6, a3, 8
    #: 72a080 movi a7, 128
    #: 00a711 slli a10, a7, 16
    #: aa77 add.n a7, a7, a10
    #: 808711 slli a8, a7, 8
    #: 708820 or a8, a8, a7
    #: 92a0ff movi a9, 255
    #: 00a911 slli a10, a9, 16
    #: aa99 add.n a9, a9, a10
    #: f843 l32i.n a15, a3, 16
    #: 50c060 neg a12, a5
    #: 0c0a movi.n a10, 0
    #: a0cc53 max a12, a12, a10
    #: f0cc43 min a12, a12, a15
    #: c901 s32i.n a12, a1, 0
    #: d8c3 l32i.n a13, a3, 48
    #: faa5 add.n a10, a5, a15
    #: d0dac0 sub a13, a10, a13
    #: 0c0a movi.n a10, 0
    #: a0dd53 max a13, a13, a10
    #: f0dd43 min a13, a13, a15
    #: d921 s32i.n a13, a1, 8
    #: c0afc0 sub a10, a15, a12
    #: d0aac0 sub a10, a10, a13
    #: a911 s32i.n a10, a1, 4
    #: b831 l32i.n a11, a1, 12
    #: a863 l32i.n a10, a3, 24
    #: f0ca82 mull a12, a10, a15
    #: e873 l32i.n a14, a3, 28
    #: 167e03 beqz a14, 0x99
    #: a801 l32i.n a10, a1, 0
    #: aaf4 add.n a15, a4, a10
    #: a801 l32i.n a10, a1, 0
    #: aacc add.n a12, a12, a10
    #: d8b3 l32i.n a13, a3, 44
    #: 169c00 beqz a12, 0x78
    #: d24b00 s8i a13, a11, 0
    #: 1bbb addi.n a11, a11, 1
    #: 0bcc addi.n a12, a12, -1
    #: 565cff bnez a12, 0x6e
    #: c811 l32i.n a12, a1, 4
    #: ad0f mov.n a10, a15
    #: 16ec00 beqz a12, 0x8e
    #: d20a00 l8ui a13, a10, 0
    #: 1baa addi.n a10, a10, 1
    #: d24b00 s8i a13, a11, 0
    #: 1bbb addi.n a11, a11, 1
    #: 0bcc addi.n a12, a12, -1
    #: 560cff bnez a12, 0x7f
    #: c821 l32i.n a12, a1, 8
    #: a853 l32i.n a10, a3, 20
    #: 0bee addi.n a14, a14, -1
    #: aaff add.n a15, a15, a10
    #: 56befc bnez a14, 0x65
    #: a883 l32i.n a10, a3, 32
    #: d843 l32i.n a13, a3, 16
    #: d0aa82 mull a10, a10, a13
    #: aacc add.n a12, a12, a10
    #: d8b3 l32i.n a13, a3, 44
    #: 169c00 beqz a12, 0xb1
    #: d24b00 s8i a13, a11, 0
    #: 1bbb addi.n a11, a11, 1
    #: 0bcc addi.n a12, a12, -1
    #: 565cff bnez a12, 0xa7
    #: a831 l32i.n a10, a1, 12
    #: c8d3 l32i.n a12, a3, 52
    #: caba add.n a11, a10, a12
    #: c80a l32i.n a12, a10, 0
    #: 4baa addi.n a10, a10, 4
    #: 80cc30 xor a12, a12, a8
    #: c0d841 srli a13, a12, 8
    #: 90cc10 and a12, a12, a9
    #: 90dd10 and a13, a13, a9
    #: c902 s32i.n a12, a2, 0
    #: d912 s32i.n a13, a2, 4
    #: 8b22 addi.n a2, a2, 8
    #: b79ae6 bne a10, a11, 0xb7
    #: c833 l32i.n a12, a3, 12
    #: 0b66 addi.n a6, a6, -1
    #: ca44 add.n a4, a4, a12
    #: ca55 add.n a5, a5, a12
    #: 162600 beqz a6, 0xde
    #: 86d3ff j 0x2d
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# Outputs of groups of four channels for pixels in halfwords, which are 128 too large. `arena`,
# the offset of a block of parameters in it (MULTIPLY in tools/asm/common/parameters.py), and the
# memory of the stream (prepare/mac16.py); the places among the parameters count from these.
@micropython.viper
def multiply(arena, offset, memory):
    #: 36e100 entry a1, 112
    #: 2a33 add.n a3, a3, a2
    #: 5803 l32i.n a5, a3, 0
    #: 4a55 add.n a5, a5, a4
    #: 5901 s32i.n a5, a1, 0
    #: 5813 l32i.n a5, a3, 4
    #: 2a55 add.n a5, a5, a2
    #: 5911 s32i.n a5, a1, 4
    #: 5823 l32i.n a5, a3, 8
    #: 2a55 add.n a5, a5, a2
    #: 5921 s32i.n a5, a1, 8
    #: 5833 l32i.n a5, a3, 12
    #: 2a55 add.n a5, a5, a2
    #: 5931 s32i.n a5, a1, 12
    #: 5843 l32i.n a5, a3, 16
    #: 5941 s32i.n a5, a1, 16
    #: 5853 l32i.n a5, a3, 20
    #: 5951 s32i.n a5, a1, 20
    #: 5863 l32i.n a5, a3, 24
    #: 5961 s32i.n a5, a1, 24
    #: 5873 l32i.n a5, a3, 28
    #: 5971 s32i.n a5, a1, 28
    #: 5883 l32i.n a5, a3, 32
    #: 5981 s32i.n a5, a1, 32
    #: 5893 l32i.n a5, a3, 36
    #: 5991 s32i.n a5, a1, 36
    #: 58a3 l32i.n a5, a3, 40
    #: 59a1 s32i.n a5, a1, 40
    #: 58b3 l32i.n a5, a3, 44
    #: 161500 beqz a5, 0x40
    #: 2a55 add.n a5, a5, a2
    #: 59b1 s32i.n a5, a1, 44
    #: 58c3 l32i.n a5, a3, 48
    #: 59c1 s32i.n a5, a1, 48
    #: 58d3 l32i.n a5, a3, 52
    #: 59d1 s32i.n a5, a1, 52
    #: 9811 l32i.n a9, a1, 4
    #: 92c9fc addi a9, a9, -4
    #: 9911 s32i.n a9, a1, 4
    #: 9831 l32i.n a9, a1, 12
    #: 92c9fc addi a9, a9, -4
    #: 9931 s32i.n a9, a1, 12
    #: 9841 l32i.n a9, a1, 16
    #: e09911 slli a9, a9, 2
    #: 926110 s32i a9, a1, 64
    #: 9871 l32i.n a9, a1, 28
    #: 909341 srli a9, a9, 3
    #: 99f1 s32i.n a9, a1, 60
    #: e891 l32i.n a14, a1, 36
    #: f8a1 l32i.n a15, a1, 40
    #: c881 l32i.n a12, a1, 32
    #: 98b1 l32i.n a9, a1, 44
    #: a871 l32i.n a10, a1, 28
    #: 56b900 bnez a9, 0x80
    #: 2801 l32i.n a2, a1, 0
    #: aa32 add.n a3, a2, a10
    #: b2c310 addi a11, a3, 16
    #: b901 s32i.n a11, a1, 0
    #: c61800 j 0xe4
    #: 42a0ff movi a4, 255
    #: 00a411 slli a10, a4, 16
    #: aa44 add.n a4, a4, a10
    #: 52a100 movi a5, 0x100
    #: 00a511 slli a10, a5, 16
    #: aa55 add.n a5, a5, a10
    #: 0c16 movi.n a6, 1
    #: 106611 slli a6, a6, 15
    #: 3801 l32i.n a3, a1, 0
    #: 78b1 l32i.n a7, a1, 44
    #: 8871 l32i.n a8, a1, 28
    #: 2d07 mov.n a2, a7
    #: 7a88 add.n a8, a8, a7
    #: 9803 l32i.n a9, a3, 0
    #: 4b33 addi.n a3, a3, 4
    #: 90a841 srli a10, a9, 8
    #: 409910 and a9, a9, a4
    #: 9a99 add.n a9, a9, a9
    #: 5099c0 sub a9, a9, a5
    #: 60b910 and a11, a9, a6
    #: 909b90 addx2 a9, a11, a9
    #: 40aa10 and a10, a10, a4
    #: aaaa add.n a10, a10, a10
    #: 50aac0 sub a10, a10, a5
    #: 60ba10 and a11, a10, a6
    #: a0ab90 addx2 a10, a11, a10
    #: 9907 s32i.n a9, a7, 0
    #: a917 s32i.n a10, a7, 4
    #: 8b77 addi.n a7, a7, 8
    #: 8797d3 bne a7, a8, 0x9f
    #: 9803 l32i.n a9, a3, 0
    #: 9907 s32i.n a9, a7, 0
    #: 9813 l32i.n a9, a3, 4
    #: 9917 s32i.n a9, a7, 4
    #: 9823 l32i.n a9, a3, 8
    #: 9927 s32i.n a9, a7, 8
    #: 9833 l32i.n a9, a3, 12
    #: 9937 s32i.n a9, a7, 12
    #: 32c310 addi a3, a3, 16
    #: 3901 s32i.n a3, a1, 0
    #: a871 l32i.n a10, a1, 28
    #: aa32 add.n a3, a2, a10
    #: 22c2fc addi a2, a2, -4
    #: 29e1 s32i.n a2, a1, 56
    #: 4803 l32i.n a4, a3, 0
    #: 5813 l32i.n a5, a3, 4
    #: 9823 l32i.n a9, a3, 8
    #: d833 l32i.n a13, a3, 12
    #: a8c1 l32i.n a10, a1, 48
    #: a26113 s32i a10, a1, 76
    #: 6821 l32i.n a6, a1, 8
    #: 7811 l32i.n a7, a1, 4
    #: 8831 l32i.n a8, a1, 12
    #: 726111 s32i a7, a1, 68
    #: 96d906 bltz a9, 0x170
    #: 000940 ssr a9
    #: 28e1 l32i.n a2, a1, 56
    #: 98f1 l32i.n a9, a1, 60
    #: 3d07 mov.n a3, a7
    #: 401013 wsr.acclo a4
    #: 040280 ldinc m0, a2
    #: 042380 ldinc m2, a3
    #: 3df0 nop.n
    #: 76990b loopnez a9, 0x125
    #: 041208 mula.dd.ll.ldinc m1, a2, m0, m2
    #: 04330b mula.dd.hh.ldinc m3, a3, m0, m2
    #: 444208 mula.dd.ll.ldinc m0, a2, m1, m3
    #: 44630b mula.dd.hh.ldinc m2, a3, m1, m3
    #: 901003 rsr.acclo a9
    #: 50a9b2 mulsh a10, a9, a5
    #: 509982 mull a9, a9, a5
    #: 909f05 extui a9, a9, 31, 1
    #: aa99 add.n a9, a9, a10
    #: 169d00 beqz a13, 0x140
    #: 90af31 srai a10, a9, 31
    #: da99 add.n a9, a9, a13
    #: aa99 add.n a9, a9, a10
    #: 9090b1 sra a9, a9
    #: ca99 add.n a9, a9, a12
    #: e09953 max a9, a9, a14
    #: f09943 min a9, a9, a15
    #: a861 l32i.n a10, a1, 24
    #: b851 l32i.n a11, a1, 20
    #: 924600 s8i a9, a6, 0
    #: ba77 add.n a7, a7, a11
    #: aa66 add.n a6, a6, a10
    #: 8797ae bne a7, a8, 0x105
    #: 922113 l32i a9, a1, 76
    #: a8d1 l32i.n a10, a1, 52
    #: 722111 l32i a7, a1, 68
    #: 0b99 addi.n a9, a9, -1
    #: aa77 add.n a7, a7, a10
    #: aa88 add.n a8, a8, a10
    #: 926113 s32i a9, a1, 76
    #: 726111 s32i a7, a1, 68
    #: 165905 beqz a9, 0x1c3
    #: 06e5ff j 0x105
    #: 28e1 l32i.n a2, a1, 56
    #: 98f1 l32i.n a9, a1, 60
    #: 3d07 mov.n a3, a7
    #: 401013 wsr.acclo a4
    #: 040280 ldinc m0, a2
    #: 042380 ldinc m2, a3
    #: 3df0 nop.n
    #: 76990b loopnez a9, 0x190
    #: 041208 mula.dd.ll.ldinc m1, a2, m0, m2
    #: 04330b mula.dd.hh.ldinc m3, a3, m0, m2
    #: 444208 mula.dd.ll.ldinc m0, a2, m1, m3
    #: 44630b mula.dd.hh.ldinc m2, a3, m1, m3
    #: 901003 rsr.acclo a9
    #: 5099b2 mulsh a9, a9, a5
    #: ca99 add.n a9, a9, a12
    #: 009933 clamps a9, a9, 7
    #: a861 l32i.n a10, a1, 24
    #: b851 l32i.n a11, a1, 20
    #: 924600 s8i a9, a6, 0
    #: ba77 add.n a7, a7, a11
    #: aa66 add.n a6, a6, a10
    #: 8797c6 bne a7, a8, 0x170
    #: 922113 l32i a9, a1, 76
    #: a8d1 l32i.n a10, a1, 52
    #: 722111 l32i a7, a1, 68
    #: 0b99 addi.n a9, a9, -1
    #: aa77 add.n a7, a7, a10
    #: aa88 add.n a8, a8, a10
    #: 926113 s32i a9, a1, 76
    #: 726111 s32i a7, a1, 68
    #: 162900 beqz a9, 0x1c3
    #: 06ebff j 0x170
    #: 9821 l32i.n a9, a1, 8
    #: a22110 l32i a10, a1, 64
    #: 1b99 addi.n a9, a9, 1
    #: 0baa addi.n a10, a10, -1
    #: 9921 s32i.n a9, a1, 8
    #: a26110 s32i a10, a1, 64
    #: 162a00 beqz a10, 0x1d7
    #: 46a5ff j 0x6d
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")
