# tflm: DEPTHWISE_CONV_2D, int8: assembler for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv7em` from
# tools/asm/armv7em/depthwise.py: change that, not this.

import micropython


# Channels of a depthwise convolution with 3x3 filters and a stride of 1. `r0` is the
# address of a block of parameters (PARAMETERS in tools/asm/armv7em/depthwise.py).
@micropython.asm_thumb
def depthwise_3x3(r0):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB0AC)  # sub sp, #176
    ldr(r1, [r0, 0])
    data(2, 0x9113)  # str r1, [sp] stream
    ldr(r1, [r0, 4])
    data(2, 0x9114)  # str r1, [sp] channels
    ldr(r1, [r0, 8])
    data(2, 0x9115)  # str r1, [sp] line
    ldr(r1, [r0, 12])
    data(2, 0x9116)  # str r1, [sp] line_step
    ldr(r1, [r0, 16])
    data(2, 0x9117)  # str r1, [sp] row_bytes
    ldr(r1, [r0, 20])
    data(2, 0x9118)  # str r1, [sp] height
    ldr(r1, [r0, 24])
    data(2, 0x9119)  # str r1, [sp] first_row
    ldr(r1, [r0, 28])
    data(2, 0x911A)  # str r1, [sp] left
    ldr(r1, [r0, 32])
    data(2, 0x911B)  # str r1, [sp] columns
    ldr(r1, [r0, 36])
    data(2, 0x911C)  # str r1, [sp] right
    ldr(r1, [r0, 40])
    data(2, 0x911D)  # str r1, [sp] fill
    ldr(r1, [r0, 44])
    data(2, 0x911E)  # str r1, [sp] plane
    ldr(r1, [r0, 48])
    data(2, 0x911F)  # str r1, [sp] plane_row
    ldr(r1, [r0, 52])
    data(2, 0x9120)  # str r1, [sp] pair_rows
    ldr(r1, [r0, 56])
    data(2, 0x9121)  # str r1, [sp] output
    ldr(r1, [r0, 60])
    data(2, 0x9122)  # str r1, [sp] output_step
    ldr(r1, [r0, 64])
    data(2, 0x9123)  # str r1, [sp] output_row
    ldr(r1, [r0, 68])
    data(2, 0x9124)  # str r1, [sp] rows
    ldr(r1, [r0, 72])
    data(2, 0x9125)  # str r1, [sp] multiplier
    ldr(r1, [r0, 76])
    data(2, 0x9126)  # str r1, [sp] uses
    ldr(r1, [r0, 80])
    data(2, 0x9127)  # str r1, [sp] pairs
    ldr(r1, [r0, 84])
    data(2, 0x9128)  # str r1, [sp] odd
    ldr(r1, [r0, 88])
    data(2, 0x9105)  # str r1, [sp] zero_point
    ldr(r1, [r0, 92])
    data(2, 0x9129)  # str r1, [sp] clamped
    ldr(r1, [r0, 96])
    data(2, 0x912A)  # str r1, [sp] minimum
    ldr(r1, [r0, 100])
    data(2, 0x912B)  # str r1, [sp] maximum
    data(2, 0xF8DD, 0x804C)  # ldr r8, [sp, #76]
    add(r0, 40)
    data(2, 0x900E)  # str r0, [sp] zero
    data(2, 0x991A)  # ldr r1, [sp] left
    data(2, 0x9A1C)  # ldr r2, [sp] right
    add(r1, r1, r2)
    data(2, 0x910F)  # str r1, [sp] beside
    data(2, 0x991F)  # ldr r1, [sp] plane_row
    data(2, 0x9A20)  # ldr r2, [sp] pair_rows
    mul(r1, r2)
    data(2, 0x9A1E)  # ldr r2, [sp] plane
    add(r1, r1, r2)
    data(2, 0x9110)  # str r1, [sp] plane_stop
    label(channel_1)
    data(2, 0x9E1E)  # ldr r6, [sp] plane
    data(2, 0x9C19)  # ldr r4, [sp] first_row
    mov(lr, r4)
    data(2, 0x9C15)  # ldr r4, [sp] line
    mov(r12, r4)
    data(2, 0x9F1A)  # ldr r7, [sp] left
    cmp(r7, 0)
    beq(filled_11)
    data(2, 0x9C1D)  # ldr r4, [sp] fill
    label(fill_12)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_12)
    label(filled_11)
    label(pair_5)
    mov(r0, r12)
    data(2, 0x9C17)  # ldr r4, [sp] row_bytes
    add(r1, r0, r4)
    add(r4, r4, r1)
    mov(r12, r4)
    data(2, 0x9A16)  # ldr r2, [sp] line_step
    mov(r3, r2)
    data(2, 0x9C18)  # ldr r4, [sp] height
    mov(r5, lr)
    cmp(r5, r4)
    bcc(first_there_6)
    data(2, 0x980E)  # ldr r0, [sp] zero
    mov(r2, 0)
    label(first_there_6)
    add(r5, 1)
    cmp(r5, r4)
    bcc(both_there_7)
    data(2, 0x990E)  # ldr r1, [sp] zero
    mov(r3, 0)
    label(both_there_7)
    add(r5, 1)
    mov(lr, r5)
    data(2, 0x9F1B)  # ldr r7, [sp] columns
    lsr(r7, r7, 1)
    bcc(even_8)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    cmp(r7, 0)
    label(even_8)
    beq(next_pair_10)
    label(column_9)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(column_9)
    label(next_pair_10)
    data(2, 0x9F0F)  # ldr r7, [sp] beside
    cmp(r7, 0)
    beq(filled_13)
    data(2, 0x9C1D)  # ldr r4, [sp] fill
    label(fill_14)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_14)
    label(filled_13)
    data(2, 0x9C10)  # ldr r4, [sp] plane_stop
    cmp(r6, r4)
    bcc(pair_5)
    label(ready_2)
    data(2, 0xF8CD, 0x8028)  # str r8, [sp, #40]
    data(2, 0xE8B8, 0x0006)  # ldmia r8!, {r1, r2}
    cmp(r1, 0)
    beq(twice_20)
    mov(r1, 134)
    label(twice_20)
    data(2, 0x9108)  # str r1, [sp] kind
    data(2, 0x9206)  # str r2, [sp] bias
    data(2, 0x9207)  # str r2, [sp] bias_again
    mov(lr, r8)
    data(2, 0xE8BE, 0x1F80)  # ldmia lr!, {r7, r8, r9, r10, r11, r12}
    data(2, 0x9709)  # str r7, [sp] first_weight
    data(2, 0xE9DE, 0x1200)  # ldrd r1, r2, [lr, #0]
    data(2, 0x9102)  # str r1, [sp] multiplier_word
    data(2, 0x9104)  # str r1, [sp] folded_word
    data(2, 0x9203)  # str r2, [sp] shift_word
    data(2, 0x9923)  # ldr r1, [sp] output_row
    data(2, 0x910D)  # str r1, [sp] row_step
    data(2, 0x9921)  # ldr r1, [sp] output
    data(2, 0x9111)  # str r1, [sp] out
    data(2, 0x9924)  # ldr r1, [sp] rows
    data(2, 0x9112)  # str r1, [sp] rows_left
    data(2, 0x9E1E)  # ldr r6, [sp] plane
    label(row_15)
    data(2, 0x960C)  # str r6, [sp] row
    data(2, 0x9912)  # ldr r1, [sp] rows_left
    cmp(r1, 1)
    bne(two_rows_19)
    mov(r1, 0)
    data(2, 0x910D)  # str r1, [sp] row_step
    label(two_rows_19)
    data(2, 0xF8DD, 0xE07C)  # ldr lr, [sp, #124]
    data(2, 0x44B6)  # add lr, r6
    data(2, 0x9927)  # ldr r1, [sp] pairs
    add(r1, r1, r6)
    data(2, 0x910B)  # str r1, [sp] pair_end
    data(2, 0x9922)  # ldr r1, [sp] output_step
    data(2, 0x9101)  # str r1, [sp] step
    data(2, 0x9911)  # ldr r1, [sp] out
    data(2, 0x9100)  # str r1, [sp] next_out
    b(next_17)
    label(pixel_16)
    data(2, 0xE9DD, 0x0106)  # ldrd r0, r1, [sp, #24]
    data(2, 0xE9DD, 0x2306)  # ldrd r2, r3, [sp, #24]
    data(2, 0xE9D6, 0x4500)  # ldrd r4, r5, [r6, #0]
    data(2, 0xFB24, 0x0007)  # smlad r0, r4, r7, r0
    data(2, 0xFB14, 0x1127)  # smlatb r1, r4, r7, r1
    data(2, 0xFB25, 0x0009)  # smlad r0, r5, r9, r0
    data(2, 0xFB15, 0x1129)  # smlatb r1, r5, r9, r1
    data(2, 0xFB25, 0x2207)  # smlad r2, r5, r7, r2
    data(2, 0xFB15, 0x3327)  # smlatb r3, r5, r7, r3
    data(2, 0xE9D6, 0x4502)  # ldrd r4, r5, [r6, #8]
    data(2, 0xFB24, 0x000B)  # smlad r0, r4, r11, r0
    data(2, 0xFB14, 0x112B)  # smlatb r1, r4, r11, r1
    data(2, 0xFB24, 0x2209)  # smlad r2, r4, r9, r2
    data(2, 0xFB14, 0x3329)  # smlatb r3, r4, r9, r3
    data(2, 0xFB25, 0x220B)  # smlad r2, r5, r11, r2
    data(2, 0xFB15, 0x332B)  # smlatb r3, r5, r11, r3
    data(2, 0xE9DE, 0x4500)  # ldrd r4, r5, [lr, #0]
    data(2, 0xFB14, 0x0018)  # smlabt r0, r4, r8, r0
    data(2, 0xFB24, 0x1108)  # smlad r1, r4, r8, r1
    data(2, 0xFB15, 0x001A)  # smlabt r0, r5, r10, r0
    data(2, 0xFB25, 0x110A)  # smlad r1, r5, r10, r1
    data(2, 0xFB15, 0x2218)  # smlabt r2, r5, r8, r2
    data(2, 0xFB25, 0x3308)  # smlad r3, r5, r8, r3
    data(2, 0xE9DE, 0x4502)  # ldrd r4, r5, [lr, #8]
    data(2, 0xFB14, 0x001C)  # smlabt r0, r4, r12, r0
    data(2, 0xFB24, 0x110C)  # smlad r1, r4, r12, r1
    data(2, 0xFB14, 0x221A)  # smlabt r2, r4, r10, r2
    data(2, 0xFB24, 0x330A)  # smlad r3, r4, r10, r3
    data(2, 0xFB15, 0x221C)  # smlabt r2, r5, r12, r2
    data(2, 0xFB25, 0x330C)  # smlad r3, r5, r12, r3
    data(2, 0xF20E, 0x0E08)  # addw lr, lr, #8
    add(r6, 8)
    data(2, 0x9C08)  # ldr r4, [sp] kind
    data(2, 0x44A7)  # add pc, r4
    nop()
    data(2, 0xE9DD, 0x4502)  # ldrd r4, r5, [sp, #8]
    data(2, 0x9F05)  # ldr r7, [sp] zero_point
    data(2, 0xFB50, 0xF014)  # smmulr r0, r0, r4
    data(2, 0xEB10, 0x70E0)  # adds r0, r0, r0, asr #31
    data(2, 0xFA50, 0xF005)  # asrs r0, r0, r5
    data(2, 0xEB40, 0x0007)  # adc r0, r0, r7
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xFB51, 0xF114)  # smmulr r1, r1, r4
    data(2, 0xEB11, 0x71E1)  # adds r1, r1, r1, asr #31
    data(2, 0xFA51, 0xF105)  # asrs r1, r1, r5
    data(2, 0xEB41, 0x0107)  # adc r1, r1, r7
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    data(2, 0xFB52, 0xF214)  # smmulr r2, r2, r4
    data(2, 0xEB12, 0x72E2)  # adds r2, r2, r2, asr #31
    data(2, 0xFA52, 0xF205)  # asrs r2, r2, r5
    data(2, 0xEB42, 0x0207)  # adc r2, r2, r7
    data(2, 0xF302, 0x0207)  # ssat r2, #8, r2
    data(2, 0xFB53, 0xF314)  # smmulr r3, r3, r4
    data(2, 0xEB13, 0x73E3)  # adds r3, r3, r3, asr #31
    data(2, 0xFA53, 0xF305)  # asrs r3, r3, r5
    data(2, 0xEB43, 0x0307)  # adc r3, r3, r7
    data(2, 0xF303, 0x0307)  # ssat r3, #8, r3
    data(2, 0x9F09)  # ldr r7, [sp] first_weight
    data(2, 0x9D29)  # ldr r5, [sp] clamped
    cmp(r5, 0)
    beq(ready_23)
    data(2, 0xF361, 0x200F)  # bfi r0, r1, #8, #8
    data(2, 0xF362, 0x4017)  # bfi r0, r2, #16, #8
    data(2, 0xF363, 0x601F)  # bfi r0, r3, #24, #8
    data(2, 0x9C2A)  # ldr r4, [sp] minimum
    data(2, 0xFAC0, 0xF504)  # ssub8 r5, r0, r4
    data(2, 0xFAA0, 0xF084)  # sel r0, r0, r4
    data(2, 0x9C2B)  # ldr r4, [sp] maximum
    data(2, 0xFAC4, 0xF500)  # ssub8 r5, r4, r0
    data(2, 0xFAA0, 0xF084)  # sel r0, r0, r4
    lsr(r1, r0, 8)
    lsr(r2, r0, 16)
    lsr(r3, r0, 24)
    label(ready_23)
    b(outputs_22)
    data(2, 0xE9DD, 0x4504)  # ldrd r4, r5, [sp, #16]
    data(2, 0xFB50, 0x5004)  # smmla r0, r0, r4, r5
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xFB51, 0x5104)  # smmla r1, r1, r4, r5
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    data(2, 0xFB52, 0x5204)  # smmla r2, r2, r4, r5
    data(2, 0xF302, 0x0207)  # ssat r2, #8, r2
    data(2, 0xFB53, 0x5304)  # smmla r3, r3, r4, r5
    data(2, 0xF303, 0x0307)  # ssat r3, #8, r3
    label(outputs_22)
    data(2, 0xE9DD, 0x4500)  # ldrd r4, r5, [sp, #0]
    add(r4, r4, r5)
    data(2, 0x9D0D)  # ldr r5, [sp] row_step
    data(2, 0x5563)  # strb r3, [r4, r5]
    strb(r2, [r4, 0])
    data(2, 0x9B00)  # ldr r3, [sp] next_out
    data(2, 0x5559)  # strb r1, [r3, r5]
    strb(r0, [r3, 0])
    data(2, 0x9D01)  # ldr r5, [sp] step
    add(r4, r4, r5)
    data(2, 0x9400)  # str r4, [sp] next_out
    label(next_17)
    data(2, 0x9D0B)  # ldr r5, [sp] pair_end
    cmp(r6, r5)
    bcc_w(pixel_16)
    bhi(row_end_18)
    data(2, 0x9D28)  # ldr r5, [sp] odd
    cmp(r5, 0)
    beq(row_end_18)
    mov(r5, 0)
    data(2, 0x9501)  # str r5, [sp] step
    b(pixel_16)
    label(row_end_18)
    data(2, 0x9912)  # ldr r1, [sp] rows_left
    sub(r1, 2)
    data(2, 0x9112)  # str r1, [sp] rows_left
    ble(rows_done_21)
    data(2, 0x9923)  # ldr r1, [sp] output_row
    data(2, 0x9A11)  # ldr r2, [sp] out
    add(r2, r2, r1)
    add(r2, r2, r1)
    data(2, 0x9211)  # str r2, [sp] out
    data(2, 0x9E0C)  # ldr r6, [sp] row
    data(2, 0x991F)  # ldr r1, [sp] plane_row
    add(r6, r6, r1)
    b(row_15)
    label(rows_done_21)
    data(2, 0x9F0A)  # ldr r7, [sp] channel_stream
    add(r7, 40)
    mov(r8, r7)
    data(2, 0x9921)  # ldr r1, [sp] output
    add(r1, 1)
    data(2, 0x9121)  # str r1, [sp] output
    data(2, 0x9914)  # ldr r1, [sp] channels
    sub(r1, 1)
    data(2, 0x9114)  # str r1, [sp] channels
    beq(done_4)
    data(2, 0x9926)  # ldr r1, [sp] uses
    sub(r1, 1)
    bne(same_3)
    data(2, 0x9915)  # ldr r1, [sp] line
    add(r1, 1)
    data(2, 0x9115)  # str r1, [sp] line
    data(2, 0x9925)  # ldr r1, [sp] multiplier
    data(2, 0x9126)  # str r1, [sp] uses
    b(channel_1)
    label(same_3)
    data(2, 0x9126)  # str r1, [sp] uses
    b(ready_2)
    label(done_4)
    data(2, 0xB02C)  # add sp, #176
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)


# Channels of a depthwise convolution with 3x3 filters and a stride of 2. `r0` is the
# address of a block of parameters (PARAMETERS in tools/asm/armv7em/depthwise.py).
@micropython.asm_thumb
def depthwise_3x3_stride_2(r0):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB0AC)  # sub sp, #176
    ldr(r1, [r0, 0])
    data(2, 0x9113)  # str r1, [sp] stream
    ldr(r1, [r0, 4])
    data(2, 0x9114)  # str r1, [sp] channels
    ldr(r1, [r0, 8])
    data(2, 0x9115)  # str r1, [sp] line
    ldr(r1, [r0, 12])
    data(2, 0x9116)  # str r1, [sp] line_step
    ldr(r1, [r0, 16])
    data(2, 0x9117)  # str r1, [sp] row_bytes
    ldr(r1, [r0, 20])
    data(2, 0x9118)  # str r1, [sp] height
    ldr(r1, [r0, 24])
    data(2, 0x9119)  # str r1, [sp] first_row
    ldr(r1, [r0, 28])
    data(2, 0x911A)  # str r1, [sp] left
    ldr(r1, [r0, 32])
    data(2, 0x911B)  # str r1, [sp] columns
    ldr(r1, [r0, 36])
    data(2, 0x911C)  # str r1, [sp] right
    ldr(r1, [r0, 40])
    data(2, 0x911D)  # str r1, [sp] fill
    ldr(r1, [r0, 44])
    data(2, 0x911E)  # str r1, [sp] plane
    ldr(r1, [r0, 48])
    data(2, 0x911F)  # str r1, [sp] plane_row
    ldr(r1, [r0, 52])
    data(2, 0x9120)  # str r1, [sp] pair_rows
    ldr(r1, [r0, 56])
    data(2, 0x9121)  # str r1, [sp] output
    ldr(r1, [r0, 60])
    data(2, 0x9122)  # str r1, [sp] output_step
    ldr(r1, [r0, 64])
    data(2, 0x9123)  # str r1, [sp] output_row
    ldr(r1, [r0, 68])
    data(2, 0x9124)  # str r1, [sp] rows
    ldr(r1, [r0, 72])
    data(2, 0x9125)  # str r1, [sp] multiplier
    ldr(r1, [r0, 76])
    data(2, 0x9126)  # str r1, [sp] uses
    ldr(r1, [r0, 80])
    data(2, 0x9127)  # str r1, [sp] pairs
    ldr(r1, [r0, 84])
    data(2, 0x9128)  # str r1, [sp] odd
    ldr(r1, [r0, 88])
    data(2, 0x9105)  # str r1, [sp] zero_point
    ldr(r1, [r0, 92])
    data(2, 0x9129)  # str r1, [sp] clamped
    ldr(r1, [r0, 96])
    data(2, 0x912A)  # str r1, [sp] minimum
    ldr(r1, [r0, 100])
    data(2, 0x912B)  # str r1, [sp] maximum
    data(2, 0xF8DD, 0x804C)  # ldr r8, [sp, #76]
    add(r0, 40)
    data(2, 0x900E)  # str r0, [sp] zero
    data(2, 0x991A)  # ldr r1, [sp] left
    data(2, 0x9A1C)  # ldr r2, [sp] right
    add(r1, r1, r2)
    data(2, 0x910F)  # str r1, [sp] beside
    data(2, 0x991F)  # ldr r1, [sp] plane_row
    data(2, 0x9A20)  # ldr r2, [sp] pair_rows
    mul(r1, r2)
    data(2, 0x9A1E)  # ldr r2, [sp] plane
    add(r1, r1, r2)
    data(2, 0x9110)  # str r1, [sp] plane_stop
    label(channel_1)
    data(2, 0x9E1E)  # ldr r6, [sp] plane
    data(2, 0x9C19)  # ldr r4, [sp] first_row
    mov(lr, r4)
    data(2, 0x9C15)  # ldr r4, [sp] line
    mov(r12, r4)
    data(2, 0x9F1A)  # ldr r7, [sp] left
    cmp(r7, 0)
    beq(filled_11)
    data(2, 0x9C1D)  # ldr r4, [sp] fill
    label(fill_12)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_12)
    label(filled_11)
    label(pair_5)
    mov(r0, r12)
    data(2, 0x9C17)  # ldr r4, [sp] row_bytes
    add(r1, r0, r4)
    add(r4, r4, r1)
    mov(r12, r4)
    data(2, 0x9A16)  # ldr r2, [sp] line_step
    mov(r3, r2)
    data(2, 0x9C18)  # ldr r4, [sp] height
    mov(r5, lr)
    cmp(r5, r4)
    bcc(first_there_6)
    data(2, 0x980E)  # ldr r0, [sp] zero
    mov(r2, 0)
    label(first_there_6)
    add(r5, 1)
    cmp(r5, r4)
    bcc(both_there_7)
    data(2, 0x990E)  # ldr r1, [sp] zero
    mov(r3, 0)
    label(both_there_7)
    add(r5, 1)
    mov(lr, r5)
    data(2, 0x9F1B)  # ldr r7, [sp] columns
    lsr(r7, r7, 1)
    bcc(even_8)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    cmp(r7, 0)
    label(even_8)
    beq(next_pair_10)
    label(column_9)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(column_9)
    label(next_pair_10)
    data(2, 0x9F0F)  # ldr r7, [sp] beside
    cmp(r7, 0)
    beq(filled_13)
    data(2, 0x9C1D)  # ldr r4, [sp] fill
    label(fill_14)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_14)
    label(filled_13)
    data(2, 0x9C10)  # ldr r4, [sp] plane_stop
    cmp(r6, r4)
    bcc(pair_5)
    label(ready_2)
    data(2, 0xF8CD, 0x8028)  # str r8, [sp, #40]
    data(2, 0xE8B8, 0x0006)  # ldmia r8!, {r1, r2}
    cmp(r1, 0)
    beq(twice_20)
    mov(r1, 94)
    label(twice_20)
    data(2, 0x9108)  # str r1, [sp] kind
    data(2, 0x9206)  # str r2, [sp] bias
    data(2, 0x9207)  # str r2, [sp] bias_again
    mov(lr, r8)
    data(2, 0xE8BE, 0x1F80)  # ldmia lr!, {r7, r8, r9, r10, r11, r12}
    data(2, 0x9709)  # str r7, [sp] first_weight
    data(2, 0xE9DE, 0x1200)  # ldrd r1, r2, [lr, #0]
    data(2, 0x9102)  # str r1, [sp] multiplier_word
    data(2, 0x9104)  # str r1, [sp] folded_word
    data(2, 0x9203)  # str r2, [sp] shift_word
    data(2, 0x9923)  # ldr r1, [sp] output_row
    data(2, 0x910D)  # str r1, [sp] row_step
    data(2, 0x9921)  # ldr r1, [sp] output
    data(2, 0x9111)  # str r1, [sp] out
    data(2, 0x9924)  # ldr r1, [sp] rows
    data(2, 0x9112)  # str r1, [sp] rows_left
    data(2, 0x9E1E)  # ldr r6, [sp] plane
    label(row_15)
    data(2, 0x960C)  # str r6, [sp] row
    data(2, 0xF8DD, 0xE07C)  # ldr lr, [sp, #124]
    data(2, 0x44B6)  # add lr, r6
    data(2, 0x9927)  # ldr r1, [sp] pairs
    add(r1, r1, r6)
    data(2, 0x910B)  # str r1, [sp] pair_end
    data(2, 0x9922)  # ldr r1, [sp] output_step
    data(2, 0x9101)  # str r1, [sp] step
    data(2, 0x9911)  # ldr r1, [sp] out
    data(2, 0x9100)  # str r1, [sp] next_out
    b(next_17)
    label(pixel_16)
    data(2, 0xE9DD, 0x0106)  # ldrd r0, r1, [sp, #24]
    data(2, 0xE9D6, 0x4500)  # ldrd r4, r5, [r6, #0]
    data(2, 0xFB24, 0x0007)  # smlad r0, r4, r7, r0
    data(2, 0xFB25, 0x0009)  # smlad r0, r5, r9, r0
    data(2, 0xE9D6, 0x4502)  # ldrd r4, r5, [r6, #8]
    data(2, 0xFB24, 0x000B)  # smlad r0, r4, r11, r0
    data(2, 0xFB24, 0x1107)  # smlad r1, r4, r7, r1
    data(2, 0xFB25, 0x1109)  # smlad r1, r5, r9, r1
    data(2, 0xF8D6, 0x4010)  # ldr r4, [r6, #16]
    data(2, 0xFB24, 0x110B)  # smlad r1, r4, r11, r1
    data(2, 0xE9DE, 0x4500)  # ldrd r4, r5, [lr, #0]
    data(2, 0xFB14, 0x0018)  # smlabt r0, r4, r8, r0
    data(2, 0xFB15, 0x001A)  # smlabt r0, r5, r10, r0
    data(2, 0xE9DE, 0x4502)  # ldrd r4, r5, [lr, #8]
    data(2, 0xFB14, 0x001C)  # smlabt r0, r4, r12, r0
    data(2, 0xFB14, 0x1118)  # smlabt r1, r4, r8, r1
    data(2, 0xFB15, 0x111A)  # smlabt r1, r5, r10, r1
    data(2, 0xF8DE, 0x4010)  # ldr r4, [lr, #16]
    data(2, 0xFB14, 0x111C)  # smlabt r1, r4, r12, r1
    data(2, 0xF20E, 0x0E10)  # addw lr, lr, #16
    add(r6, 16)
    data(2, 0x9C08)  # ldr r4, [sp] kind
    data(2, 0x44A7)  # add pc, r4
    nop()
    data(2, 0xE9DD, 0x4502)  # ldrd r4, r5, [sp, #8]
    data(2, 0x9F05)  # ldr r7, [sp] zero_point
    data(2, 0xFB50, 0xF014)  # smmulr r0, r0, r4
    data(2, 0xEB10, 0x70E0)  # adds r0, r0, r0, asr #31
    data(2, 0xFA50, 0xF005)  # asrs r0, r0, r5
    data(2, 0xEB40, 0x0007)  # adc r0, r0, r7
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xFB51, 0xF114)  # smmulr r1, r1, r4
    data(2, 0xEB11, 0x71E1)  # adds r1, r1, r1, asr #31
    data(2, 0xFA51, 0xF105)  # asrs r1, r1, r5
    data(2, 0xEB41, 0x0107)  # adc r1, r1, r7
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    data(2, 0x9F09)  # ldr r7, [sp] first_weight
    data(2, 0x9D29)  # ldr r5, [sp] clamped
    cmp(r5, 0)
    beq(ready_23)
    data(2, 0xF361, 0x200F)  # bfi r0, r1, #8, #8
    data(2, 0xF362, 0x4017)  # bfi r0, r2, #16, #8
    data(2, 0xF363, 0x601F)  # bfi r0, r3, #24, #8
    data(2, 0x9C2A)  # ldr r4, [sp] minimum
    data(2, 0xFAC0, 0xF504)  # ssub8 r5, r0, r4
    data(2, 0xFAA0, 0xF084)  # sel r0, r0, r4
    data(2, 0x9C2B)  # ldr r4, [sp] maximum
    data(2, 0xFAC4, 0xF500)  # ssub8 r5, r4, r0
    data(2, 0xFAA0, 0xF084)  # sel r0, r0, r4
    lsr(r1, r0, 8)
    lsr(r2, r0, 16)
    lsr(r3, r0, 24)
    label(ready_23)
    b(outputs_22)
    data(2, 0xE9DD, 0x4504)  # ldrd r4, r5, [sp, #16]
    data(2, 0xFB50, 0x5004)  # smmla r0, r0, r4, r5
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xFB51, 0x5104)  # smmla r1, r1, r4, r5
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    label(outputs_22)
    data(2, 0xE9DD, 0x4500)  # ldrd r4, r5, [sp, #0]
    data(2, 0x5561)  # strb r1, [r4, r5]
    strb(r0, [r4, 0])
    data(2, 0xEB04, 0x0445)  # add r4, r4, r5, lsl #1
    data(2, 0x9400)  # str r4, [sp] next_out
    label(next_17)
    data(2, 0x9D0B)  # ldr r5, [sp] pair_end
    cmp(r6, r5)
    bcc_w(pixel_16)
    bhi(row_end_18)
    data(2, 0x9D28)  # ldr r5, [sp] odd
    cmp(r5, 0)
    beq(row_end_18)
    mov(r5, 0)
    data(2, 0x9501)  # str r5, [sp] step
    b(pixel_16)
    label(row_end_18)
    data(2, 0x9912)  # ldr r1, [sp] rows_left
    sub(r1, 1)
    data(2, 0x9112)  # str r1, [sp] rows_left
    ble(rows_done_21)
    data(2, 0x9923)  # ldr r1, [sp] output_row
    data(2, 0x9A11)  # ldr r2, [sp] out
    add(r2, r2, r1)
    data(2, 0x9211)  # str r2, [sp] out
    data(2, 0x9E0C)  # ldr r6, [sp] row
    data(2, 0x991F)  # ldr r1, [sp] plane_row
    add(r6, r6, r1)
    b(row_15)
    label(rows_done_21)
    data(2, 0x9F0A)  # ldr r7, [sp] channel_stream
    add(r7, 40)
    mov(r8, r7)
    data(2, 0x9921)  # ldr r1, [sp] output
    add(r1, 1)
    data(2, 0x9121)  # str r1, [sp] output
    data(2, 0x9914)  # ldr r1, [sp] channels
    sub(r1, 1)
    data(2, 0x9114)  # str r1, [sp] channels
    beq(done_4)
    data(2, 0x9926)  # ldr r1, [sp] uses
    sub(r1, 1)
    bne(same_3)
    data(2, 0x9915)  # ldr r1, [sp] line
    add(r1, 1)
    data(2, 0x9115)  # str r1, [sp] line
    data(2, 0x9925)  # ldr r1, [sp] multiplier
    data(2, 0x9126)  # str r1, [sp] uses
    b(channel_1)
    label(same_3)
    data(2, 0x9126)  # str r1, [sp] uses
    b(ready_2)
    label(done_4)
    data(2, 0xB02C)  # add sp, #176
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)


# Channels of a depthwise convolution with filters of any size and a stride of 1. `r0` is the
# address of a block of parameters (WINDOW in tools/asm/armv7em/depthwise.py).
@micropython.asm_thumb
def depthwise(r0):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB0B0)  # sub sp, #192
    ldr(r1, [r0, 0])
    data(2, 0x9113)  # str r1, [sp] stream
    ldr(r1, [r0, 4])
    data(2, 0x9114)  # str r1, [sp] channels
    ldr(r1, [r0, 8])
    data(2, 0x9115)  # str r1, [sp] line
    ldr(r1, [r0, 12])
    data(2, 0x9116)  # str r1, [sp] line_step
    ldr(r1, [r0, 16])
    data(2, 0x9117)  # str r1, [sp] row_bytes
    ldr(r1, [r0, 20])
    data(2, 0x9118)  # str r1, [sp] height
    ldr(r1, [r0, 24])
    data(2, 0x9119)  # str r1, [sp] first_row
    ldr(r1, [r0, 28])
    data(2, 0x911A)  # str r1, [sp] left
    ldr(r1, [r0, 32])
    data(2, 0x911B)  # str r1, [sp] columns
    ldr(r1, [r0, 36])
    data(2, 0x911C)  # str r1, [sp] right
    ldr(r1, [r0, 40])
    data(2, 0x911D)  # str r1, [sp] fill
    ldr(r1, [r0, 44])
    data(2, 0x911E)  # str r1, [sp] plane
    ldr(r1, [r0, 48])
    data(2, 0x911F)  # str r1, [sp] plane_row
    ldr(r1, [r0, 52])
    data(2, 0x9120)  # str r1, [sp] pair_rows
    ldr(r1, [r0, 56])
    data(2, 0x9121)  # str r1, [sp] output
    ldr(r1, [r0, 60])
    data(2, 0x9122)  # str r1, [sp] output_step
    ldr(r1, [r0, 64])
    data(2, 0x9123)  # str r1, [sp] output_row
    ldr(r1, [r0, 68])
    data(2, 0x9124)  # str r1, [sp] rows
    ldr(r1, [r0, 72])
    data(2, 0x9125)  # str r1, [sp] multiplier
    ldr(r1, [r0, 76])
    data(2, 0x9126)  # str r1, [sp] uses
    ldr(r1, [r0, 80])
    data(2, 0x9127)  # str r1, [sp] pairs
    ldr(r1, [r0, 84])
    data(2, 0x9128)  # str r1, [sp] odd
    ldr(r1, [r0, 88])
    data(2, 0x9105)  # str r1, [sp] zero_point
    ldr(r1, [r0, 92])
    data(2, 0x9129)  # str r1, [sp] clamped
    ldr(r1, [r0, 96])
    data(2, 0x912A)  # str r1, [sp] minimum
    ldr(r1, [r0, 100])
    data(2, 0x912B)  # str r1, [sp] maximum
    ldr(r1, [r0, 104])
    data(2, 0x912C)  # str r1, [sp] pair_count
    ldr(r1, [r0, 108])
    data(2, 0x912D)  # str r1, [sp] jump
    ldr(r1, [r0, 112])
    data(2, 0x912E)  # str r1, [sp] row_skip
    ldr(r1, [r0, 116])
    data(2, 0x912F)  # str r1, [sp] stream_bytes
    data(2, 0xF8DD, 0x804C)  # ldr r8, [sp, #76]
    add(r0, 40)
    data(2, 0x900E)  # str r0, [sp] zero
    data(2, 0x991A)  # ldr r1, [sp] left
    data(2, 0x9A1C)  # ldr r2, [sp] right
    add(r1, r1, r2)
    data(2, 0x910F)  # str r1, [sp] beside
    data(2, 0x991F)  # ldr r1, [sp] plane_row
    data(2, 0x9A20)  # ldr r2, [sp] pair_rows
    mul(r1, r2)
    data(2, 0x9A1E)  # ldr r2, [sp] plane
    add(r1, r1, r2)
    data(2, 0x9110)  # str r1, [sp] plane_stop
    label(channel_1)
    data(2, 0x9E1E)  # ldr r6, [sp] plane
    data(2, 0x9C19)  # ldr r4, [sp] first_row
    mov(lr, r4)
    data(2, 0x9C15)  # ldr r4, [sp] line
    mov(r12, r4)
    data(2, 0x9F1A)  # ldr r7, [sp] left
    cmp(r7, 0)
    beq(filled_11)
    data(2, 0x9C1D)  # ldr r4, [sp] fill
    label(fill_12)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_12)
    label(filled_11)
    label(pair_5)
    mov(r0, r12)
    data(2, 0x9C17)  # ldr r4, [sp] row_bytes
    add(r1, r0, r4)
    add(r4, r4, r1)
    mov(r12, r4)
    data(2, 0x9A16)  # ldr r2, [sp] line_step
    mov(r3, r2)
    data(2, 0x9C18)  # ldr r4, [sp] height
    mov(r5, lr)
    cmp(r5, r4)
    bcc(first_there_6)
    data(2, 0x980E)  # ldr r0, [sp] zero
    mov(r2, 0)
    label(first_there_6)
    add(r5, 1)
    cmp(r5, r4)
    bcc(both_there_7)
    data(2, 0x990E)  # ldr r1, [sp] zero
    mov(r3, 0)
    label(both_there_7)
    add(r5, 1)
    mov(lr, r5)
    data(2, 0x9F1B)  # ldr r7, [sp] columns
    lsr(r7, r7, 1)
    bcc(even_8)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    cmp(r7, 0)
    label(even_8)
    beq(next_pair_10)
    label(column_9)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(column_9)
    label(next_pair_10)
    data(2, 0x9F0F)  # ldr r7, [sp] beside
    cmp(r7, 0)
    beq(filled_13)
    data(2, 0x9C1D)  # ldr r4, [sp] fill
    label(fill_14)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_14)
    label(filled_13)
    data(2, 0x9C10)  # ldr r4, [sp] plane_stop
    cmp(r6, r4)
    bcc(pair_5)
    label(ready_2)
    data(2, 0xF8CD, 0x8028)  # str r8, [sp, #40]
    data(2, 0xE8B8, 0x0006)  # ldmia r8!, {r1, r2}
    cmp(r1, 0)
    beq(twice_20)
    mov(r1, 134)
    label(twice_20)
    data(2, 0x9108)  # str r1, [sp] kind
    data(2, 0x9206)  # str r2, [sp] bias
    data(2, 0x9207)  # str r2, [sp] bias_again
    data(2, 0xE8F8, 0x1202)  # ldrd r1, r2, [r8], #8
    data(2, 0xF8CD, 0x8024)  # str r8, [sp, #36]
    data(2, 0xF8DD, 0xB0B4)  # ldr r11, [sp, #180]
    data(2, 0xF8DD, 0xC0B8)  # ldr r12, [sp, #184]
    data(2, 0x9102)  # str r1, [sp] multiplier_word
    data(2, 0x9104)  # str r1, [sp] folded_word
    data(2, 0x9203)  # str r2, [sp] shift_word
    data(2, 0x9923)  # ldr r1, [sp] output_row
    data(2, 0x910D)  # str r1, [sp] row_step
    data(2, 0x9921)  # ldr r1, [sp] output
    data(2, 0x9111)  # str r1, [sp] out
    data(2, 0x9924)  # ldr r1, [sp] rows
    data(2, 0x9112)  # str r1, [sp] rows_left
    data(2, 0x9E1E)  # ldr r6, [sp] plane
    label(row_15)
    data(2, 0x960C)  # str r6, [sp] row
    data(2, 0x9912)  # ldr r1, [sp] rows_left
    cmp(r1, 1)
    bne(two_rows_19)
    mov(r1, 0)
    data(2, 0x910D)  # str r1, [sp] row_step
    label(two_rows_19)
    data(2, 0x9927)  # ldr r1, [sp] pairs
    add(r1, r1, r6)
    data(2, 0x910B)  # str r1, [sp] pair_end
    data(2, 0x9922)  # ldr r1, [sp] output_step
    data(2, 0x9101)  # str r1, [sp] step
    data(2, 0x9911)  # ldr r1, [sp] out
    data(2, 0x9100)  # str r1, [sp] next_out
    b(next_17)
    label(pixel_16)
    data(2, 0xE9DD, 0x0106)  # ldrd r0, r1, [sp, #24]
    data(2, 0xE9DD, 0x2306)  # ldrd r2, r3, [sp, #24]
    data(2, 0x9F09)  # ldr r7, [sp] first_weight
    data(2, 0xF8DD, 0xA0B0)  # ldr r10, [sp, #176]
    mov(lr, r6)
    label(pair_22)
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    mov(r5, r4)
    data(2, 0x44DF)  # add pc, r11
    nop()
    data(2, 0xE8F7, 0x8902)  # ldrd r8, r9, [r7], #8
    data(2, 0xF85E, 0x5B04)  # ldr r5, [lr], #4
    data(2, 0xFB24, 0x0008)  # smlad r0, r4, r8, r0
    data(2, 0xFB24, 0x1109)  # smlad r1, r4, r9, r1
    data(2, 0xFB25, 0x2208)  # smlad r2, r5, r8, r2
    data(2, 0xFB25, 0x3309)  # smlad r3, r5, r9, r3
    data(2, 0xE8F7, 0x8902)  # ldrd r8, r9, [r7], #8
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFB25, 0x0008)  # smlad r0, r5, r8, r0
    data(2, 0xFB25, 0x1109)  # smlad r1, r5, r9, r1
    data(2, 0xFB24, 0x2208)  # smlad r2, r4, r8, r2
    data(2, 0xFB24, 0x3309)  # smlad r3, r4, r9, r3
    data(2, 0xE8F7, 0x8902)  # ldrd r8, r9, [r7], #8
    data(2, 0xF85E, 0x5B04)  # ldr r5, [lr], #4
    data(2, 0xFB24, 0x0008)  # smlad r0, r4, r8, r0
    data(2, 0xFB24, 0x1109)  # smlad r1, r4, r9, r1
    data(2, 0xFB25, 0x2208)  # smlad r2, r5, r8, r2
    data(2, 0xFB25, 0x3309)  # smlad r3, r5, r9, r3
    data(2, 0xE8F7, 0x8902)  # ldrd r8, r9, [r7], #8
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFB25, 0x0008)  # smlad r0, r5, r8, r0
    data(2, 0xFB25, 0x1109)  # smlad r1, r5, r9, r1
    data(2, 0xFB24, 0x2208)  # smlad r2, r4, r8, r2
    data(2, 0xFB24, 0x3309)  # smlad r3, r4, r9, r3
    data(2, 0xE8F7, 0x8902)  # ldrd r8, r9, [r7], #8
    data(2, 0xF85E, 0x5B04)  # ldr r5, [lr], #4
    data(2, 0xFB24, 0x0008)  # smlad r0, r4, r8, r0
    data(2, 0xFB24, 0x1109)  # smlad r1, r4, r9, r1
    data(2, 0xFB25, 0x2208)  # smlad r2, r5, r8, r2
    data(2, 0xFB25, 0x3309)  # smlad r3, r5, r9, r3
    data(2, 0xE8F7, 0x8902)  # ldrd r8, r9, [r7], #8
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFB25, 0x0008)  # smlad r0, r5, r8, r0
    data(2, 0xFB25, 0x1109)  # smlad r1, r5, r9, r1
    data(2, 0xFB24, 0x2208)  # smlad r2, r4, r8, r2
    data(2, 0xFB24, 0x3309)  # smlad r3, r4, r9, r3
    data(2, 0xE8F7, 0x8902)  # ldrd r8, r9, [r7], #8
    data(2, 0xF85E, 0x5B04)  # ldr r5, [lr], #4
    data(2, 0xFB24, 0x0008)  # smlad r0, r4, r8, r0
    data(2, 0xFB24, 0x1109)  # smlad r1, r4, r9, r1
    data(2, 0xFB25, 0x2208)  # smlad r2, r5, r8, r2
    data(2, 0xFB25, 0x3309)  # smlad r3, r5, r9, r3
    data(2, 0x44E6)  # add lr, r12
    data(2, 0xF1BA, 0x0A01)  # subs r10, r10, #1
    bne(pair_22)
    add(r6, 8)
    data(2, 0x9C08)  # ldr r4, [sp] kind
    data(2, 0x44A7)  # add pc, r4
    nop()
    data(2, 0xE9DD, 0x4502)  # ldrd r4, r5, [sp, #8]
    data(2, 0x9F05)  # ldr r7, [sp] zero_point
    data(2, 0xFB50, 0xF014)  # smmulr r0, r0, r4
    data(2, 0xEB10, 0x70E0)  # adds r0, r0, r0, asr #31
    data(2, 0xFA50, 0xF005)  # asrs r0, r0, r5
    data(2, 0xEB40, 0x0007)  # adc r0, r0, r7
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xFB51, 0xF114)  # smmulr r1, r1, r4
    data(2, 0xEB11, 0x71E1)  # adds r1, r1, r1, asr #31
    data(2, 0xFA51, 0xF105)  # asrs r1, r1, r5
    data(2, 0xEB41, 0x0107)  # adc r1, r1, r7
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    data(2, 0xFB52, 0xF214)  # smmulr r2, r2, r4
    data(2, 0xEB12, 0x72E2)  # adds r2, r2, r2, asr #31
    data(2, 0xFA52, 0xF205)  # asrs r2, r2, r5
    data(2, 0xEB42, 0x0207)  # adc r2, r2, r7
    data(2, 0xF302, 0x0207)  # ssat r2, #8, r2
    data(2, 0xFB53, 0xF314)  # smmulr r3, r3, r4
    data(2, 0xEB13, 0x73E3)  # adds r3, r3, r3, asr #31
    data(2, 0xFA53, 0xF305)  # asrs r3, r3, r5
    data(2, 0xEB43, 0x0307)  # adc r3, r3, r7
    data(2, 0xF303, 0x0307)  # ssat r3, #8, r3
    data(2, 0x9F09)  # ldr r7, [sp] first_weight
    data(2, 0x9D29)  # ldr r5, [sp] clamped
    cmp(r5, 0)
    beq(ready_24)
    data(2, 0xF361, 0x200F)  # bfi r0, r1, #8, #8
    data(2, 0xF362, 0x4017)  # bfi r0, r2, #16, #8
    data(2, 0xF363, 0x601F)  # bfi r0, r3, #24, #8
    data(2, 0x9C2A)  # ldr r4, [sp] minimum
    data(2, 0xFAC0, 0xF504)  # ssub8 r5, r0, r4
    data(2, 0xFAA0, 0xF084)  # sel r0, r0, r4
    data(2, 0x9C2B)  # ldr r4, [sp] maximum
    data(2, 0xFAC4, 0xF500)  # ssub8 r5, r4, r0
    data(2, 0xFAA0, 0xF084)  # sel r0, r0, r4
    lsr(r1, r0, 8)
    lsr(r2, r0, 16)
    lsr(r3, r0, 24)
    label(ready_24)
    b(outputs_23)
    data(2, 0xE9DD, 0x4504)  # ldrd r4, r5, [sp, #16]
    data(2, 0xFB50, 0x5004)  # smmla r0, r0, r4, r5
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xFB51, 0x5104)  # smmla r1, r1, r4, r5
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    data(2, 0xFB52, 0x5204)  # smmla r2, r2, r4, r5
    data(2, 0xF302, 0x0207)  # ssat r2, #8, r2
    data(2, 0xFB53, 0x5304)  # smmla r3, r3, r4, r5
    data(2, 0xF303, 0x0307)  # ssat r3, #8, r3
    label(outputs_23)
    data(2, 0xE9DD, 0x4500)  # ldrd r4, r5, [sp, #0]
    add(r4, r4, r5)
    data(2, 0x9D0D)  # ldr r5, [sp] row_step
    data(2, 0x5563)  # strb r3, [r4, r5]
    strb(r2, [r4, 0])
    data(2, 0x9B00)  # ldr r3, [sp] next_out
    data(2, 0x5559)  # strb r1, [r3, r5]
    strb(r0, [r3, 0])
    data(2, 0x9D01)  # ldr r5, [sp] step
    add(r4, r4, r5)
    data(2, 0x9400)  # str r4, [sp] next_out
    label(next_17)
    data(2, 0x9D0B)  # ldr r5, [sp] pair_end
    cmp(r6, r5)
    bcc_w(pixel_16)
    bhi(row_end_18)
    data(2, 0x9D28)  # ldr r5, [sp] odd
    cmp(r5, 0)
    beq(row_end_18)
    mov(r5, 0)
    data(2, 0x9501)  # str r5, [sp] step
    b(pixel_16)
    label(row_end_18)
    data(2, 0x9912)  # ldr r1, [sp] rows_left
    sub(r1, 2)
    data(2, 0x9112)  # str r1, [sp] rows_left
    ble(rows_done_21)
    data(2, 0x9923)  # ldr r1, [sp] output_row
    data(2, 0x9A11)  # ldr r2, [sp] out
    add(r2, r2, r1)
    add(r2, r2, r1)
    data(2, 0x9211)  # str r2, [sp] out
    data(2, 0x9E0C)  # ldr r6, [sp] row
    data(2, 0x991F)  # ldr r1, [sp] plane_row
    add(r6, r6, r1)
    b(row_15)
    label(rows_done_21)
    data(2, 0x9F0A)  # ldr r7, [sp] channel_stream
    data(2, 0x992F)  # ldr r1, [sp] stream_bytes
    add(r7, r7, r1)
    mov(r8, r7)
    data(2, 0x9921)  # ldr r1, [sp] output
    add(r1, 1)
    data(2, 0x9121)  # str r1, [sp] output
    data(2, 0x9914)  # ldr r1, [sp] channels
    sub(r1, 1)
    data(2, 0x9114)  # str r1, [sp] channels
    beq(done_4)
    data(2, 0x9926)  # ldr r1, [sp] uses
    sub(r1, 1)
    bne(same_3)
    data(2, 0x9915)  # ldr r1, [sp] line
    add(r1, 1)
    data(2, 0x9115)  # str r1, [sp] line
    data(2, 0x9925)  # ldr r1, [sp] multiplier
    data(2, 0x9126)  # str r1, [sp] uses
    b(channel_1)
    label(same_3)
    data(2, 0x9126)  # str r1, [sp] uses
    b(ready_2)
    label(done_4)
    data(2, 0xB030)  # add sp, #192
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)


# Channels of a depthwise convolution with filters of any size and a stride of 2. `r0` is the
# address of a block of parameters (WINDOW in tools/asm/armv7em/depthwise.py).
@micropython.asm_thumb
def depthwise_stride_2(r0):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB0B0)  # sub sp, #192
    ldr(r1, [r0, 0])
    data(2, 0x9113)  # str r1, [sp] stream
    ldr(r1, [r0, 4])
    data(2, 0x9114)  # str r1, [sp] channels
    ldr(r1, [r0, 8])
    data(2, 0x9115)  # str r1, [sp] line
    ldr(r1, [r0, 12])
    data(2, 0x9116)  # str r1, [sp] line_step
    ldr(r1, [r0, 16])
    data(2, 0x9117)  # str r1, [sp] row_bytes
    ldr(r1, [r0, 20])
    data(2, 0x9118)  # str r1, [sp] height
    ldr(r1, [r0, 24])
    data(2, 0x9119)  # str r1, [sp] first_row
    ldr(r1, [r0, 28])
    data(2, 0x911A)  # str r1, [sp] left
    ldr(r1, [r0, 32])
    data(2, 0x911B)  # str r1, [sp] columns
    ldr(r1, [r0, 36])
    data(2, 0x911C)  # str r1, [sp] right
    ldr(r1, [r0, 40])
    data(2, 0x911D)  # str r1, [sp] fill
    ldr(r1, [r0, 44])
    data(2, 0x911E)  # str r1, [sp] plane
    ldr(r1, [r0, 48])
    data(2, 0x911F)  # str r1, [sp] plane_row
    ldr(r1, [r0, 52])
    data(2, 0x9120)  # str r1, [sp] pair_rows
    ldr(r1, [r0, 56])
    data(2, 0x9121)  # str r1, [sp] output
    ldr(r1, [r0, 60])
    data(2, 0x9122)  # str r1, [sp] output_step
    ldr(r1, [r0, 64])
    data(2, 0x9123)  # str r1, [sp] output_row
    ldr(r1, [r0, 68])
    data(2, 0x9124)  # str r1, [sp] rows
    ldr(r1, [r0, 72])
    data(2, 0x9125)  # str r1, [sp] multiplier
    ldr(r1, [r0, 76])
    data(2, 0x9126)  # str r1, [sp] uses
    ldr(r1, [r0, 80])
    data(2, 0x9127)  # str r1, [sp] pairs
    ldr(r1, [r0, 84])
    data(2, 0x9128)  # str r1, [sp] odd
    ldr(r1, [r0, 88])
    data(2, 0x9105)  # str r1, [sp] zero_point
    ldr(r1, [r0, 92])
    data(2, 0x9129)  # str r1, [sp] clamped
    ldr(r1, [r0, 96])
    data(2, 0x912A)  # str r1, [sp] minimum
    ldr(r1, [r0, 100])
    data(2, 0x912B)  # str r1, [sp] maximum
    ldr(r1, [r0, 104])
    data(2, 0x912C)  # str r1, [sp] pair_count
    ldr(r1, [r0, 108])
    data(2, 0x912D)  # str r1, [sp] jump
    ldr(r1, [r0, 112])
    data(2, 0x912E)  # str r1, [sp] row_skip
    ldr(r1, [r0, 116])
    data(2, 0x912F)  # str r1, [sp] stream_bytes
    data(2, 0xF8DD, 0x804C)  # ldr r8, [sp, #76]
    add(r0, 40)
    data(2, 0x900E)  # str r0, [sp] zero
    data(2, 0x991A)  # ldr r1, [sp] left
    data(2, 0x9A1C)  # ldr r2, [sp] right
    add(r1, r1, r2)
    data(2, 0x910F)  # str r1, [sp] beside
    data(2, 0x991F)  # ldr r1, [sp] plane_row
    data(2, 0x9A20)  # ldr r2, [sp] pair_rows
    mul(r1, r2)
    data(2, 0x9A1E)  # ldr r2, [sp] plane
    add(r1, r1, r2)
    data(2, 0x9110)  # str r1, [sp] plane_stop
    label(channel_1)
    data(2, 0x9E1E)  # ldr r6, [sp] plane
    data(2, 0x9C19)  # ldr r4, [sp] first_row
    mov(lr, r4)
    data(2, 0x9C15)  # ldr r4, [sp] line
    mov(r12, r4)
    data(2, 0x9F1A)  # ldr r7, [sp] left
    cmp(r7, 0)
    beq(filled_11)
    data(2, 0x9C1D)  # ldr r4, [sp] fill
    label(fill_12)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_12)
    label(filled_11)
    label(pair_5)
    mov(r0, r12)
    data(2, 0x9C17)  # ldr r4, [sp] row_bytes
    add(r1, r0, r4)
    add(r4, r4, r1)
    mov(r12, r4)
    data(2, 0x9A16)  # ldr r2, [sp] line_step
    mov(r3, r2)
    data(2, 0x9C18)  # ldr r4, [sp] height
    mov(r5, lr)
    cmp(r5, r4)
    bcc(first_there_6)
    data(2, 0x980E)  # ldr r0, [sp] zero
    mov(r2, 0)
    label(first_there_6)
    add(r5, 1)
    cmp(r5, r4)
    bcc(both_there_7)
    data(2, 0x990E)  # ldr r1, [sp] zero
    mov(r3, 0)
    label(both_there_7)
    add(r5, 1)
    mov(lr, r5)
    data(2, 0x9F1B)  # ldr r7, [sp] columns
    lsr(r7, r7, 1)
    bcc(even_8)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    cmp(r7, 0)
    label(even_8)
    beq(next_pair_10)
    label(column_9)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    data(2, 0xEAC4, 0x4405)  # pkhbt r4, r4, r5, lsl #16
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(column_9)
    label(next_pair_10)
    data(2, 0x9F0F)  # ldr r7, [sp] beside
    cmp(r7, 0)
    beq(filled_13)
    data(2, 0x9C1D)  # ldr r4, [sp] fill
    label(fill_14)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_14)
    label(filled_13)
    data(2, 0x9C10)  # ldr r4, [sp] plane_stop
    cmp(r6, r4)
    bcc(pair_5)
    label(ready_2)
    data(2, 0xF8CD, 0x8028)  # str r8, [sp, #40]
    data(2, 0xE8B8, 0x0006)  # ldmia r8!, {r1, r2}
    cmp(r1, 0)
    beq(twice_20)
    mov(r1, 94)
    label(twice_20)
    data(2, 0x9108)  # str r1, [sp] kind
    data(2, 0x9206)  # str r2, [sp] bias
    data(2, 0x9207)  # str r2, [sp] bias_again
    data(2, 0xE8F8, 0x1202)  # ldrd r1, r2, [r8], #8
    data(2, 0xF8CD, 0x8024)  # str r8, [sp, #36]
    data(2, 0xF8DD, 0xB0B4)  # ldr r11, [sp, #180]
    data(2, 0xF8DD, 0xC0B8)  # ldr r12, [sp, #184]
    data(2, 0x9102)  # str r1, [sp] multiplier_word
    data(2, 0x9104)  # str r1, [sp] folded_word
    data(2, 0x9203)  # str r2, [sp] shift_word
    data(2, 0x9923)  # ldr r1, [sp] output_row
    data(2, 0x910D)  # str r1, [sp] row_step
    data(2, 0x9921)  # ldr r1, [sp] output
    data(2, 0x9111)  # str r1, [sp] out
    data(2, 0x9924)  # ldr r1, [sp] rows
    data(2, 0x9112)  # str r1, [sp] rows_left
    data(2, 0x9E1E)  # ldr r6, [sp] plane
    label(row_15)
    data(2, 0x960C)  # str r6, [sp] row
    data(2, 0x9927)  # ldr r1, [sp] pairs
    add(r1, r1, r6)
    data(2, 0x910B)  # str r1, [sp] pair_end
    data(2, 0x9922)  # ldr r1, [sp] output_step
    data(2, 0x9101)  # str r1, [sp] step
    data(2, 0x9911)  # ldr r1, [sp] out
    data(2, 0x9100)  # str r1, [sp] next_out
    b(next_17)
    label(pixel_16)
    data(2, 0xE9DD, 0x0106)  # ldrd r0, r1, [sp, #24]
    data(2, 0x9F09)  # ldr r7, [sp] first_weight
    data(2, 0xF8DD, 0xA0B0)  # ldr r10, [sp, #176]
    mov(lr, r6)
    label(pair_22)
    data(2, 0x44DF)  # add pc, r11
    nop()
    data(2, 0xF857, 0x8B04)  # ldr r8, [r7], #4
    data(2, 0xF8DE, 0x5008)  # ldr r5, [lr, #8]
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFB24, 0x0008)  # smlad r0, r4, r8, r0
    data(2, 0xFB25, 0x1108)  # smlad r1, r5, r8, r1
    data(2, 0xF857, 0x8B04)  # ldr r8, [r7], #4
    data(2, 0xF8DE, 0x5008)  # ldr r5, [lr, #8]
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFB24, 0x0008)  # smlad r0, r4, r8, r0
    data(2, 0xFB25, 0x1108)  # smlad r1, r5, r8, r1
    data(2, 0xF857, 0x8B04)  # ldr r8, [r7], #4
    data(2, 0xF8DE, 0x5008)  # ldr r5, [lr, #8]
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFB24, 0x0008)  # smlad r0, r4, r8, r0
    data(2, 0xFB25, 0x1108)  # smlad r1, r5, r8, r1
    data(2, 0xF857, 0x8B04)  # ldr r8, [r7], #4
    data(2, 0xF8DE, 0x5008)  # ldr r5, [lr, #8]
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFB24, 0x0008)  # smlad r0, r4, r8, r0
    data(2, 0xFB25, 0x1108)  # smlad r1, r5, r8, r1
    data(2, 0xF857, 0x8B04)  # ldr r8, [r7], #4
    data(2, 0xF8DE, 0x5008)  # ldr r5, [lr, #8]
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFB24, 0x0008)  # smlad r0, r4, r8, r0
    data(2, 0xFB25, 0x1108)  # smlad r1, r5, r8, r1
    data(2, 0xF857, 0x8B04)  # ldr r8, [r7], #4
    data(2, 0xF8DE, 0x5008)  # ldr r5, [lr, #8]
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFB24, 0x0008)  # smlad r0, r4, r8, r0
    data(2, 0xFB25, 0x1108)  # smlad r1, r5, r8, r1
    data(2, 0xF857, 0x8B04)  # ldr r8, [r7], #4
    data(2, 0xF8DE, 0x5008)  # ldr r5, [lr, #8]
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFB24, 0x0008)  # smlad r0, r4, r8, r0
    data(2, 0xFB25, 0x1108)  # smlad r1, r5, r8, r1
    data(2, 0x44E6)  # add lr, r12
    data(2, 0xF1BA, 0x0A01)  # subs r10, r10, #1
    bne(pair_22)
    add(r6, 16)
    data(2, 0x9C08)  # ldr r4, [sp] kind
    data(2, 0x44A7)  # add pc, r4
    nop()
    data(2, 0xE9DD, 0x4502)  # ldrd r4, r5, [sp, #8]
    data(2, 0x9F05)  # ldr r7, [sp] zero_point
    data(2, 0xFB50, 0xF014)  # smmulr r0, r0, r4
    data(2, 0xEB10, 0x70E0)  # adds r0, r0, r0, asr #31
    data(2, 0xFA50, 0xF005)  # asrs r0, r0, r5
    data(2, 0xEB40, 0x0007)  # adc r0, r0, r7
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xFB51, 0xF114)  # smmulr r1, r1, r4
    data(2, 0xEB11, 0x71E1)  # adds r1, r1, r1, asr #31
    data(2, 0xFA51, 0xF105)  # asrs r1, r1, r5
    data(2, 0xEB41, 0x0107)  # adc r1, r1, r7
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    data(2, 0x9F09)  # ldr r7, [sp] first_weight
    data(2, 0x9D29)  # ldr r5, [sp] clamped
    cmp(r5, 0)
    beq(ready_24)
    data(2, 0xF361, 0x200F)  # bfi r0, r1, #8, #8
    data(2, 0xF362, 0x4017)  # bfi r0, r2, #16, #8
    data(2, 0xF363, 0x601F)  # bfi r0, r3, #24, #8
    data(2, 0x9C2A)  # ldr r4, [sp] minimum
    data(2, 0xFAC0, 0xF504)  # ssub8 r5, r0, r4
    data(2, 0xFAA0, 0xF084)  # sel r0, r0, r4
    data(2, 0x9C2B)  # ldr r4, [sp] maximum
    data(2, 0xFAC4, 0xF500)  # ssub8 r5, r4, r0
    data(2, 0xFAA0, 0xF084)  # sel r0, r0, r4
    lsr(r1, r0, 8)
    lsr(r2, r0, 16)
    lsr(r3, r0, 24)
    label(ready_24)
    b(outputs_23)
    data(2, 0xE9DD, 0x4504)  # ldrd r4, r5, [sp, #16]
    data(2, 0xFB50, 0x5004)  # smmla r0, r0, r4, r5
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xFB51, 0x5104)  # smmla r1, r1, r4, r5
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    label(outputs_23)
    data(2, 0xE9DD, 0x4500)  # ldrd r4, r5, [sp, #0]
    data(2, 0x5561)  # strb r1, [r4, r5]
    strb(r0, [r4, 0])
    data(2, 0xEB04, 0x0445)  # add r4, r4, r5, lsl #1
    data(2, 0x9400)  # str r4, [sp] next_out
    label(next_17)
    data(2, 0x9D0B)  # ldr r5, [sp] pair_end
    cmp(r6, r5)
    bcc_w(pixel_16)
    bhi(row_end_18)
    data(2, 0x9D28)  # ldr r5, [sp] odd
    cmp(r5, 0)
    beq(row_end_18)
    mov(r5, 0)
    data(2, 0x9501)  # str r5, [sp] step
    b(pixel_16)
    label(row_end_18)
    data(2, 0x9912)  # ldr r1, [sp] rows_left
    sub(r1, 1)
    data(2, 0x9112)  # str r1, [sp] rows_left
    ble(rows_done_21)
    data(2, 0x9923)  # ldr r1, [sp] output_row
    data(2, 0x9A11)  # ldr r2, [sp] out
    add(r2, r2, r1)
    data(2, 0x9211)  # str r2, [sp] out
    data(2, 0x9E0C)  # ldr r6, [sp] row
    data(2, 0x991F)  # ldr r1, [sp] plane_row
    add(r6, r6, r1)
    b(row_15)
    label(rows_done_21)
    data(2, 0x9F0A)  # ldr r7, [sp] channel_stream
    data(2, 0x992F)  # ldr r1, [sp] stream_bytes
    add(r7, r7, r1)
    mov(r8, r7)
    data(2, 0x9921)  # ldr r1, [sp] output
    add(r1, 1)
    data(2, 0x9121)  # str r1, [sp] output
    data(2, 0x9914)  # ldr r1, [sp] channels
    sub(r1, 1)
    data(2, 0x9114)  # str r1, [sp] channels
    beq(done_4)
    data(2, 0x9926)  # ldr r1, [sp] uses
    sub(r1, 1)
    bne(same_3)
    data(2, 0x9915)  # ldr r1, [sp] line
    add(r1, 1)
    data(2, 0x9115)  # str r1, [sp] line
    data(2, 0x9925)  # ldr r1, [sp] multiplier
    data(2, 0x9126)  # str r1, [sp] uses
    b(channel_1)
    label(same_3)
    data(2, 0x9126)  # str r1, [sp] uses
    b(ready_2)
    label(done_4)
    data(2, 0xB030)  # add sp, #192
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)
