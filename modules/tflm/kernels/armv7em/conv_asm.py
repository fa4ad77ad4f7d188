# tflm: CONV_2D, int8: assembler for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv7em` from
# tools/asm/armv7em/gather.py, multiply.py: change that, not this.

import micropython


# Unpack the windows of pairs of pixels, int8, to lanes: for each two elements a word of one pixel,
# then one of the other. `r0` is the address of a block of parameters (GATHER in
# tools/asm/armv7em/gather.py).
@micropython.asm_thumb
def gather(r0):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB092)  # sub sp, #72
    ldr(r1, [r0, 0])
    data(2, 0x9100)  # str r1, [sp] source
    ldr(r1, [r0, 4])
    data(2, 0x9101)  # str r1, [sp] lanes
    ldr(r1, [r0, 8])
    data(2, 0x9102)  # str r1, [sp] pairs
    ldr(r1, [r0, 12])
    data(2, 0x9103)  # str r1, [sp] pixel_step
    ldr(r1, [r0, 16])
    data(2, 0x9104)  # str r1, [sp] pair_step
    ldr(r1, [r0, 20])
    data(2, 0x9105)  # str r1, [sp] run
    ldr(r1, [r0, 24])
    data(2, 0x9106)  # str r1, [sp] row_step
    ldr(r1, [r0, 28])
    data(2, 0x9107)  # str r1, [sp] above
    ldr(r1, [r0, 32])
    data(2, 0x9108)  # str r1, [sp] rows
    ldr(r1, [r0, 36])
    data(2, 0x9109)  # str r1, [sp] below
    ldr(r1, [r0, 40])
    data(2, 0x910A)  # str r1, [sp] at
    ldr(r1, [r0, 44])
    data(2, 0x910B)  # str r1, [sp] last
    ldr(r1, [r0, 48])
    data(2, 0x910C)  # str r1, [sp] row_bytes
    ldr(r1, [r0, 52])
    data(2, 0x910D)  # str r1, [sp] fill
    ldr(r1, [r0, 56])
    data(2, 0x910E)  # str r1, [sp] fill_bytes
    ldr(r1, [r0, 60])
    data(2, 0x910F)  # str r1, [sp] is_whole
    ldr(r1, [r0, 64])
    data(2, 0x9110)  # str r1, [sp] window
    ldr(r1, [r0, 68])
    data(2, 0x9111)  # str r1, [sp] spare
    data(2, 0xF8DD, 0x8004)  # ldr r8, [sp, #4]
    data(2, 0xF8DD, 0xA000)  # ldr r10, [sp, #0]
    data(2, 0xF8DD, 0xB028)  # ldr r11, [sp, #40]
    data(2, 0xF8DD, 0xE008)  # ldr lr, [sp, #8]
    label(pair_1)
    data(2, 0x9A0F)  # ldr r2, [sp] is_whole
    cmp(r2, 0)
    beq_w(apart_4)
    # unsigned: windows that begin left of the image are large
    data(2, 0x9A0B)  # ldr r2, [sp] last
    data(2, 0x4593)  # cmp r11, r2
    bhi_w(apart_4)
    data(2, 0x9B03)  # ldr r3, [sp] pixel_step
    data(2, 0x445B)  # add r3, r11
    cmp(r3, r2)
    bhi_w(apart_4)
    data(2, 0x9E07)  # ldr r6, [sp] above
    cmp(r6, 0)
    beq(filled_6)
    data(2, 0x9A0D)  # ldr r2, [sp] fill
    mov(r3, r2)
    mov(r4, r2)
    mov(r5, r2)
    label(fill_7)
    data(2, 0xE8A8, 0x003C)  # stmia r8!, {r2, r3, r4, r5}
    sub(r6, 4)
    bhi(fill_7)
    label(filled_6)
    data(2, 0x9F08)  # ldr r7, [sp] rows
    mov(r9, r10)
    cmp(r7, 0)
    beq_w(below_3)
    label(row_2)
    mov(r0, r9)
    data(2, 0x9903)  # ldr r1, [sp] pixel_step
    data(2, 0x4449)  # add r1, r9
    data(2, 0x9A05)  # ldr r2, [sp] run
    data(2, 0xEB00, 0x0C02)  # add r12, r0, r2
    label(quads_8)
    data(2, 0xF850, 0x4B04)  # ldr r4, [r0], #4
    data(2, 0xF851, 0x6B04)  # ldr r6, [r1], #4
    data(2, 0xFA2F, 0xF284)  # sxtb16 r2, r4
    data(2, 0xFA2F, 0xF386)  # sxtb16 r3, r6
    data(2, 0xFA2F, 0xF494)  # sxtb16 r4, r4, ror #8
    data(2, 0xFA2F, 0xF596)  # sxtb16 r5, r6, ror #8
    data(2, 0xE8A8, 0x003C)  # stmia r8!, {r2, r3, r4, r5}
    data(2, 0x4560)  # cmp r0, r12
    bcc(quads_8)
    data(2, 0x9A06)  # ldr r2, [sp] row_step
    data(2, 0x4491)  # add r9, r2
    sub(r7, 1)
    bne(row_2)
    label(below_3)
    data(2, 0x9E09)  # ldr r6, [sp] below
    cmp(r6, 0)
    beq(filled_9)
    data(2, 0x9A0D)  # ldr r2, [sp] fill
    mov(r3, r2)
    mov(r4, r2)
    mov(r5, r2)
    label(fill_10)
    data(2, 0xE8A8, 0x003C)  # stmia r8!, {r2, r3, r4, r5}
    sub(r6, 4)
    bhi(fill_10)
    label(filled_9)
    label(next_pair_5)
    data(2, 0x9A04)  # ldr r2, [sp] pair_step
    data(2, 0x4492)  # add r10, r2
    data(2, 0x4493)  # add r11, r2
    data(2, 0xF1BE, 0x0E01)  # subs lr, lr, #1
    bne_w(pair_1)
    b(end_11)
    # bytes of both windows are brought together in spare memory
    label(apart_4)
    data(2, 0xF8CD, 0xE008)  # str lr, [sp, #8]
    data(2, 0xF8DD, 0xE044)  # ldr lr, [sp, #68]
    mov(r0, r10)
    mov(r2, r11)
    label(window_12)
    mov(r1, lr)
    data(2, 0x9E07)  # ldr r6, [sp] above
    cmp(r6, 0)
    beq(filled_17)
    data(2, 0x9D0E)  # ldr r5, [sp] fill_bytes
    label(fill_18)
    data(2, 0xF801, 0x5B01)  # strb r5, [r1], #1
    sub(r6, 1)
    bne(fill_18)
    label(filled_17)
    data(2, 0x9B08)  # ldr r3, [sp] rows
    cmp(r3, 0)
    beq_w(below_16)
    label(row_13)
    mov(r9, r0)
    mov(r4, r2)
    data(2, 0x9F05)  # ldr r7, [sp] run
    cmp(r4, 0)
    bge(inside_14)
    # bytes at the left of the image
    neg(r6, r4)
    cmp(r6, r7)
    ble(less_19)
    mov(r6, r7)
    label(less_19)
    sub(r7, r7, r6)
    add(r0, r0, r6)
    add(r4, r4, r6)
    cmp(r6, 0)
    beq(filled_20)
    data(2, 0x9D0E)  # ldr r5, [sp] fill_bytes
    label(fill_21)
    data(2, 0xF801, 0x5B01)  # strb r5, [r1], #1
    sub(r6, 1)
    bne(fill_21)
    label(filled_20)
    label(inside_14)
    data(2, 0x9E0C)  # ldr r6, [sp] row_bytes
    sub(r6, r6, r4)
    bge(not_beyond_15)
    mov(r6, 0)
    label(not_beyond_15)
    cmp(r6, r7)
    ble(less_22)
    mov(r6, r7)
    label(less_22)
    sub(r7, r7, r6)
    sub(r6, 4)
    bcc(rest_24)
    label(words_23)
    data(2, 0xF850, 0x5B04)  # ldr r5, [r0], #4
    data(2, 0xF841, 0x5B04)  # str r5, [r1], #4
    sub(r6, 4)
    bcs(words_23)
    label(rest_24)
    add(r6, 4)
    beq(done_26)
    label(byte_25)
    data(2, 0xF810, 0x5B01)  # ldrb r5, [r0], #1
    data(2, 0xF801, 0x5B01)  # strb r5, [r1], #1
    sub(r6, 1)
    bne(byte_25)
    label(done_26)
    # bytes at its right
    mov(r6, r7)
    cmp(r6, 0)
    beq(filled_27)
    data(2, 0x9D0E)  # ldr r5, [sp] fill_bytes
    label(fill_28)
    data(2, 0xF801, 0x5B01)  # strb r5, [r1], #1
    sub(r6, 1)
    bne(fill_28)
    label(filled_27)
    data(2, 0x9806)  # ldr r0, [sp] row_step
    data(2, 0x4448)  # add r0, r9
    sub(r3, 1)
    bne_w(row_13)
    label(below_16)
    data(2, 0x9E09)  # ldr r6, [sp] below
    cmp(r6, 0)
    beq(filled_29)
    data(2, 0x9D0E)  # ldr r5, [sp] fill_bytes
    label(fill_30)
    data(2, 0xF801, 0x5B01)  # strb r5, [r1], #1
    sub(r6, 1)
    bne(fill_30)
    label(filled_29)
    data(2, 0x9B10)  # ldr r3, [sp] window
    data(2, 0x449E)  # add lr, r3
    data(2, 0x9803)  # ldr r0, [sp] pixel_step
    add(r2, r2, r0)
    data(2, 0x4450)  # add r0, r10
    data(2, 0x9911)  # ldr r1, [sp] spare
    add(r1, r1, r3)
    data(2, 0x458E)  # cmp lr, r1
    beq_w(window_12)
    data(2, 0x9811)  # ldr r0, [sp] spare
    mov(r12, r1)
    label(quads_31)
    data(2, 0xF850, 0x4B04)  # ldr r4, [r0], #4
    data(2, 0xF851, 0x6B04)  # ldr r6, [r1], #4
    data(2, 0xFA2F, 0xF284)  # sxtb16 r2, r4
    data(2, 0xFA2F, 0xF386)  # sxtb16 r3, r6
    data(2, 0xFA2F, 0xF494)  # sxtb16 r4, r4, ror #8
    data(2, 0xFA2F, 0xF596)  # sxtb16 r5, r6, ror #8
    data(2, 0xE8A8, 0x003C)  # stmia r8!, {r2, r3, r4, r5}
    data(2, 0x4560)  # cmp r0, r12
    bcc(quads_31)
    data(2, 0xF8DD, 0xE008)  # ldr lr, [sp, #8]
    b(next_pair_5)
    label(end_11)
    data(2, 0xB012)  # add sp, #72
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)


# Outputs of groups of four channels for pairs of pixels in lanes. `r0` is the address of a block
# of parameters (MULTIPLY in tools/asm/armv7em/multiply.py).
@micropython.asm_thumb
def multiply(r0):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB08F)  # sub sp, #60
    ldr(r1, [r0, 0])
    data(2, 0x9100)  # str r1, [sp] stream
    ldr(r1, [r0, 4])
    data(2, 0x9101)  # str r1, [sp] lanes
    ldr(r1, [r0, 8])
    data(2, 0x9102)  # str r1, [sp] output
    ldr(r1, [r0, 12])
    data(2, 0x9103)  # str r1, [sp] lanes_end
    ldr(r1, [r0, 16])
    data(2, 0x9104)  # str r1, [sp] groups
    ldr(r1, [r0, 20])
    data(2, 0x9105)  # str r1, [sp] output_step
    ldr(r1, [r0, 24])
    data(2, 0x9106)  # str r1, [sp] skipped
    ldr(r1, [r0, 28])
    data(2, 0x9107)  # str r1, [sp] weights
    ldr(r1, [r0, 32])
    data(2, 0x9108)  # str r1, [sp] zero_point
    ldr(r1, [r0, 36])
    data(2, 0x9109)  # str r1, [sp] clamped
    ldr(r1, [r0, 40])
    data(2, 0x910A)  # str r1, [sp] minimum
    ldr(r1, [r0, 44])
    data(2, 0x910B)  # str r1, [sp] maximum
    label(group_1)
    data(2, 0xF8DD, 0xE004)  # ldr lr, [sp, #4]
    data(2, 0x9902)  # ldr r1, [sp] output
    data(2, 0x910C)  # str r1, [sp] out
    add(r1, 4)
    data(2, 0x9102)  # str r1, [sp] output
    data(2, 0x9A00)  # ldr r2, [sp] stream
    data(2, 0xCA02)  # ldmia r2!, {r1}
    data(2, 0x9200)  # str r2, [sp] stream
    cmp(r1, 0)
    beq(twice_4)
    mov(r1, 248)
    label(twice_4)
    data(2, 0x910E)  # str r1, [sp] kind
    data(2, 0x9907)  # ldr r1, [sp] weights
    add(r1, r1, r2)
    add(r1, 16)
    data(2, 0x910D)  # str r1, [sp] weights_end
    label(pair_2)
    data(2, 0xF8DD, 0xC000)  # ldr r12, [sp, #0]
    data(2, 0xE89C, 0x000F)  # ldmia r12, {r0, r1, r2, r3}
    data(2, 0xE8BC, 0x00F0)  # ldmia r12!, {r4, r5, r6, r7}
    data(2, 0xF8DD, 0x8018)  # ldr r8, [sp, #24]
    data(2, 0x44C7)  # add pc, r8
    nop()
    label(words_3)
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xE8FE, 0x8902)  # ldrd r8, r9, [lr], #8
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x000A)  # smlad r0, r8, r10, r0
    data(2, 0xFB28, 0x110B)  # smlad r1, r8, r11, r1
    data(2, 0xFB29, 0x440A)  # smlad r4, r9, r10, r4
    data(2, 0xFB29, 0x550B)  # smlad r5, r9, r11, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB28, 0x220A)  # smlad r2, r8, r10, r2
    data(2, 0xFB28, 0x330B)  # smlad r3, r8, r11, r3
    data(2, 0xFB29, 0x660A)  # smlad r6, r9, r10, r6
    data(2, 0xFB29, 0x770B)  # smlad r7, r9, r11, r7
    data(2, 0xF8DD, 0x8034)  # ldr r8, [sp, #52]
    data(2, 0x45C4)  # cmp r12, r8
    bcc_w(words_3)
    data(2, 0xF8DD, 0x8020)  # ldr r8, [sp, #32]
    data(2, 0xF8DD, 0x9038)  # ldr r9, [sp, #56]
    data(2, 0x44CF)  # add pc, r9
    nop()
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB50, 0xF01A)  # smmulr r0, r0, r10
    data(2, 0xEB10, 0x70E0)  # adds r0, r0, r0, asr #31
    data(2, 0xFA50, 0xF00B)  # asrs r0, r0, r11
    data(2, 0xEB40, 0x0008)  # adc r0, r0, r8
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xFB54, 0xF41A)  # smmulr r4, r4, r10
    data(2, 0xEB14, 0x74E4)  # adds r4, r4, r4, asr #31
    data(2, 0xFA54, 0xF40B)  # asrs r4, r4, r11
    data(2, 0xEB44, 0x0408)  # adc r4, r4, r8
    data(2, 0xF304, 0x0407)  # ssat r4, #8, r4
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB51, 0xF11A)  # smmulr r1, r1, r10
    data(2, 0xEB11, 0x71E1)  # adds r1, r1, r1, asr #31
    data(2, 0xFA51, 0xF10B)  # asrs r1, r1, r11
    data(2, 0xEB41, 0x0108)  # adc r1, r1, r8
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    data(2, 0xFB55, 0xF51A)  # smmulr r5, r5, r10
    data(2, 0xEB15, 0x75E5)  # adds r5, r5, r5, asr #31
    data(2, 0xFA55, 0xF50B)  # asrs r5, r5, r11
    data(2, 0xEB45, 0x0508)  # adc r5, r5, r8
    data(2, 0xF305, 0x0507)  # ssat r5, #8, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB52, 0xF21A)  # smmulr r2, r2, r10
    data(2, 0xEB12, 0x72E2)  # adds r2, r2, r2, asr #31
    data(2, 0xFA52, 0xF20B)  # asrs r2, r2, r11
    data(2, 0xEB42, 0x0208)  # adc r2, r2, r8
    data(2, 0xF302, 0x0207)  # ssat r2, #8, r2
    data(2, 0xFB56, 0xF61A)  # smmulr r6, r6, r10
    data(2, 0xEB16, 0x76E6)  # adds r6, r6, r6, asr #31
    data(2, 0xFA56, 0xF60B)  # asrs r6, r6, r11
    data(2, 0xEB46, 0x0608)  # adc r6, r6, r8
    data(2, 0xF306, 0x0607)  # ssat r6, #8, r6
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB53, 0xF31A)  # smmulr r3, r3, r10
    data(2, 0xEB13, 0x73E3)  # adds r3, r3, r3, asr #31
    data(2, 0xFA53, 0xF30B)  # asrs r3, r3, r11
    data(2, 0xEB43, 0x0308)  # adc r3, r3, r8
    data(2, 0xF303, 0x0307)  # ssat r3, #8, r3
    data(2, 0xFB57, 0xF71A)  # smmulr r7, r7, r10
    data(2, 0xEB17, 0x77E7)  # adds r7, r7, r7, asr #31
    data(2, 0xFA57, 0xF70B)  # asrs r7, r7, r11
    data(2, 0xEB47, 0x0708)  # adc r7, r7, r8
    data(2, 0xF307, 0x0707)  # ssat r7, #8, r7
    data(2, 0xF361, 0x200F)  # bfi r0, r1, #8, #8
    data(2, 0xF362, 0x4017)  # bfi r0, r2, #16, #8
    data(2, 0xF363, 0x601F)  # bfi r0, r3, #24, #8
    data(2, 0xF365, 0x240F)  # bfi r4, r5, #8, #8
    data(2, 0xF366, 0x4417)  # bfi r4, r6, #16, #8
    data(2, 0xF367, 0x641F)  # bfi r4, r7, #24, #8
    data(2, 0x9909)  # ldr r1, [sp] clamped
    cmp(r1, 0)
    beq(requantized_5)
    data(2, 0x9A0A)  # ldr r2, [sp] minimum
    data(2, 0xFAC0, 0xF102)  # ssub8 r1, r0, r2
    data(2, 0xFAA0, 0xF082)  # sel r0, r0, r2
    data(2, 0x9A0B)  # ldr r2, [sp] maximum
    data(2, 0xFAC2, 0xF100)  # ssub8 r1, r2, r0
    data(2, 0xFAA0, 0xF082)  # sel r0, r0, r2
    data(2, 0x9A0A)  # ldr r2, [sp] minimum
    data(2, 0xFAC4, 0xF102)  # ssub8 r1, r4, r2
    data(2, 0xFAA4, 0xF482)  # sel r4, r4, r2
    data(2, 0x9A0B)  # ldr r2, [sp] maximum
    data(2, 0xFAC2, 0xF104)  # ssub8 r1, r2, r4
    data(2, 0xFAA4, 0xF482)  # sel r4, r4, r2
    b(requantized_5)
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB50, 0x800A)  # smmla r0, r0, r10, r8
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xFB51, 0x810B)  # smmla r1, r1, r11, r8
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    data(2, 0xFB54, 0x840A)  # smmla r4, r4, r10, r8
    data(2, 0xF304, 0x0407)  # ssat r4, #8, r4
    data(2, 0xFB55, 0x850B)  # smmla r5, r5, r11, r8
    data(2, 0xF305, 0x0507)  # ssat r5, #8, r5
    data(2, 0xE8FC, 0xAB02)  # ldrd r10, r11, [r12], #8
    data(2, 0xFB52, 0x820A)  # smmla r2, r2, r10, r8
    data(2, 0xF302, 0x0207)  # ssat r2, #8, r2
    data(2, 0xFB53, 0x830B)  # smmla r3, r3, r11, r8
    data(2, 0xF303, 0x0307)  # ssat r3, #8, r3
    data(2, 0xFB56, 0x860A)  # smmla r6, r6, r10, r8
    data(2, 0xF306, 0x0607)  # ssat r6, #8, r6
    data(2, 0xFB57, 0x870B)  # smmla r7, r7, r11, r8
    data(2, 0xF307, 0x0707)  # ssat r7, #8, r7
    data(2, 0xF361, 0x200F)  # bfi r0, r1, #8, #8
    data(2, 0xF362, 0x4017)  # bfi r0, r2, #16, #8
    data(2, 0xF363, 0x601F)  # bfi r0, r3, #24, #8
    data(2, 0xF365, 0x240F)  # bfi r4, r5, #8, #8
    data(2, 0xF366, 0x4417)  # bfi r4, r6, #16, #8
    data(2, 0xF367, 0x641F)  # bfi r4, r7, #24, #8
    data(2, 0xF20C, 0x0C10)  # addw r12, r12, #16
    label(requantized_5)
    data(2, 0xF8DD, 0x9030)  # ldr r9, [sp, #48]
    data(2, 0xF8DD, 0xA014)  # ldr r10, [sp, #20]
    data(2, 0xF8C9, 0x0000)  # str r0, [r9, #0]
    data(2, 0x44D1)  # add r9, r10
    data(2, 0xF8C9, 0x4000)  # str r4, [r9, #0]
    data(2, 0x44D1)  # add r9, r10
    data(2, 0xF8CD, 0x9030)  # str r9, [sp, #48]
    data(2, 0xF8DD, 0x800C)  # ldr r8, [sp, #12]
    data(2, 0x45C6)  # cmp lr, r8
    bcc_w(pair_2)
    # next group of channels: its stream lies behind this one's
    data(2, 0xF8CD, 0xC000)  # str r12, [sp, #0]
    data(2, 0x9904)  # ldr r1, [sp] groups
    sub(r1, 1)
    data(2, 0x9104)  # str r1, [sp] groups
    bne_w(group_1)
    data(2, 0xB00F)  # add sp, #60
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)
