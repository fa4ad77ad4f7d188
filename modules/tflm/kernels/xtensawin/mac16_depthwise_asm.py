# tflm: DEPTHWISE_CONV_2D, int8, 3x3, by MAC16: assembler for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py xtensawin` from
# tools/asm/xtensawin/mac16_depthwise.py: change that, not this.

import micropython


# The plane of one channel: word (j, x) holds rows 2 * j and 2 * j + 1 of column x as halfwords,
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
    #: 7add add.n a13, a13, a7
    #: 271c06 beq a12, a2, 0x30
    #: d902 s32i.n a13, a2, 0
    #: 4b22 addi.n a2, a2, 4
    #: c792f8 bne a2, a12, 0x29
    #: d843 l32i.n a13, a3, 16
    #: 8d04 mov.n a8, a4
    #: da94 add.n a9, a4, a13
    #: da49 add.n a4, a9, a13
    #: a833 l32i.n a10, a3, 12
    #: d853 l32i.n a13, a3, 20
    #: d73504 bltu a5, a13, 0x44
    #: 82c328 addi a8, a3, 40
    #: 0c0a movi.n a10, 0
    #: 1b55 addi.n a5, a5, 1
    #: b833 l32i.n a11, a3, 12
    #: d853 l32i.n a13, a3, 20
    #: d73504 bltu a5, a13, 0x52
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
    #: d902 s32i.n a13, a2, 0
    #: 4b22 addi.n a2, a2, 4
    #: c792e6 bne a2, a12, 0x59
    #: d893 l32i.n a13, a3, 36
    #: 20cda0 addx4 a12, a13, a2
    #: d8a3 l32i.n a13, a3, 40
    #: 7add add.n a13, a13, a7
    #: 271c06 beq a12, a2, 0x85
    #: d902 s32i.n a13, a2, 0
    #: 4b22 addi.n a2, a2, 4
    #: c792f8 bne a2, a12, 0x7e
    #: 0b66 addi.n a6, a6, -1
    #: 162600 beqz a6, 0x8d
    #: c6e3ff j 0x1d
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# The rows of a channel, 3x3 with stride 1, two rows at a time, from a plane of
# halfwords that are 128 too large. The arena, the offset of a block of parameters in it (DEPTHWISE
# in tools/asm/common/parameters.py), and the memory of the stream (prepare/mac16.py).
@micropython.viper
def rows_3x3(arena, offset, memory, taps):
    #: 36c100 entry a1, 96
    #: 2a33 add.n a3, a3, a2
    #: d8b3 l32i.n a13, a3, 44
    #: 2add add.n a13, a13, a2
    #: d901 s32i.n a13, a1, 0
    #: d8e3 l32i.n a13, a3, 56
    #: 2add add.n a13, a13, a2
    #: d911 s32i.n a13, a1, 4
    #: d22311 l32i a13, a3, 68
    #: d921 s32i.n a13, a1, 8
    #: d8c3 l32i.n a13, a3, 48
    #: d931 s32i.n a13, a1, 12
    #: d22312 l32i a13, a3, 72
    #: d941 s32i.n a13, a1, 16
    #: d8f3 l32i.n a13, a3, 60
    #: d951 s32i.n a13, a1, 20
    #: d22310 l32i a13, a3, 64
    #: d961 s32i.n a13, a1, 24
    #: d22313 l32i a13, a3, 76
    #: d971 s32i.n a13, a1, 28
    #: d22316 l32i a13, a3, 88
    #: d981 s32i.n a13, a1, 32
    #: d22317 l32i a13, a3, 92
    #: d991 s32i.n a13, a1, 36
    #: d22318 l32i a13, a3, 96
    #: d9a1 s32i.n a13, a1, 40
    #: d803 l32i.n a13, a3, 0
    #: da44 add.n a4, a4, a13
    #: 42c4fc addi a4, a4, -4
    #: 040480 ldinc m0, a4
    #: 041480 ldinc m1, a4
    #: 042480 ldinc m2, a4
    #: 043480 ldinc m3, a4
    #: 5814 l32i.n a5, a4, 4
    #: 6824 l32i.n a6, a4, 8
    #: e834 l32i.n a14, a4, 12
    #: d844 l32i.n a13, a4, 16
    #: f854 l32i.n a15, a4, 20
    #: e9c1 s32i.n a14, a1, 48
    #: f9d1 s32i.n a15, a1, 52
    #: 964d0f bltz a13, 0x155
    #: 000d40 ssr a13
    #: 2801 l32i.n a2, a1, 0
    #: d831 l32i.n a13, a1, 12
    #: e841 l32i.n a14, a1, 16
    #: da32 add.n a3, a2, a13
    #: 2aee add.n a14, a14, a2
    #: 3901 s32i.n a3, a1, 0
    #: e9b1 s32i.n a14, a1, 44
    #: 4811 l32i.n a4, a1, 4
    #: 7802 l32i.n a7, a2, 0
    #: 8812 l32i.n a8, a2, 4
    #: 9822 l32i.n a9, a2, 8
    #: a803 l32i.n a10, a3, 0
    #: b813 l32i.n a11, a3, 4
    #: c823 l32i.n a12, a3, 8
    #: 601013 wsr.acclo a6
    #: 740068 mula.da.ll m0, a7
    #: 74006b mula.da.hh m0, a7
    #: 440a38 mula.ad.ll a10, m3
    #: 844068 mula.da.ll m1, a8
    #: 84406b mula.da.hh m1, a8
    #: 440b3a mula.ad.lh a11, m3
    #: 040938 mula.ad.ll a9, m2
    #: 04093b mula.ad.hh a9, m2
    #: 540c78 mula.aa.ll a12, a5
    #: d01003 rsr.acclo a13
    #: e8c1 l32i.n a14, a1, 48
    #: e0fdb2 mulsh a15, a13, a14
    #: e0dd82 mull a13, a13, a14
    #: e8d1 l32i.n a14, a1, 52
    #: d0df05 extui a13, a13, 31, 1
    #: fadd add.n a13, a13, a15
    #: 169e00 beqz a14, 0xbc
    #: d0ff31 srai a15, a13, 31
    #: eadd add.n a13, a13, a14
    #: fadd add.n a13, a13, a15
    #: d0d0b1 sra a13, a13
    #: e881 l32i.n a14, a1, 32
    #: f891 l32i.n a15, a1, 36
    #: eadd add.n a13, a13, a14
    #: e8a1 l32i.n a14, a1, 40
    #: f0dd53 max a13, a13, a15
    #: e0dd43 min a13, a13, a14
    #: d24400 s8i a13, a4, 0
    #: d821 l32i.n a13, a1, 8
    #: 0bdd addi.n a13, a13, -1
    #: 161d05 beqz a13, 0x126
    #: 601013 wsr.acclo a6
    #: 74006a mula.da.lh m0, a7
    #: a40069 mula.da.hl m0, a10
    #: 440a39 mula.ad.hl a10, m3
    #: 84406a mula.da.lh m1, a8
    #: b44069 mula.da.hl m1, a11
    #: 440b3b mula.ad.hh a11, m3
    #: 040939 mula.ad.hl a9, m2
    #: 040c3a mula.ad.lh a12, m2
    #: 540c79 mula.aa.hl a12, a5
    #: d01003 rsr.acclo a13
    #: e8c1 l32i.n a14, a1, 48
    #: e0fdb2 mulsh a15, a13, a14
    #: e0dd82 mull a13, a13, a14
    #: e8d1 l32i.n a14, a1, 52
    #: d0df05 extui a13, a13, 31, 1
    #: fadd add.n a13, a13, a15
    #: 169e00 beqz a14, 0x111
    #: d0ff31 srai a15, a13, 31
    #: eadd add.n a13, a13, a14
    #: fadd add.n a13, a13, a15
    #: d0d0b1 sra a13, a13
    #: e881 l32i.n a14, a1, 32
    #: f891 l32i.n a15, a1, 36
    #: eadd add.n a13, a13, a14
    #: e8a1 l32i.n a14, a1, 40
    #: f0dd53 max a13, a13, a15
    #: e0dd43 min a13, a13, a14
    #: e861 l32i.n a14, a1, 24
    #: 4aee add.n a14, a14, a4
    #: d24e00 s8i a13, a14, 0
    #: e851 l32i.n a14, a1, 20
    #: d871 l32i.n a13, a1, 28
    #: f8b1 l32i.n a15, a1, 44
    #: ea44 add.n a4, a4, a14
    #: da22 add.n a2, a2, a13
    #: da33 add.n a3, a3, a13
    #: f7b202 bgeu a2, a15, 0x138
    #: 86ceff j 0x73
    #: d821 l32i.n a13, a1, 8
    #: e861 l32i.n a14, a1, 24
    #: d2cdfe addi a13, a13, -2
    #: d921 s32i.n a13, a1, 8
    #: 0c0f movi.n a15, 0
    #: d72f02 blt a15, a13, 0x149
    #: 463000 j 0x20b
    #: f0ee11 slli a14, a14, 1
    #: d811 l32i.n a13, a1, 4
    #: eadd add.n a13, a13, a14
    #: d911 s32i.n a13, a1, 4
    #: 46c3ff j 0x63
    #: 2801 l32i.n a2, a1, 0
    #: d831 l32i.n a13, a1, 12
    #: e841 l32i.n a14, a1, 16
    #: da32 add.n a3, a2, a13
    #: 2aee add.n a14, a14, a2
    #: 3901 s32i.n a3, a1, 0
    #: e9b1 s32i.n a14, a1, 44
    #: 4811 l32i.n a4, a1, 4
    #: 7802 l32i.n a7, a2, 0
    #: 8812 l32i.n a8, a2, 4
    #: 9822 l32i.n a9, a2, 8
    #: a803 l32i.n a10, a3, 0
    #: b813 l32i.n a11, a3, 4
    #: c823 l32i.n a12, a3, 8
    #: 601013 wsr.acclo a6
    #: 740068 mula.da.ll m0, a7
    #: 74006b mula.da.hh m0, a7
    #: 440a38 mula.ad.ll a10, m3
    #: 844068 mula.da.ll m1, a8
    #: 84406b mula.da.hh m1, a8
    #: 440b3a mula.ad.lh a11, m3
    #: 040938 mula.ad.ll a9, m2
    #: 04093b mula.ad.hh a9, m2
    #: 540c78 mula.aa.ll a12, a5
    #: d01003 rsr.acclo a13
    #: e8c1 l32i.n a14, a1, 48
    #: f881 l32i.n a15, a1, 32
    #: e0ddb2 mulsh a13, a13, a14
    #: fadd add.n a13, a13, a15
    #: 00dd33 clamps a13, a13, 7
    #: d24400 s8i a13, a4, 0
    #: d821 l32i.n a13, a1, 8
    #: 0bdd addi.n a13, a13, -1
    #: 163d03 beqz a13, 0x1dc
    #: 601013 wsr.acclo a6
    #: 74006a mula.da.lh m0, a7
    #: a40069 mula.da.hl m0, a10
    #: 440a39 mula.ad.hl a10, m3
    #: 84406a mula.da.lh m1, a8
    #: b44069 mula.da.hl m1, a11
    #: 440b3b mula.ad.hh a11, m3
    #: 040939 mula.ad.hl a9, m2
    #: 040c3a mula.ad.lh a12, m2
    #: 540c79 mula.aa.hl a12, a5
    #: d01003 rsr.acclo a13
    #: e8c1 l32i.n a14, a1, 48
    #: f881 l32i.n a15, a1, 32
    #: e0ddb2 mulsh a13, a13, a14
    #: fadd add.n a13, a13, a15
    #: 00dd33 clamps a13, a13, 7
    #: e861 l32i.n a14, a1, 24
    #: 4aee add.n a14, a14, a4
    #: d24e00 s8i a13, a14, 0
    #: e851 l32i.n a14, a1, 20
    #: d871 l32i.n a13, a1, 28
    #: f8b1 l32i.n a15, a1, 44
    #: ea44 add.n a4, a4, a14
    #: da22 add.n a2, a2, a13
    #: da33 add.n a3, a3, a13
    #: f7b202 bgeu a2, a15, 0x1ee
    #: 86ddff j 0x165
    #: d821 l32i.n a13, a1, 8
    #: e861 l32i.n a14, a1, 24
    #: d2cdfe addi a13, a13, -2
    #: d921 s32i.n a13, a1, 8
    #: 0c0f movi.n a15, 0
    #: d72f02 blt a15, a13, 0x1ff
    #: c60200 j 0x20b
    #: f0ee11 slli a14, a14, 1
    #: d811 l32i.n a13, a1, 4
    #: eadd add.n a13, a13, a14
    #: d911 s32i.n a13, a1, 4
    #: 46d2ff j 0x155
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# The rows of a channel, 3x3 with a vertical stride of 2, from a plane of
# halfwords that are 128 too large. The arena, the offset of a block of parameters in it (DEPTHWISE
# in tools/asm/common/parameters.py), and the memory of the stream (prepare/mac16.py).
@micropython.viper
def rows_3x3_stride_2(arena, offset, memory, taps):
    #: 36c100 entry a1, 96
    #: 2a33 add.n a3, a3, a2
    #: d8b3 l32i.n a13, a3, 44
    #: 2add add.n a13, a13, a2
    #: d901 s32i.n a13, a1, 0
    #: d8e3 l32i.n a13, a3, 56
    #: 2add add.n a13, a13, a2
    #: d911 s32i.n a13, a1, 4
    #: d22311 l32i a13, a3, 68
    #: d921 s32i.n a13, a1, 8
    #: d8c3 l32i.n a13, a3, 48
    #: d931 s32i.n a13, a1, 12
    #: d22312 l32i a13, a3, 72
    #: d941 s32i.n a13, a1, 16
    #: d8f3 l32i.n a13, a3, 60
    #: d951 s32i.n a13, a1, 20
    #: d22310 l32i a13, a3, 64
    #: d961 s32i.n a13, a1, 24
    #: d22313 l32i a13, a3, 76
    #: d971 s32i.n a13, a1, 28
    #: d22316 l32i a13, a3, 88
    #: d981 s32i.n a13, a1, 32
    #: d22317 l32i a13, a3, 92
    #: d991 s32i.n a13, a1, 36
    #: d22318 l32i a13, a3, 96
    #: d9a1 s32i.n a13, a1, 40
    #: d803 l32i.n a13, a3, 0
    #: da44 add.n a4, a4, a13
    #: 42c4fc addi a4, a4, -4
    #: 040480 ldinc m0, a4
    #: 041480 ldinc m1, a4
    #: 042480 ldinc m2, a4
    #: 043480 ldinc m3, a4
    #: 5814 l32i.n a5, a4, 4
    #: 6824 l32i.n a6, a4, 8
    #: e834 l32i.n a14, a4, 12
    #: d844 l32i.n a13, a4, 16
    #: f854 l32i.n a15, a4, 20
    #: e9c1 s32i.n a14, a1, 48
    #: f9d1 s32i.n a15, a1, 52
    #: 967d09 bltz a13, 0xf8
    #: 000d40 ssr a13
    #: 2801 l32i.n a2, a1, 0
    #: d831 l32i.n a13, a1, 12
    #: e841 l32i.n a14, a1, 16
    #: da32 add.n a3, a2, a13
    #: 2aee add.n a14, a14, a2
    #: 3901 s32i.n a3, a1, 0
    #: e9b1 s32i.n a14, a1, 44
    #: 4811 l32i.n a4, a1, 4
    #: 7802 l32i.n a7, a2, 0
    #: 8812 l32i.n a8, a2, 4
    #: 9822 l32i.n a9, a2, 8
    #: a803 l32i.n a10, a3, 0
    #: b813 l32i.n a11, a3, 4
    #: c823 l32i.n a12, a3, 8
    #: 601013 wsr.acclo a6
    #: 740068 mula.da.ll m0, a7
    #: 74006b mula.da.hh m0, a7
    #: 440a38 mula.ad.ll a10, m3
    #: 844068 mula.da.ll m1, a8
    #: 84406b mula.da.hh m1, a8
    #: 440b3a mula.ad.lh a11, m3
    #: 040938 mula.ad.ll a9, m2
    #: 04093b mula.ad.hh a9, m2
    #: 540c78 mula.aa.ll a12, a5
    #: d01003 rsr.acclo a13
    #: e8c1 l32i.n a14, a1, 48
    #: e0fdb2 mulsh a15, a13, a14
    #: e0dd82 mull a13, a13, a14
    #: e8d1 l32i.n a14, a1, 52
    #: d0df05 extui a13, a13, 31, 1
    #: fadd add.n a13, a13, a15
    #: 169e00 beqz a14, 0xbc
    #: d0ff31 srai a15, a13, 31
    #: eadd add.n a13, a13, a14
    #: fadd add.n a13, a13, a15
    #: d0d0b1 sra a13, a13
    #: e881 l32i.n a14, a1, 32
    #: f891 l32i.n a15, a1, 36
    #: eadd add.n a13, a13, a14
    #: e8a1 l32i.n a14, a1, 40
    #: f0dd53 max a13, a13, a15
    #: e0dd43 min a13, a13, a14
    #: d24400 s8i a13, a4, 0
    #: e851 l32i.n a14, a1, 20
    #: d871 l32i.n a13, a1, 28
    #: f8b1 l32i.n a15, a1, 44
    #: ea44 add.n a4, a4, a14
    #: da22 add.n a2, a2, a13
    #: da33 add.n a3, a3, a13
    #: f7b202 bgeu a2, a15, 0xdf
    #: c6e4ff j 0x73
    #: d821 l32i.n a13, a1, 8
    #: e861 l32i.n a14, a1, 24
    #: 0bdd addi.n a13, a13, -1
    #: d921 s32i.n a13, a1, 8
    #: 0c0f movi.n a15, 0
    #: d72f02 blt a15, a13, 0xef
    #: c61f00 j 0x16f
    #: d811 l32i.n a13, a1, 4
    #: eadd add.n a13, a13, a14
    #: d911 s32i.n a13, a1, 4
    #: 86daff j 0x63
    #: 2801 l32i.n a2, a1, 0
    #: d831 l32i.n a13, a1, 12
    #: e841 l32i.n a14, a1, 16
    #: da32 add.n a3, a2, a13
    #: 2aee add.n a14, a14, a2
    #: 3901 s32i.n a3, a1, 0
    #: e9b1 s32i.n a14, a1, 44
    #: 4811 l32i.n a4, a1, 4
    #: 7802 l32i.n a7, a2, 0
    #: 8812 l32i.n a8, a2, 4
    #: 9822 l32i.n a9, a2, 8
    #: a803 l32i.n a10, a3, 0
    #: b813 l32i.n a11, a3, 4
    #: c823 l32i.n a12, a3, 8
    #: 601013 wsr.acclo a6
    #: 740068 mula.da.ll m0, a7
    #: 74006b mula.da.hh m0, a7
    #: 440a38 mula.ad.ll a10, m3
    #: 844068 mula.da.ll m1, a8
    #: 84406b mula.da.hh m1, a8
    #: 440b3a mula.ad.lh a11, m3
    #: 040938 mula.ad.ll a9, m2
    #: 04093b mula.ad.hh a9, m2
    #: 540c78 mula.aa.ll a12, a5
    #: d01003 rsr.acclo a13
    #: e8c1 l32i.n a14, a1, 48
    #: f881 l32i.n a15, a1, 32
    #: e0ddb2 mulsh a13, a13, a14
    #: fadd add.n a13, a13, a15
    #: 00dd33 clamps a13, a13, 7
    #: d24400 s8i a13, a4, 0
    #: e851 l32i.n a14, a1, 20
    #: d871 l32i.n a13, a1, 28
    #: f8b1 l32i.n a15, a1, 44
    #: ea44 add.n a4, a4, a14
    #: da22 add.n a2, a2, a13
    #: da33 add.n a3, a3, a13
    #: f7b202 bgeu a2, a15, 0x156
    #: 46ecff j 0x108
    #: d821 l32i.n a13, a1, 8
    #: e861 l32i.n a14, a1, 24
    #: 0bdd addi.n a13, a13, -1
    #: d921 s32i.n a13, a1, 8
    #: 0c0f movi.n a15, 0
    #: d72f02 blt a15, a13, 0x166
    #: 060200 j 0x16f
    #: d811 l32i.n a13, a1, 4
    #: eadd add.n a13, a13, a14
    #: d911 s32i.n a13, a1, 4
    #: 06e2ff j 0xf8
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")
