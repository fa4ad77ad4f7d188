# tflm: CONV_2D and FULLY_CONNECTED, int8, in lanes: assembler for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py xtensawin` from
# tools/asm/xtensawin/gather.py, multiply.py: change that, not this.

import micropython


# Unpack columns of int8 to lanes. The arena, the offset of a block of parameters in it
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
    #: 271b08 beq a11, a2, 0x4c
    #: a902 s32i.n a10, a2, 0
    #: a912 s32i.n a10, a2, 4
    #: 8b22 addi.n a2, a2, 8
    #: 279bf6 bne a11, a2, 0x43
    #: 16fe02 beqz a14, 0x7f
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
    #: 70ccc0 sub a12, a12, a7
    #: 70ddc0 sub a13, a13, a7
    #: c902 s32i.n a12, a2, 0
    #: d912 s32i.n a13, a2, 4
    #: 8b22 addi.n a2, a2, 8
    #: b79ae0 bne a10, a11, 0x57
    #: c853 l32i.n a12, a3, 20
    #: 0bee addi.n a14, a14, -1
    #: caff add.n a15, a15, a12
    #: 561efd bnez a14, 0x51
    #: f883 l32i.n a15, a3, 32
    #: a843 l32i.n a10, a3, 16
    #: f0aa82 mull a10, a10, a15
    #: f0aa11 slli a10, a10, 1
    #: 2aba add.n a11, a10, a2
    #: a8b3 l32i.n a10, a3, 44
    #: 271b08 beq a11, a2, 0x99
    #: a902 s32i.n a10, a2, 0
    #: a912 s32i.n a10, a2, 4
    #: 8b22 addi.n a2, a2, 8
    #: 279bf6 bne a11, a2, 0x90
    #: c833 l32i.n a12, a3, 12
    #: 0b66 addi.n a6, a6, -1
    #: ca44 add.n a4, a4, a12
    #: ca55 add.n a5, a5, a12
    #: 162600 beqz a6, 0xa7
    #: c6dfff j 0x27
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
    #: 70ccc0 sub a12, a12, a7
    #: 70ddc0 sub a13, a13, a7
    #: c902 s32i.n a12, a2, 0
    #: d912 s32i.n a13, a2, 4
    #: 8b22 addi.n a2, a2, 8
    #: b79ae0 bne a10, a11, 0xb7
    #: c833 l32i.n a12, a3, 12
    #: 0b66 addi.n a6, a6, -1
    #: ca44 add.n a4, a4, a12
    #: ca55 add.n a5, a5, a12
    #: 162600 beqz a6, 0xe4
    #: 06d2ff j 0x2d
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# Outputs of groups of four channels for pixels in lanes. `arena`, the offset of a block of
# parameters in it (MULTIPLY in tools/asm/common/parameters.py), and the memory of the stream; the
# places among the parameters count from these.
@micropython.viper
def multiply(arena, offset, memory):
    #: 360101 entry a1, 128
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
    #: 5871 l32i.n a5, a1, 28
    #: 5064f4 extui a6, a5, 4, 16
    #: 626114 s32i a6, a1, 80
    #: 506304 extui a6, a5, 3, 1
    #: 626115 s32i a6, a1, 84
    #: 58b1 l32i.n a5, a1, 44
    #: 566500 bnez a5, 0x64
    #: 5801 l32i.n a5, a1, 0
    #: 59e1 s32i.n a5, a1, 56
    #: 861700 j 0xc3
    #: 22a080 movi a2, 128
    #: 00a211 slli a10, a2, 16
    #: aa22 add.n a2, a2, a10
    #: 803211 slli a3, a2, 8
    #: 203320 or a3, a3, a2
    #: 42a0ff movi a4, 255
    #: 00a411 slli a10, a4, 16
    #: aa44 add.n a4, a4, a10
    #: 5801 l32i.n a5, a1, 0
    #: 68b1 l32i.n a6, a1, 44
    #: 69e1 s32i.n a6, a1, 56
    #: 8871 l32i.n a8, a1, 28
    #: e08811 slli a8, a8, 2
    #: 0c09 movi.n a9, 0
    #: 72c610 addi a7, a6, 16
    #: a805 l32i.n a10, a5, 0
    #: a906 s32i.n a10, a6, 0
    #: 4b55 addi.n a5, a5, 4
    #: 4b66 addi.n a6, a6, 4
    #: 7796f4 bne a6, a7, 0x8a
    #: 568902 bnez a9, 0xc1
    #: 8a76 add.n a7, a6, a8
    #: a805 l32i.n a10, a5, 0
    #: 4b55 addi.n a5, a5, 4
    #: 30aa30 xor a10, a10, a3
    #: a0b841 srli a11, a10, 8
    #: 40aa10 and a10, a10, a4
    #: 40bb10 and a11, a11, a4
    #: 20aac0 sub a10, a10, a2
    #: 20bbc0 sub a11, a11, a2
    #: a906 s32i.n a10, a6, 0
    #: b916 s32i.n a11, a6, 4
    #: 8b66 addi.n a6, a6, 8
    #: 7796e0 bne a6, a7, 0x9a
    #: 0c19 movi.n a9, 1
    #: 72c630 addi a7, a6, 48
    #: 06f2ff j 0x8a
    #: 5901 s32i.n a5, a1, 0
    #: 5821 l32i.n a5, a1, 8
    #: 526113 s32i a5, a1, 76
    #: 5811 l32i.n a5, a1, 4
    #: 59f1 s32i.n a5, a1, 60
    #: 526110 s32i a5, a1, 64
    #: 5831 l32i.n a5, a1, 12
    #: 526111 s32i a5, a1, 68
    #: 58c1 l32i.n a5, a1, 48
    #: 526112 s32i a5, a1, 72
    #: 0c1e movi.n a14, 1
    #: 10ee11 slli a14, a14, 15
    #: 28e1 l32i.n a2, a1, 56
    #: 322110 l32i a3, a1, 64
    #: d22114 l32i a13, a1, 80
    #: 4802 l32i.n a4, a2, 0
    #: 5812 l32i.n a5, a2, 4
    #: 6822 l32i.n a6, a2, 8
    #: 7832 l32i.n a7, a2, 12
    #: 22c210 addi a2, a2, 16
    #: 162d0d beqz a13, 0x1c7
    #: c803 l32i.n a12, a3, 0
    #: 8802 l32i.n a8, a2, 0
    #: 9812 l32i.n a9, a2, 4
    #: a822 l32i.n a10, a2, 8
    #: b832 l32i.n a11, a2, 12
    #: c08882 mull a8, a8, a12
    #: c09982 mull a9, a9, a12
    #: c0aa82 mull a10, a10, a12
    #: c0bb82 mull a11, a11, a12
    #: ea88 add.n a8, a8, a14
    #: ea99 add.n a9, a9, a14
    #: eaaa add.n a10, a10, a14
    #: eabb add.n a11, a11, a14
    #: 808031 srai a8, a8, 16
    #: 909031 srai a9, a9, 16
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: 8a44 add.n a4, a4, a8
    #: 9a55 add.n a5, a5, a9
    #: aa66 add.n a6, a6, a10
    #: ba77 add.n a7, a7, a11
    #: c813 l32i.n a12, a3, 4
    #: 8842 l32i.n a8, a2, 16
    #: 9852 l32i.n a9, a2, 20
    #: a862 l32i.n a10, a2, 24
    #: b872 l32i.n a11, a2, 28
    #: c08882 mull a8, a8, a12
    #: c09982 mull a9, a9, a12
    #: c0aa82 mull a10, a10, a12
    #: c0bb82 mull a11, a11, a12
    #: ea88 add.n a8, a8, a14
    #: ea99 add.n a9, a9, a14
    #: eaaa add.n a10, a10, a14
    #: eabb add.n a11, a11, a14
    #: 808031 srai a8, a8, 16
    #: 909031 srai a9, a9, 16
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: 8a44 add.n a4, a4, a8
    #: 9a55 add.n a5, a5, a9
    #: aa66 add.n a6, a6, a10
    #: ba77 add.n a7, a7, a11
    #: c823 l32i.n a12, a3, 8
    #: 8882 l32i.n a8, a2, 32
    #: 9892 l32i.n a9, a2, 36
    #: a8a2 l32i.n a10, a2, 40
    #: b8b2 l32i.n a11, a2, 44
    #: c08882 mull a8, a8, a12
    #: c09982 mull a9, a9, a12
    #: c0aa82 mull a10, a10, a12
    #: c0bb82 mull a11, a11, a12
    #: ea88 add.n a8, a8, a14
    #: ea99 add.n a9, a9, a14
    #: eaaa add.n a10, a10, a14
    #: eabb add.n a11, a11, a14
    #: 808031 srai a8, a8, 16
    #: 909031 srai a9, a9, 16
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: 8a44 add.n a4, a4, a8
    #: 9a55 add.n a5, a5, a9
    #: aa66 add.n a6, a6, a10
    #: ba77 add.n a7, a7, a11
    #: c833 l32i.n a12, a3, 12
    #: 88c2 l32i.n a8, a2, 48
    #: 98d2 l32i.n a9, a2, 52
    #: a8e2 l32i.n a10, a2, 56
    #: b8f2 l32i.n a11, a2, 60
    #: c08882 mull a8, a8, a12
    #: c09982 mull a9, a9, a12
    #: c0aa82 mull a10, a10, a12
    #: c0bb82 mull a11, a11, a12
    #: ea88 add.n a8, a8, a14
    #: ea99 add.n a9, a9, a14
    #: eaaa add.n a10, a10, a14
    #: eabb add.n a11, a11, a14
    #: 808031 srai a8, a8, 16
    #: 909031 srai a9, a9, 16
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: 8a44 add.n a4, a4, a8
    #: 9a55 add.n a5, a5, a9
    #: aa66 add.n a6, a6, a10
    #: ba77 add.n a7, a7, a11
    #: 32c310 addi a3, a3, 16
    #: 22c240 addi a2, a2, 64
    #: 0bdd addi.n a13, a13, -1
    #: 56cdf2 bnez a13, 0xf4
    #: d22115 l32i a13, a1, 84
    #: 168d06 beqz a13, 0x236
    #: c803 l32i.n a12, a3, 0
    #: 8802 l32i.n a8, a2, 0
    #: 9812 l32i.n a9, a2, 4
    #: a822 l32i.n a10, a2, 8
    #: b832 l32i.n a11, a2, 12
    #: c08882 mull a8, a8, a12
    #: c09982 mull a9, a9, a12
    #: c0aa82 mull a10, a10, a12
    #: c0bb82 mull a11, a11, a12
    #: ea88 add.n a8, a8, a14
    #: ea99 add.n a9, a9, a14
    #: eaaa add.n a10, a10, a14
    #: eabb add.n a11, a11, a14
    #: 808031 srai a8, a8, 16
    #: 909031 srai a9, a9, 16
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: 8a44 add.n a4, a4, a8
    #: 9a55 add.n a5, a5, a9
    #: aa66 add.n a6, a6, a10
    #: ba77 add.n a7, a7, a11
    #: c813 l32i.n a12, a3, 4
    #: 8842 l32i.n a8, a2, 16
    #: 9852 l32i.n a9, a2, 20
    #: a862 l32i.n a10, a2, 24
    #: b872 l32i.n a11, a2, 28
    #: c08882 mull a8, a8, a12
    #: c09982 mull a9, a9, a12
    #: c0aa82 mull a10, a10, a12
    #: c0bb82 mull a11, a11, a12
    #: ea88 add.n a8, a8, a14
    #: ea99 add.n a9, a9, a14
    #: eaaa add.n a10, a10, a14
    #: eabb add.n a11, a11, a14
    #: 808031 srai a8, a8, 16
    #: 909031 srai a9, a9, 16
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: 8a44 add.n a4, a4, a8
    #: 9a55 add.n a5, a5, a9
    #: aa66 add.n a6, a6, a10
    #: ba77 add.n a7, a7, a11
    #: 8b33 addi.n a3, a3, 8
    #: 22c220 addi a2, a2, 32
    #: 322113 l32i a3, a1, 76
    #: c881 l32i.n a12, a1, 32
    #: d891 l32i.n a13, a1, 36
    #: f8a1 l32i.n a15, a1, 40
    #: 8802 l32i.n a8, a2, 0
    #: 9812 l32i.n a9, a2, 4
    #: 40af21 srai a10, a4, 15
    #: 4040e4 extui a4, a4, 0, 15
    #: 80ba82 mull a11, a10, a8
    #: 90aa82 mull a10, a10, a9
    #: 808482 mull a8, a4, a8
    #: 904482 mull a4, a4, a9
    #: 808f41 srli a8, a8, 15
    #: 8abb add.n a11, a11, a8
    #: b0b121 srai a11, a11, 1
    #: ba44 add.n a4, a4, a11
    #: 42d440 addmi a4, a4, 0x4000
    #: 404f21 srai a4, a4, 15
    #: aa44 add.n a4, a4, a10
    #: a822 l32i.n a10, a2, 8
    #: 161a01 beqz a10, 0x27e
    #: 0baa addi.n a10, a10, -1
    #: 000a40 ssr a10
    #: 40bf31 srai a11, a4, 31
    #: ba44 add.n a4, a4, a11
    #: 4040b1 sra a4, a4
    #: 1b44 addi.n a4, a4, 1
    #: 404121 srai a4, a4, 1
    #: ca44 add.n a4, a4, a12
    #: d04453 max a4, a4, a13
    #: f04443 min a4, a4, a15
    #: 424300 s8i a4, a3, 0
    #: 8832 l32i.n a8, a2, 12
    #: 9842 l32i.n a9, a2, 16
    #: 50af21 srai a10, a5, 15
    #: 5050e4 extui a5, a5, 0, 15
    #: 80ba82 mull a11, a10, a8
    #: 90aa82 mull a10, a10, a9
    #: 808582 mull a8, a5, a8
    #: 905582 mull a5, a5, a9
    #: 808f41 srli a8, a8, 15
    #: 8abb add.n a11, a11, a8
    #: b0b121 srai a11, a11, 1
    #: ba55 add.n a5, a5, a11
    #: 52d540 addmi a5, a5, 0x4000
    #: 505f21 srai a5, a5, 15
    #: aa55 add.n a5, a5, a10
    #: a852 l32i.n a10, a2, 20
    #: 161a01 beqz a10, 0x2c8
    #: 0baa addi.n a10, a10, -1
    #: 000a40 ssr a10
    #: 50bf31 srai a11, a5, 31
    #: ba55 add.n a5, a5, a11
    #: 5050b1 sra a5, a5
    #: 1b55 addi.n a5, a5, 1
    #: 505121 srai a5, a5, 1
    #: ca55 add.n a5, a5, a12
    #: d05553 max a5, a5, a13
    #: f05543 min a5, a5, a15
    #: 524301 s8i a5, a3, 1
    #: 8862 l32i.n a8, a2, 24
    #: 9872 l32i.n a9, a2, 28
    #: 60af21 srai a10, a6, 15
    #: 6060e4 extui a6, a6, 0, 15
    #: 80ba82 mull a11, a10, a8
    #: 90aa82 mull a10, a10, a9
    #: 808682 mull a8, a6, a8
    #: 906682 mull a6, a6, a9
    #: 808f41 srli a8, a8, 15
    #: 8abb add.n a11, a11, a8
    #: b0b121 srai a11, a11, 1
    #: ba66 add.n a6, a6, a11
    #: 62d640 addmi a6, a6, 0x4000
    #: 606f21 srai a6, a6, 15
    #: aa66 add.n a6, a6, a10
    #: a882 l32i.n a10, a2, 32
    #: 161a01 beqz a10, 0x312
    #: 0baa addi.n a10, a10, -1
    #: 000a40 ssr a10
    #: 60bf31 srai a11, a6, 31
    #: ba66 add.n a6, a6, a11
    #: 6060b1 sra a6, a6
    #: 1b66 addi.n a6, a6, 1
    #: 606121 srai a6, a6, 1
    #: ca66 add.n a6, a6, a12
    #: d06653 max a6, a6, a13
    #: f06643 min a6, a6, a15
    #: 624302 s8i a6, a3, 2
    #: 8892 l32i.n a8, a2, 36
    #: 98a2 l32i.n a9, a2, 40
    #: 70af21 srai a10, a7, 15
    #: 7070e4 extui a7, a7, 0, 15
    #: 80ba82 mull a11, a10, a8
    #: 90aa82 mull a10, a10, a9
    #: 808782 mull a8, a7, a8
    #: 907782 mull a7, a7, a9
    #: 808f41 srli a8, a8, 15
    #: 8abb add.n a11, a11, a8
    #: b0b121 srai a11, a11, 1
    #: ba77 add.n a7, a7, a11
    #: 72d740 addmi a7, a7, 0x4000
    #: 707f21 srai a7, a7, 15
    #: aa77 add.n a7, a7, a10
    #: a8b2 l32i.n a10, a2, 44
    #: 161a01 beqz a10, 0x35c
    #: 0baa addi.n a10, a10, -1
    #: 000a40 ssr a10
    #: 70bf31 srai a11, a7, 31
    #: ba77 add.n a7, a7, a11
    #: 7070b1 sra a7, a7
    #: 1b77 addi.n a7, a7, 1
    #: 707121 srai a7, a7, 1
    #: ca77 add.n a7, a7, a12
    #: d07753 max a7, a7, a13
    #: f07743 min a7, a7, a15
    #: 724303 s8i a7, a3, 3
    #: 4861 l32i.n a4, a1, 24
    #: 522110 l32i a5, a1, 64
    #: 6851 l32i.n a6, a1, 20
    #: 4a33 add.n a3, a3, a4
    #: 6a55 add.n a5, a5, a6
    #: 326113 s32i a3, a1, 76
    #: 526110 s32i a5, a1, 64
    #: 622111 l32i a6, a1, 68
    #: 67b502 bgeu a5, a6, 0x381
    #: 0657ff j 0xde
    #: 422112 l32i a4, a1, 72
    #: 58f1 l32i.n a5, a1, 60
    #: 0b44 addi.n a4, a4, -1
    #: 426112 s32i a4, a1, 72
    #: 160401 beqz a4, 0x39f
    #: 48d1 l32i.n a4, a1, 52
    #: 4a55 add.n a5, a5, a4
    #: 4a66 add.n a6, a6, a4
    #: 59f1 s32i.n a5, a1, 60
    #: 526110 s32i a5, a1, 64
    #: 626111 s32i a6, a1, 68
    #: 864fff j 0xde
    #: 48b1 l32i.n a4, a1, 44
    #: 564400 bnez a4, 0x3a9
    #: 22c230 addi a2, a2, 48
    #: 2901 s32i.n a2, a1, 0
    #: 4821 l32i.n a4, a1, 8
    #: 5841 l32i.n a5, a1, 16
    #: 4b44 addi.n a4, a4, 4
    #: 0b55 addi.n a5, a5, -1
    #: 4921 s32i.n a4, a1, 8
    #: 5941 s32i.n a5, a1, 16
    #: 162500 beqz a5, 0x3bb
    #: 0627ff j 0x58
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")
