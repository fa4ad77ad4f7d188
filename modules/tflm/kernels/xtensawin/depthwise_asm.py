# tflm: DEPTHWISE_CONV_2D, int8, in lanes: assembler for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py xtensawin` from
# tools/asm/xtensawin/plane.py, depthwise.py: change that, not this.

import micropython


# The plane of one channel: word (j, x) holds rows 2 * j and 2 * j + 1 of column x as lanes,
# with zero points for what lies beside the image. The arena, the offset of a block of parameters
# in it (DEPTHWISE in tools/asm/common/parameters.py), and the memory of the image.
@micropython.viper
def build_plane(arena, offset, memory):
    #: 364100 entry a1, 32
    #: 2a33 add.n a3, a3, a2
    #: d8b3 l32i.n a13, a3, 44
    #: da22 add.n a2, a2, a13
    #: d823 l32i.n a13, a3, 8
    #: da44 add.n a4, a4, a13
    #: d833 l32i.n a13, a3, 12
    #: da44 add.n a4, a4, a13
    #: 5863 l32i.n a5, a3, 24
    #: 68d3 l32i.n a6, a3, 52
    #: 72a080 movi a7, 128
    #: 00d711 slli a13, a7, 16
    #: da77 add.n a7, a7, a13
    #: d873 l32i.n a13, a3, 28
    #: 20cda0 addx4 a12, a13, a2
    #: d8a3 l32i.n a13, a3, 40
    #: 271c06 beq a12, a2, 0x2e
    #: d902 s32i.n a13, a2, 0
    #: 4b22 addi.n a2, a2, 4
    #: c792f8 bne a2, a12, 0x27
    #: d843 l32i.n a13, a3, 16
    #: 8d04 mov.n a8, a4
    #: da94 add.n a9, a4, a13
    #: da49 add.n a4, a9, a13
    #: a833 l32i.n a10, a3, 12
    #: d853 l32i.n a13, a3, 20
    #: d73504 bltu a5, a13, 0x42
    #: 82c328 addi a8, a3, 40
    #: 0c0a movi.n a10, 0
    #: 1b55 addi.n a5, a5, 1
    #: b833 l32i.n a11, a3, 12
    #: d853 l32i.n a13, a3, 20
    #: d73504 bltu a5, a13, 0x50
    #: 92c328 addi a9, a3, 40
    #: 0c0b movi.n a11, 0
    #: 1b55 addi.n a5, a5, 1
    #: d883 l32i.n a13, a3, 32
    #: 20cda0 addx4 a12, a13, a2
    #: d20800 l8ui a13, a8, 0
    #: e20900 l8ui a14, a9, 0
    #: aa88 add.n a8, a8, a10
    #: ba99 add.n a9, a9, a11
    #: 00ee11 slli a14, a14, 16
    #: eadd add.n a13, a13, a14
    #: 70dd30 xor a13, a13, a7
    #: 70ddc0 sub a13, a13, a7
    #: d902 s32i.n a13, a2, 0
    #: 4b22 addi.n a2, a2, 4
    #: c792e3 bne a2, a12, 0x57
    #: d893 l32i.n a13, a3, 36
    #: 20cda0 addx4 a12, a13, a2
    #: d8a3 l32i.n a13, a3, 40
    #: 271c06 beq a12, a2, 0x84
    #: d902 s32i.n a13, a2, 0
    #: 4b22 addi.n a2, a2, 4
    #: c792f8 bne a2, a12, 0x7d
    #: 0b66 addi.n a6, a6, -1
    #: 162600 beqz a6, 0x8c
    #: 06e4ff j 0x1d
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# The rows of a channel, 3x3 with stride 1, two rows at a time. The arena, the offset of a block of
# parameters in it (DEPTHWISE in tools/asm/common/parameters.py), and the memory of the stream.
@micropython.viper
def rows_3x3(arena, offset, memory, taps):
    #: 366100 entry a1, 48
    #: 2a33 add.n a3, a3, a2
    #: 7803 l32i.n a7, a3, 0
    #: 7a44 add.n a4, a4, a7
    #: 78b3 l32i.n a7, a3, 44
    #: 2a77 add.n a7, a7, a2
    #: 7901 s32i.n a7, a1, 0
    #: 78e3 l32i.n a7, a3, 56
    #: 2a77 add.n a7, a7, a2
    #: 7911 s32i.n a7, a1, 4
    #: 722311 l32i a7, a3, 68
    #: 7921 s32i.n a7, a1, 8
    #: 72231e l32i a7, a3, 120
    #: 4a77 add.n a7, a7, a4
    #: d807 l32i.n a13, a7, 0
    #: e817 l32i.n a14, a7, 4
    #: f827 l32i.n a15, a7, 8
    #: 0b8f addi.n a8, a15, -1
    #: 000840 ssr a8
    #: 0c1c movi.n a12, 1
    #: 10cc11 slli a12, a12, 15
    #: 2801 l32i.n a2, a1, 0
    #: a8c3 l32i.n a10, a3, 48
    #: aa52 add.n a5, a2, a10
    #: a22312 l32i a10, a3, 72
    #: 2aaa add.n a10, a10, a2
    #: a931 s32i.n a10, a1, 12
    #: 6811 l32i.n a6, a1, 4
    #: 7804 l32i.n a7, a4, 0
    #: 8804 l32i.n a8, a4, 0
    #: 9802 l32i.n a9, a2, 0
    #: a814 l32i.n a10, a4, 4
    #: b824 l32i.n a11, a4, 8
    #: 90aa82 mull a10, a10, a9
    #: 90bb82 mull a11, a11, a9
    #: caaa add.n a10, a10, a12
    #: cabb add.n a11, a11, a12
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: aa77 add.n a7, a7, a10
    #: ba88 add.n a8, a8, a11
    #: 9812 l32i.n a9, a2, 4
    #: a834 l32i.n a10, a4, 12
    #: b844 l32i.n a11, a4, 16
    #: 90aa82 mull a10, a10, a9
    #: 90bb82 mull a11, a11, a9
    #: caaa add.n a10, a10, a12
    #: cabb add.n a11, a11, a12
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: aa77 add.n a7, a7, a10
    #: ba88 add.n a8, a8, a11
    #: 9822 l32i.n a9, a2, 8
    #: a854 l32i.n a10, a4, 20
    #: b864 l32i.n a11, a4, 24
    #: 90aa82 mull a10, a10, a9
    #: 90bb82 mull a11, a11, a9
    #: caaa add.n a10, a10, a12
    #: cabb add.n a11, a11, a12
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: aa77 add.n a7, a7, a10
    #: ba88 add.n a8, a8, a11
    #: 9805 l32i.n a9, a5, 0
    #: a874 l32i.n a10, a4, 28
    #: b884 l32i.n a11, a4, 32
    #: 90aa82 mull a10, a10, a9
    #: 90bb82 mull a11, a11, a9
    #: caaa add.n a10, a10, a12
    #: cabb add.n a11, a11, a12
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: aa77 add.n a7, a7, a10
    #: ba88 add.n a8, a8, a11
    #: 9815 l32i.n a9, a5, 4
    #: a894 l32i.n a10, a4, 36
    #: b8a4 l32i.n a11, a4, 40
    #: 90aa82 mull a10, a10, a9
    #: 90bb82 mull a11, a11, a9
    #: caaa add.n a10, a10, a12
    #: cabb add.n a11, a11, a12
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: aa77 add.n a7, a7, a10
    #: ba88 add.n a8, a8, a11
    #: 9825 l32i.n a9, a5, 8
    #: a8b4 l32i.n a10, a4, 44
    #: b8c4 l32i.n a11, a4, 48
    #: 90aa82 mull a10, a10, a9
    #: 90bb82 mull a11, a11, a9
    #: caaa add.n a10, a10, a12
    #: cabb add.n a11, a11, a12
    #: a0a031 srai a10, a10, 16
    #: b0b031 srai a11, a11, 16
    #: aa77 add.n a7, a7, a10
    #: ba88 add.n a8, a8, a11
    #: 70af21 srai a10, a7, 15
    #: 7070e4 extui a7, a7, 0, 15
    #: d0ba82 mull a11, a10, a13
    #: e0aa82 mull a10, a10, a14
    #: d09782 mull a9, a7, a13
    #: e07782 mull a7, a7, a14
    #: 909f41 srli a9, a9, 15
    #: 9abb add.n a11, a11, a9
    #: b0b121 srai a11, a11, 1
    #: ba77 add.n a7, a7, a11
    #: 72d740 addmi a7, a7, 0x4000
    #: 707f21 srai a7, a7, 15
    #: aa77 add.n a7, a7, a10
    #: 16cf00 beqz a15, 0x112
    #: 70af31 srai a10, a7, 31
    #: aa77 add.n a7, a7, a10
    #: 7070b1 sra a7, a7
    #: 1b77 addi.n a7, a7, 1
    #: 707121 srai a7, a7, 1
    #: a22316 l32i a10, a3, 88
    #: b22317 l32i a11, a3, 92
    #: 922318 l32i a9, a3, 96
    #: aa77 add.n a7, a7, a10
    #: b07753 max a7, a7, a11
    #: 907743 min a7, a7, a9
    #: 724600 s8i a7, a6, 0
    #: a821 l32i.n a10, a1, 8
    #: b22310 l32i a11, a3, 64
    #: 0baa addi.n a10, a10, -1
    #: ba76 add.n a7, a6, a11
    #: 167a04 beqz a10, 0x17a
    #: 80af21 srai a10, a8, 15
    #: 8080e4 extui a8, a8, 0, 15
    #: d0ba82 mull a11, a10, a13
    #: e0aa82 mull a10, a10, a14
    #: d09882 mull a9, a8, a13
    #: e08882 mull a8, a8, a14
    #: 909f41 srli a9, a9, 15
    #: 9abb add.n a11, a11, a9
    #: b0b121 srai a11, a11, 1
    #: ba88 add.n a8, a8, a11
    #: 82d840 addmi a8, a8, 0x4000
    #: 808f21 srai a8, a8, 15
    #: aa88 add.n a8, a8, a10
    #: 16cf00 beqz a15, 0x166
    #: 80af31 srai a10, a8, 31
    #: aa88 add.n a8, a8, a10
    #: 8080b1 sra a8, a8
    #: 1b88 addi.n a8, a8, 1
    #: 808121 srai a8, a8, 1
    #: a22316 l32i a10, a3, 88
    #: b22317 l32i a11, a3, 92
    #: 922318 l32i a9, a3, 96
    #: aa88 add.n a8, a8, a10
    #: b08853 max a8, a8, a11
    #: 908843 min a8, a8, a9
    #: 824700 s8i a8, a7, 0
    #: a8f3 l32i.n a10, a3, 60
    #: b22313 l32i a11, a3, 76
    #: aa66 add.n a6, a6, a10
    #: ba22 add.n a2, a2, a11
    #: ba55 add.n a5, a5, a11
    #: a831 l32i.n a10, a1, 12
    #: a7b202 bgeu a2, a10, 0x18d
    #: 06acff j 0x3e
    #: a821 l32i.n a10, a1, 8
    #: b22310 l32i a11, a3, 64
    #: a2cafe addi a10, a10, -2
    #: a921 s32i.n a10, a1, 8
    #: 0c09 movi.n a9, 0
    #: a72902 blt a9, a10, 0x19f
    #: c60400 j 0x1b3
    #: f0bb11 slli a11, a11, 1
    #: a811 l32i.n a10, a1, 4
    #: baaa add.n a10, a10, a11
    #: a911 s32i.n a10, a1, 4
    #: a801 l32i.n a10, a1, 0
    #: b8c3 l32i.n a11, a3, 48
    #: baaa add.n a10, a10, a11
    #: a901 s32i.n a10, a1, 0
    #: c69eff j 0x2f
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# The same, 3x3 with a vertical stride of 2.
@micropython.viper
def rows_3x3_stride_2(arena, offset, memory, taps):
    #: 366100 entry a1, 48
    #: 2a33 add.n a3, a3, a2
    #: 7803 l32i.n a7, a3, 0
    #: 7a44 add.n a4, a4, a7
    #: 78b3 l32i.n a7, a3, 44
    #: 2a77 add.n a7, a7, a2
    #: 7901 s32i.n a7, a1, 0
    #: 78e3 l32i.n a7, a3, 56
    #: 2a77 add.n a7, a7, a2
    #: 7911 s32i.n a7, a1, 4
    #: 722311 l32i a7, a3, 68
    #: 7921 s32i.n a7, a1, 8
    #: 72231e l32i a7, a3, 120
    #: 4a77 add.n a7, a7, a4
    #: d807 l32i.n a13, a7, 0
    #: e817 l32i.n a14, a7, 4
    #: f827 l32i.n a15, a7, 8
    #: 0b8f addi.n a8, a15, -1
    #: 000840 ssr a8
    #: 0c1c movi.n a12, 1
    #: 10cc11 slli a12, a12, 15
    #: 2801 l32i.n a2, a1, 0
    #: a8c3 l32i.n a10, a3, 48
    #: aa52 add.n a5, a2, a10
    #: a22312 l32i a10, a3, 72
    #: 2aaa add.n a10, a10, a2
    #: a931 s32i.n a10, a1, 12
    #: 6811 l32i.n a6, a1, 4
    #: 7804 l32i.n a7, a4, 0
    #: 9802 l32i.n a9, a2, 0
    #: a814 l32i.n a10, a4, 4
    #: 90aa82 mull a10, a10, a9
    #: caaa add.n a10, a10, a12
    #: a0a031 srai a10, a10, 16
    #: aa77 add.n a7, a7, a10
    #: 9812 l32i.n a9, a2, 4
    #: a824 l32i.n a10, a4, 8
    #: 90aa82 mull a10, a10, a9
    #: caaa add.n a10, a10, a12
    #: a0a031 srai a10, a10, 16
    #: aa77 add.n a7, a7, a10
    #: 9822 l32i.n a9, a2, 8
    #: a834 l32i.n a10, a4, 12
    #: 90aa82 mull a10, a10, a9
    #: caaa add.n a10, a10, a12
    #: a0a031 srai a10, a10, 16
    #: aa77 add.n a7, a7, a10
    #: 9805 l32i.n a9, a5, 0
    #: a844 l32i.n a10, a4, 16
    #: 90aa82 mull a10, a10, a9
    #: caaa add.n a10, a10, a12
    #: a0a031 srai a10, a10, 16
    #: aa77 add.n a7, a7, a10
    #: 9815 l32i.n a9, a5, 4
    #: a854 l32i.n a10, a4, 20
    #: 90aa82 mull a10, a10, a9
    #: caaa add.n a10, a10, a12
    #: a0a031 srai a10, a10, 16
    #: aa77 add.n a7, a7, a10
    #: 9825 l32i.n a9, a5, 8
    #: a864 l32i.n a10, a4, 24
    #: 90aa82 mull a10, a10, a9
    #: caaa add.n a10, a10, a12
    #: a0a031 srai a10, a10, 16
    #: aa77 add.n a7, a7, a10
    #: 70af21 srai a10, a7, 15
    #: 7070e4 extui a7, a7, 0, 15
    #: d0ba82 mull a11, a10, a13
    #: e0aa82 mull a10, a10, a14
    #: d09782 mull a9, a7, a13
    #: e07782 mull a7, a7, a14
    #: 909f41 srli a9, a9, 15
    #: 9abb add.n a11, a11, a9
    #: b0b121 srai a11, a11, 1
    #: ba77 add.n a7, a7, a11
    #: 72d740 addmi a7, a7, 0x4000
    #: 707f21 srai a7, a7, 15
    #: aa77 add.n a7, a7, a10
    #: 16cf00 beqz a15, 0xc8
    #: 70af31 srai a10, a7, 31
    #: aa77 add.n a7, a7, a10
    #: 7070b1 sra a7, a7
    #: 1b77 addi.n a7, a7, 1
    #: 707121 srai a7, a7, 1
    #: a22316 l32i a10, a3, 88
    #: b22317 l32i a11, a3, 92
    #: 922318 l32i a9, a3, 96
    #: aa77 add.n a7, a7, a10
    #: b07753 max a7, a7, a11
    #: 907743 min a7, a7, a9
    #: 724600 s8i a7, a6, 0
    #: a8f3 l32i.n a10, a3, 60
    #: b22313 l32i a11, a3, 76
    #: aa66 add.n a6, a6, a10
    #: ba22 add.n a2, a2, a11
    #: ba55 add.n a5, a5, a11
    #: a831 l32i.n a10, a1, 12
    #: a7b202 bgeu a2, a10, 0xef
    #: 86d3ff j 0x3e
    #: a821 l32i.n a10, a1, 8
    #: b22310 l32i a11, a3, 64
    #: 0baa addi.n a10, a10, -1
    #: a921 s32i.n a10, a1, 8
    #: 0c09 movi.n a9, 0
    #: a72902 blt a9, a10, 0x100
    #: 060400 j 0x111
    #: a811 l32i.n a10, a1, 4
    #: baaa add.n a10, a10, a11
    #: a911 s32i.n a10, a1, 4
    #: a801 l32i.n a10, a1, 0
    #: b8c3 l32i.n a11, a3, 48
    #: baaa add.n a10, a10, a11
    #: a901 s32i.n a10, a1, 0
    #: 46c7ff j 0x2f
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# The same, for filters of any size.
@micropython.viper
def rows_any(arena, offset, memory, taps):
    #: 36a100 entry a1, 80
    #: 2a33 add.n a3, a3, a2
    #: 7803 l32i.n a7, a3, 0
    #: 7a44 add.n a4, a4, a7
    #: 78b3 l32i.n a7, a3, 44
    #: 2a77 add.n a7, a7, a2
    #: 7901 s32i.n a7, a1, 0
    #: 78e3 l32i.n a7, a3, 56
    #: 2a77 add.n a7, a7, a2
    #: 7911 s32i.n a7, a1, 4
    #: 722311 l32i a7, a3, 68
    #: 7921 s32i.n a7, a1, 8
    #: 72231e l32i a7, a3, 120
    #: 4a77 add.n a7, a7, a4
    #: d807 l32i.n a13, a7, 0
    #: e817 l32i.n a14, a7, 4
    #: f827 l32i.n a15, a7, 8
    #: 0b8f addi.n a8, a15, -1
    #: 000840 ssr a8
    #: 0c1c movi.n a12, 1
    #: 10cc11 slli a12, a12, 15
    #: 4981 s32i.n a4, a1, 32
    #: 0c0a movi.n a10, 0
    #: a941 s32i.n a10, a1, 16
    #: a841 l32i.n a10, a1, 16
    #: b8c3 l32i.n a11, a3, 48
    #: a09121 srai a9, a10, 1
    #: b09982 mull a9, a9, a11
    #: b801 l32i.n a11, a1, 0
    #: ba29 add.n a2, a9, a11
    #: 2951 s32i.n a2, a1, 20
    #: a0a004 extui a10, a10, 0, 1
    #: b881 l32i.n a11, a1, 32
    #: 82231b l32i a8, a3, 108
    #: 4b9b addi.n a9, a11, 4
    #: 167a00 beqz a10, 0x5a
    #: 82231c l32i a8, a3, 112
    #: 92231d l32i a9, a3, 116
    #: ba99 add.n a9, a9, a11
    #: 8961 s32i.n a8, a1, 24
    #: 9971 s32i.n a9, a1, 28
    #: a22312 l32i a10, a3, 72
    #: 2aaa add.n a10, a10, a2
    #: a931 s32i.n a10, a1, 12
    #: 6811 l32i.n a6, a1, 4
    #: 5851 l32i.n a5, a1, 20
    #: a881 l32i.n a10, a1, 32
    #: 4871 l32i.n a4, a1, 28
    #: 8861 l32i.n a8, a1, 24
    #: 780a l32i.n a7, a10, 0
    #: 2d05 mov.n a2, a5
    #: a2231a l32i a10, a3, 104
    #: 9802 l32i.n a9, a2, 0
    #: b804 l32i.n a11, a4, 0
    #: 4b22 addi.n a2, a2, 4
    #: 90bb82 mull a11, a11, a9
    #: 4b44 addi.n a4, a4, 4
    #: cabb add.n a11, a11, a12
    #: b0b031 srai a11, a11, 16
    #: 0baa addi.n a10, a10, -1
    #: ba77 add.n a7, a7, a11
    #: 568afe bnez a10, 0x76
    #: b8c3 l32i.n a11, a3, 48
    #: 0b88 addi.n a8, a8, -1
    #: ba55 add.n a5, a5, a11
    #: 56a8fd bnez a8, 0x71
    #: 70af21 srai a10, a7, 15
    #: 7070e4 extui a7, a7, 0, 15
    #: d0ba82 mull a11, a10, a13
    #: e0aa82 mull a10, a10, a14
    #: d09782 mull a9, a7, a13
    #: e07782 mull a7, a7, a14
    #: 909f41 srli a9, a9, 15
    #: 9abb add.n a11, a11, a9
    #: b0b121 srai a11, a11, 1
    #: ba77 add.n a7, a7, a11
    #: 72d740 addmi a7, a7, 0x4000
    #: 707f21 srai a7, a7, 15
    #: aa77 add.n a7, a7, a10
    #: 16cf00 beqz a15, 0xca
    #: 70af31 srai a10, a7, 31
    #: aa77 add.n a7, a7, a10
    #: 7070b1 sra a7, a7
    #: 1b77 addi.n a7, a7, 1
    #: 707121 srai a7, a7, 1
    #: a22316 l32i a10, a3, 88
    #: b22317 l32i a11, a3, 92
    #: 922318 l32i a9, a3, 96
    #: aa77 add.n a7, a7, a10
    #: b07753 max a7, a7, a11
    #: 907743 min a7, a7, a9
    #: 724600 s8i a7, a6, 0
    #: 2851 l32i.n a2, a1, 20
    #: a8f3 l32i.n a10, a3, 60
    #: b22313 l32i a11, a3, 76
    #: aa66 add.n a6, a6, a10
    #: ba22 add.n a2, a2, a11
    #: 2951 s32i.n a2, a1, 20
    #: a831 l32i.n a10, a1, 12
    #: a7b202 bgeu a2, a10, 0xf3
    #: c6dcff j 0x67
    #: a821 l32i.n a10, a1, 8
    #: b22310 l32i a11, a3, 64
    #: 0baa addi.n a10, a10, -1
    #: a921 s32i.n a10, a1, 8
    #: 0c09 movi.n a9, 0
    #: a72902 blt a9, a10, 0x104
    #: 460400 j 0x116
    #: a811 l32i.n a10, a1, 4
    #: baaa add.n a10, a10, a11
    #: a911 s32i.n a10, a1, 4
    #: a841 l32i.n a10, a1, 16
    #: b22319 l32i a11, a3, 100
    #: baaa add.n a10, a10, a11
    #: a941 s32i.n a10, a1, 16
    #: 86c7ff j 0x35
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")
