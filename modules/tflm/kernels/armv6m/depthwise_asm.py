# tflm: DEPTHWISE_CONV_2D, int8, in lanes: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/depthwise.py: change that, not this.

import micropython


# Channels of a 3x3 depthwise convolution with stride 1, two rows at a time. `r0` is the address of
# a block of parameters (DEPTHWISE in tools/asm/common/parameters.py).
@micropython.asm_thumb
def depthwise_3x3(r0):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB09E)  # sub sp, #120
    ldr(r1, [r0, 4])
    data(2, 0x9100)  # str r1, [sp] channels
    ldr(r1, [r0, 8])
    data(2, 0x9101)  # str r1, [sp] line
    ldr(r1, [r0, 12])
    data(2, 0x9102)  # str r1, [sp] line_step
    ldr(r1, [r0, 16])
    data(2, 0x9103)  # str r1, [sp] row_bytes
    ldr(r1, [r0, 20])
    data(2, 0x9104)  # str r1, [sp] height
    ldr(r1, [r0, 24])
    data(2, 0x9105)  # str r1, [sp] first_row
    ldr(r1, [r0, 28])
    data(2, 0x9106)  # str r1, [sp] left
    ldr(r1, [r0, 32])
    data(2, 0x9107)  # str r1, [sp] columns
    ldr(r1, [r0, 36])
    data(2, 0x9108)  # str r1, [sp] right
    ldr(r1, [r0, 40])
    data(2, 0x9109)  # str r1, [sp] fill
    ldr(r1, [r0, 44])
    data(2, 0x910A)  # str r1, [sp] plane
    ldr(r1, [r0, 48])
    data(2, 0x910B)  # str r1, [sp] plane_row
    ldr(r1, [r0, 52])
    data(2, 0x910C)  # str r1, [sp] pair_rows
    ldr(r1, [r0, 80])
    data(2, 0x910D)  # str r1, [sp] multiplier
    ldr(r1, [r0, 84])
    data(2, 0x910E)  # str r1, [sp] uses
    ldr(r1, [r0, 56])
    data(2, 0x910F)  # str r1, [sp] output
    ldr(r1, [r0, 60])
    data(2, 0x9110)  # str r1, [sp] output_step
    ldr(r1, [r0, 64])
    data(2, 0x9111)  # str r1, [sp] output_row
    ldr(r1, [r0, 68])
    data(2, 0x9112)  # str r1, [sp] rows
    ldr(r1, [r0, 72])
    data(2, 0x9113)  # str r1, [sp] width
    ldr(r1, [r0, 76])
    data(2, 0x9114)  # str r1, [sp] column_step
    ldr(r1, [r0, 88])
    data(2, 0x9116)  # str r1, [sp] output_zero_point
    ldr(r1, [r0, 124])
    data(2, 0x911C)  # str r1, [sp] unpacked
    ldr(r1, [r0, 92])
    mov(r9, r1)
    ldr(r1, [r0, 96])
    mov(r10, r1)
    ldr(r1, [r0, 0])
    mov(r8, r1)
    add(r0, 40)
    data(2, 0x9015)  # str r0, [sp] zero
    mov(r1, r8)
    data(2, 0x911D)  # str r1, [sp] packed
    data(2, 0x9906)  # ldr r1, [sp] left
    data(2, 0x9A08)  # ldr r2, [sp] right
    add(r1, r1, r2)
    data(2, 0x9117)  # str r1, [sp] beside
    data(2, 0x990B)  # ldr r1, [sp] plane_row
    data(2, 0x9A0C)  # ldr r2, [sp] pair_rows
    mul(r1, r2)
    data(2, 0x9A0A)  # ldr r2, [sp] plane
    add(r1, r1, r2)
    data(2, 0x9118)  # str r1, [sp] plane_stop
    label(channel_1)
    data(2, 0x9E0A)  # ldr r6, [sp] plane
    data(2, 0x9C05)  # ldr r4, [sp] first_row
    mov(lr, r4)
    data(2, 0x9C01)  # ldr r4, [sp] line
    mov(r12, r4)
    data(2, 0x9F06)  # ldr r7, [sp] left
    cmp(r7, 0)
    beq(filled_11)
    data(2, 0x9C09)  # ldr r4, [sp] fill
    label(fill_12)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_12)
    label(filled_11)
    label(pair_5)
    mov(r0, r12)
    data(2, 0x9C03)  # ldr r4, [sp] row_bytes
    add(r1, r0, r4)
    add(r4, r4, r1)
    mov(r12, r4)
    data(2, 0x9A02)  # ldr r2, [sp] line_step
    mov(r3, r2)
    data(2, 0x9C04)  # ldr r4, [sp] height
    mov(r5, lr)
    cmp(r5, r4)
    bcc(first_there_6)
    data(2, 0x9815)  # ldr r0, [sp] zero
    mov(r2, 0)
    label(first_there_6)
    add(r5, 1)
    cmp(r5, r4)
    bcc(both_there_7)
    data(2, 0x9915)  # ldr r1, [sp] zero
    mov(r3, 0)
    label(both_there_7)
    add(r5, 1)
    mov(lr, r5)
    data(2, 0x9F07)  # ldr r7, [sp] columns
    lsr(r7, r7, 1)
    bcc(even_8)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    lsl(r5, r5, 16)
    add(r4, r4, r5)
    data(2, 0xC610)  # stmia r6!, {r4}
    cmp(r7, 0)
    label(even_8)
    beq(next_pair_10)
    label(column_9)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    lsl(r5, r5, 16)
    add(r4, r4, r5)
    data(2, 0xC610)  # stmia r6!, {r4}
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    lsl(r5, r5, 16)
    add(r4, r4, r5)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(column_9)
    label(next_pair_10)
    data(2, 0x9F17)  # ldr r7, [sp] beside
    cmp(r7, 0)
    beq(filled_13)
    data(2, 0x9C09)  # ldr r4, [sp] fill
    label(fill_14)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_14)
    label(filled_13)
    data(2, 0x9C18)  # ldr r4, [sp] plane_stop
    cmp(r6, r4)
    bcc(pair_5)
    label(ready_2)
    data(2, 0x991C)  # ldr r1, [sp] unpacked
    cmp(r1, 0)
    beq(unpacked_15)
    data(2, 0x981D)  # ldr r0, [sp] packed
    mov(r8, r1)
    data(2, 0xC87C)  # ldmia r0!, {r2, r3, r4, r5, r6}
    data(2, 0x901D)  # str r0, [sp] packed
    data(2, 0xC104)  # stmia r1!, {r2}
    asr(r2, r3, 24)
    lsl(r0, r3, 8)
    asr(r0, r0, 24)
    lsl(r7, r2, 16)
    add(r0, r0, r7)
    data(2, 0xC105)  # stmia r1!, {r0, r2}
    asr(r2, r4, 24)
    lsl(r0, r4, 8)
    asr(r0, r0, 24)
    lsl(r7, r2, 16)
    add(r0, r0, r7)
    data(2, 0xC105)  # stmia r1!, {r0, r2}
    asr(r2, r5, 24)
    lsl(r0, r5, 8)
    asr(r0, r0, 24)
    lsl(r7, r2, 16)
    add(r0, r0, r7)
    data(2, 0xC105)  # stmia r1!, {r0, r2}
    lsl(r2, r3, 16)
    asr(r2, r2, 24)
    lsl(r0, r2, 16)
    lsl(r7, r3, 8)
    asr(r7, r7, 24)
    lsl(r7, r7, 16)
    add(r2, r2, r7)
    data(2, 0xC105)  # stmia r1!, {r0, r2}
    lsl(r2, r4, 16)
    asr(r2, r2, 24)
    lsl(r0, r2, 16)
    lsl(r7, r4, 8)
    asr(r7, r7, 24)
    lsl(r7, r7, 16)
    add(r2, r2, r7)
    data(2, 0xC105)  # stmia r1!, {r0, r2}
    lsl(r2, r5, 16)
    asr(r2, r2, 24)
    lsl(r0, r2, 16)
    lsl(r7, r5, 8)
    asr(r7, r7, 24)
    lsl(r7, r7, 16)
    add(r2, r2, r7)
    data(2, 0xC105)  # stmia r1!, {r0, r2}
    lsl(r4, r3, 24)
    lsr(r4, r4, 24)
    lsr(r3, r6, 16)
    lsl(r2, r6, 16)
    lsr(r2, r2, 16)
    data(2, 0xC11C)  # stmia r1!, {r2, r3, r4}
    label(unpacked_15)
    data(2, 0x990F)  # ldr r1, [sp] output
    data(2, 0x911A)  # str r1, [sp] out
    data(2, 0x9912)  # ldr r1, [sp] rows
    data(2, 0x911B)  # str r1, [sp] rows_left
    data(2, 0x9E0A)  # ldr r6, [sp] plane
    label(row_16)
    data(2, 0x9913)  # ldr r1, [sp] width
    add(r1, r1, r6)
    data(2, 0x9119)  # str r1, [sp] plane_end
    data(2, 0x991A)  # ldr r1, [sp] out
    mov(r11, r1)
    data(2, 0x9A1B)  # ldr r2, [sp] rows_left
    cmp(r2, 1)
    bne(near_20)
    b(alone_18)
    label(near_20)
    label(pixel_17)
    mov(r7, r8)
    data(2, 0xCF01)  # ldmia r7!, {r0}
    mov(r1, r0)
    data(2, 0x9D0B)  # ldr r5, [sp] plane_row
    add(r5, r5, r6)
    ldr(r2, [r6, 0])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    mul(r4, r2)
    asr(r4, r4, 16)
    adc(r1, r4)
    ldr(r2, [r6, 4])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    mul(r4, r2)
    asr(r4, r4, 16)
    adc(r1, r4)
    ldr(r2, [r6, 8])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    mul(r4, r2)
    asr(r4, r4, 16)
    adc(r1, r4)
    ldr(r2, [r5, 0])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    mul(r4, r2)
    asr(r4, r4, 16)
    adc(r1, r4)
    ldr(r2, [r5, 4])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    mul(r4, r2)
    asr(r4, r4, 16)
    adc(r1, r4)
    ldr(r2, [r5, 8])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    mul(r4, r2)
    asr(r4, r4, 16)
    adc(r1, r4)
    add(r6, 4)
    mov(r12, r6)
    mov(lr, r0)
    mov(r0, r1)
    data(2, 0x9E16)  # ldr r6, [sp] output_zero_point
    data(2, 0xCF1C)  # ldmia r7!, {r2, r3, r4}
    asr(r1, r0, 15)
    lsl(r5, r1, 15)
    sub(r0, r0, r5)
    mov(r5, r1)
    mul(r5, r3)
    mul(r1, r2)
    mul(r2, r0)
    lsr(r2, r2, 15)
    add(r1, r1, r2)
    asr(r1, r1, 1)
    mul(r0, r3)
    add(r0, r0, r1)
    asr(r0, r0, 15)
    adc(r0, r5)
    asr(r1, r0, 31)
    add(r0, r0, r1)
    asr(r0, r4)
    adc(r0, r6)
    data(2, 0x4548)  # cmp r0, r9
    bge(above_21)
    mov(r0, r9)
    label(above_21)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_22)
    mov(r0, r10)
    label(below_22)
    mov(r1, r11)
    data(2, 0x9A11)  # ldr r2, [sp] output_row
    data(2, 0x5488)  # strb r0, [r1, r2]
    sub(r7, 12)
    mov(r0, lr)
    data(2, 0xCF1C)  # ldmia r7!, {r2, r3, r4}
    asr(r1, r0, 15)
    lsl(r5, r1, 15)
    sub(r0, r0, r5)
    mov(r5, r1)
    mul(r5, r3)
    mul(r1, r2)
    mul(r2, r0)
    lsr(r2, r2, 15)
    add(r1, r1, r2)
    asr(r1, r1, 1)
    mul(r0, r3)
    add(r0, r0, r1)
    asr(r0, r0, 15)
    adc(r0, r5)
    asr(r1, r0, 31)
    add(r0, r0, r1)
    asr(r0, r4)
    adc(r0, r6)
    data(2, 0x4548)  # cmp r0, r9
    bge(above_23)
    mov(r0, r9)
    label(above_23)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_24)
    mov(r0, r10)
    label(below_24)
    mov(r1, r11)
    strb(r0, [r1, 0])
    data(2, 0x9910)  # ldr r1, [sp] output_step
    data(2, 0x448B)  # add r11, r1
    mov(r6, r12)
    data(2, 0x9919)  # ldr r1, [sp] plane_end
    cmp(r6, r1)
    bcs(near_25)
    b(pixel_17)
    label(near_25)
    data(2, 0x991B)  # ldr r1, [sp] rows_left
    sub(r1, 2)
    data(2, 0x911B)  # str r1, [sp] rows_left
    bne(near_26)
    b(rows_done_19)
    label(near_26)
    data(2, 0x9911)  # ldr r1, [sp] output_row
    lsl(r1, r1, 1)
    data(2, 0x9A1A)  # ldr r2, [sp] out
    add(r1, r1, r2)
    data(2, 0x911A)  # str r1, [sp] out
    data(2, 0x9E19)  # ldr r6, [sp] plane_end
    add(r6, 8)
    b(row_16)
    # the last row has no other
    label(alone_18)
    mov(r7, r8)
    data(2, 0xCF01)  # ldmia r7!, {r0}
    data(2, 0x9D0B)  # ldr r5, [sp] plane_row
    add(r5, r5, r6)
    ldr(r2, [r6, 0])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    ldr(r2, [r6, 4])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    ldr(r2, [r6, 8])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    ldr(r2, [r5, 0])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    ldr(r2, [r5, 4])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    ldr(r2, [r5, 8])
    data(2, 0xCF18)  # ldmia r7!, {r3, r4}
    mul(r3, r2)
    asr(r3, r3, 16)
    adc(r0, r3)
    add(r6, 4)
    mov(r12, r6)
    data(2, 0x9E16)  # ldr r6, [sp] output_zero_point
    data(2, 0xCF1C)  # ldmia r7!, {r2, r3, r4}
    asr(r1, r0, 15)
    lsl(r5, r1, 15)
    sub(r0, r0, r5)
    mov(r5, r1)
    mul(r5, r3)
    mul(r1, r2)
    mul(r2, r0)
    lsr(r2, r2, 15)
    add(r1, r1, r2)
    asr(r1, r1, 1)
    mul(r0, r3)
    add(r0, r0, r1)
    asr(r0, r0, 15)
    adc(r0, r5)
    asr(r1, r0, 31)
    add(r0, r0, r1)
    asr(r0, r4)
    adc(r0, r6)
    data(2, 0x4548)  # cmp r0, r9
    bge(above_27)
    mov(r0, r9)
    label(above_27)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_28)
    mov(r0, r10)
    label(below_28)
    mov(r1, r11)
    strb(r0, [r1, 0])
    data(2, 0x9910)  # ldr r1, [sp] output_step
    data(2, 0x448B)  # add r11, r1
    mov(r6, r12)
    data(2, 0x9919)  # ldr r1, [sp] plane_end
    cmp(r6, r1)
    bcs(near_29)
    b(alone_18)
    label(near_29)
    label(rows_done_19)
    mov(r8, r7)
    data(2, 0x990F)  # ldr r1, [sp] output
    add(r1, 1)
    data(2, 0x910F)  # str r1, [sp] output
    data(2, 0x9900)  # ldr r1, [sp] channels
    sub(r1, 1)
    data(2, 0x9100)  # str r1, [sp] channels
    beq(done_4)
    data(2, 0x990E)  # ldr r1, [sp] uses
    sub(r1, 1)
    bne(same_3)
    data(2, 0x9901)  # ldr r1, [sp] line
    add(r1, 1)
    data(2, 0x9101)  # str r1, [sp] line
    data(2, 0x990D)  # ldr r1, [sp] multiplier
    data(2, 0x910E)  # str r1, [sp] uses
    b(channel_1)
    label(same_3)
    data(2, 0x910E)  # str r1, [sp] uses
    b(ready_2)
    label(done_4)
    data(2, 0xB01E)  # add sp, #120
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Channels of a 3x3 depthwise convolution with a stride of 2 rows. `r0` is the address of a block
# of parameters (DEPTHWISE in tools/asm/common/parameters.py).
@micropython.asm_thumb
def depthwise_3x3_stride_2(r0):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB09F)  # sub sp, #124
    ldr(r1, [r0, 4])
    data(2, 0x9100)  # str r1, [sp] channels
    ldr(r1, [r0, 8])
    data(2, 0x9101)  # str r1, [sp] line
    ldr(r1, [r0, 12])
    data(2, 0x9102)  # str r1, [sp] line_step
    ldr(r1, [r0, 16])
    data(2, 0x9103)  # str r1, [sp] row_bytes
    ldr(r1, [r0, 20])
    data(2, 0x9104)  # str r1, [sp] height
    ldr(r1, [r0, 24])
    data(2, 0x9105)  # str r1, [sp] first_row
    ldr(r1, [r0, 28])
    data(2, 0x9106)  # str r1, [sp] left
    ldr(r1, [r0, 32])
    data(2, 0x9107)  # str r1, [sp] columns
    ldr(r1, [r0, 36])
    data(2, 0x9108)  # str r1, [sp] right
    ldr(r1, [r0, 40])
    data(2, 0x9109)  # str r1, [sp] fill
    ldr(r1, [r0, 44])
    data(2, 0x910A)  # str r1, [sp] plane
    ldr(r1, [r0, 48])
    data(2, 0x910B)  # str r1, [sp] plane_row
    ldr(r1, [r0, 52])
    data(2, 0x910C)  # str r1, [sp] pair_rows
    ldr(r1, [r0, 80])
    data(2, 0x910D)  # str r1, [sp] multiplier
    ldr(r1, [r0, 84])
    data(2, 0x910E)  # str r1, [sp] uses
    ldr(r1, [r0, 56])
    data(2, 0x910F)  # str r1, [sp] output
    ldr(r1, [r0, 60])
    data(2, 0x9110)  # str r1, [sp] output_step
    ldr(r1, [r0, 64])
    data(2, 0x9111)  # str r1, [sp] output_row
    ldr(r1, [r0, 68])
    data(2, 0x9112)  # str r1, [sp] rows
    ldr(r1, [r0, 72])
    data(2, 0x9113)  # str r1, [sp] width
    ldr(r1, [r0, 76])
    data(2, 0x9114)  # str r1, [sp] column_step
    ldr(r1, [r0, 88])
    data(2, 0x9116)  # str r1, [sp] output_zero_point
    ldr(r1, [r0, 124])
    data(2, 0x911D)  # str r1, [sp] unpacked
    ldr(r1, [r0, 92])
    mov(r9, r1)
    ldr(r1, [r0, 96])
    mov(r10, r1)
    ldr(r1, [r0, 0])
    mov(r8, r1)
    add(r0, 40)
    data(2, 0x9015)  # str r0, [sp] zero
    mov(r1, r8)
    data(2, 0x911E)  # str r1, [sp] packed
    data(2, 0x9906)  # ldr r1, [sp] left
    data(2, 0x9A08)  # ldr r2, [sp] right
    add(r1, r1, r2)
    data(2, 0x9117)  # str r1, [sp] beside
    data(2, 0x990B)  # ldr r1, [sp] plane_row
    data(2, 0x9A0C)  # ldr r2, [sp] pair_rows
    mul(r1, r2)
    data(2, 0x9A0A)  # ldr r2, [sp] plane
    add(r1, r1, r2)
    data(2, 0x9118)  # str r1, [sp] plane_stop
    label(channel_1)
    data(2, 0x9E0A)  # ldr r6, [sp] plane
    data(2, 0x9C05)  # ldr r4, [sp] first_row
    mov(lr, r4)
    data(2, 0x9C01)  # ldr r4, [sp] line
    mov(r12, r4)
    data(2, 0x9F06)  # ldr r7, [sp] left
    cmp(r7, 0)
    beq(filled_11)
    data(2, 0x9C09)  # ldr r4, [sp] fill
    label(fill_12)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_12)
    label(filled_11)
    label(pair_5)
    mov(r0, r12)
    data(2, 0x9C03)  # ldr r4, [sp] row_bytes
    add(r1, r0, r4)
    add(r4, r4, r1)
    mov(r12, r4)
    data(2, 0x9A02)  # ldr r2, [sp] line_step
    mov(r3, r2)
    data(2, 0x9C04)  # ldr r4, [sp] height
    mov(r5, lr)
    cmp(r5, r4)
    bcc(first_there_6)
    data(2, 0x9815)  # ldr r0, [sp] zero
    mov(r2, 0)
    label(first_there_6)
    add(r5, 1)
    cmp(r5, r4)
    bcc(both_there_7)
    data(2, 0x9915)  # ldr r1, [sp] zero
    mov(r3, 0)
    label(both_there_7)
    add(r5, 1)
    mov(lr, r5)
    data(2, 0x9F07)  # ldr r7, [sp] columns
    lsr(r7, r7, 1)
    bcc(even_8)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    lsl(r5, r5, 16)
    add(r4, r4, r5)
    data(2, 0xC610)  # stmia r6!, {r4}
    cmp(r7, 0)
    label(even_8)
    beq(next_pair_10)
    label(column_9)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    lsl(r5, r5, 16)
    add(r4, r4, r5)
    data(2, 0xC610)  # stmia r6!, {r4}
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    lsl(r5, r5, 16)
    add(r4, r4, r5)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(column_9)
    label(next_pair_10)
    data(2, 0x9F17)  # ldr r7, [sp] beside
    cmp(r7, 0)
    beq(filled_13)
    data(2, 0x9C09)  # ldr r4, [sp] fill
    label(fill_14)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_14)
    label(filled_13)
    data(2, 0x9C18)  # ldr r4, [sp] plane_stop
    cmp(r6, r4)
    bcc(pair_5)
    label(ready_2)
    data(2, 0x991D)  # ldr r1, [sp] unpacked
    cmp(r1, 0)
    beq(unpacked_15)
    data(2, 0x981E)  # ldr r0, [sp] packed
    mov(r8, r1)
    data(2, 0xC87C)  # ldmia r0!, {r2, r3, r4, r5, r6}
    data(2, 0x901E)  # str r0, [sp] packed
    data(2, 0xC104)  # stmia r1!, {r2}
    asr(r2, r3, 24)
    lsl(r0, r3, 8)
    asr(r0, r0, 24)
    lsl(r7, r2, 16)
    add(r0, r0, r7)
    data(2, 0xC101)  # stmia r1!, {r0}
    asr(r2, r4, 24)
    lsl(r0, r4, 8)
    asr(r0, r0, 24)
    lsl(r7, r2, 16)
    add(r0, r0, r7)
    data(2, 0xC101)  # stmia r1!, {r0}
    asr(r2, r5, 24)
    lsl(r0, r5, 8)
    asr(r0, r0, 24)
    lsl(r7, r2, 16)
    add(r0, r0, r7)
    data(2, 0xC101)  # stmia r1!, {r0}
    lsl(r2, r3, 16)
    asr(r2, r2, 24)
    lsl(r0, r2, 16)
    data(2, 0xC101)  # stmia r1!, {r0}
    lsl(r2, r4, 16)
    asr(r2, r2, 24)
    lsl(r0, r2, 16)
    data(2, 0xC101)  # stmia r1!, {r0}
    lsl(r2, r5, 16)
    asr(r2, r2, 24)
    lsl(r0, r2, 16)
    data(2, 0xC101)  # stmia r1!, {r0}
    lsl(r4, r3, 24)
    lsr(r4, r4, 24)
    lsr(r3, r6, 16)
    lsl(r2, r6, 16)
    lsr(r2, r2, 16)
    data(2, 0xC11C)  # stmia r1!, {r2, r3, r4}
    label(unpacked_15)
    data(2, 0x990F)  # ldr r1, [sp] output
    data(2, 0x911A)  # str r1, [sp] out
    data(2, 0x9912)  # ldr r1, [sp] rows
    data(2, 0x911B)  # str r1, [sp] rows_left
    data(2, 0x9E0A)  # ldr r6, [sp] plane
    label(row_16)
    data(2, 0x961C)  # str r6, [sp] row
    data(2, 0x9913)  # ldr r1, [sp] width
    add(r1, r1, r6)
    data(2, 0x9119)  # str r1, [sp] plane_end
    data(2, 0x991A)  # ldr r1, [sp] out
    mov(r11, r1)
    label(pixel_17)
    mov(r7, r8)
    data(2, 0xCF01)  # ldmia r7!, {r0}
    data(2, 0x9D0B)  # ldr r5, [sp] plane_row
    add(r5, r5, r6)
    data(2, 0xCF0E)  # ldmia r7!, {r1, r2, r3}
    ldr(r4, [r6, 0])
    mul(r1, r4)
    asr(r1, r1, 16)
    adc(r0, r1)
    ldr(r4, [r6, 4])
    mul(r2, r4)
    asr(r2, r2, 16)
    adc(r0, r2)
    ldr(r4, [r6, 8])
    mul(r3, r4)
    asr(r3, r3, 16)
    adc(r0, r3)
    data(2, 0xCF0E)  # ldmia r7!, {r1, r2, r3}
    ldr(r4, [r5, 0])
    mul(r1, r4)
    asr(r1, r1, 16)
    adc(r0, r1)
    ldr(r4, [r5, 4])
    mul(r2, r4)
    asr(r2, r2, 16)
    adc(r0, r2)
    ldr(r4, [r5, 8])
    mul(r3, r4)
    asr(r3, r3, 16)
    adc(r0, r3)
    data(2, 0x9914)  # ldr r1, [sp] column_step
    add(r6, r6, r1)
    mov(r12, r6)
    data(2, 0x9E16)  # ldr r6, [sp] output_zero_point
    data(2, 0xCF1C)  # ldmia r7!, {r2, r3, r4}
    asr(r1, r0, 15)
    lsl(r5, r1, 15)
    sub(r0, r0, r5)
    mov(r5, r1)
    mul(r5, r3)
    mul(r1, r2)
    mul(r2, r0)
    lsr(r2, r2, 15)
    add(r1, r1, r2)
    asr(r1, r1, 1)
    mul(r0, r3)
    add(r0, r0, r1)
    asr(r0, r0, 15)
    adc(r0, r5)
    asr(r1, r0, 31)
    add(r0, r0, r1)
    asr(r0, r4)
    adc(r0, r6)
    data(2, 0x4548)  # cmp r0, r9
    bge(above_18)
    mov(r0, r9)
    label(above_18)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_19)
    mov(r0, r10)
    label(below_19)
    mov(r1, r11)
    strb(r0, [r1, 0])
    data(2, 0x9910)  # ldr r1, [sp] output_step
    data(2, 0x448B)  # add r11, r1
    mov(r6, r12)
    data(2, 0x9919)  # ldr r1, [sp] plane_end
    cmp(r6, r1)
    bcs(near_20)
    b(pixel_17)
    label(near_20)
    data(2, 0x991B)  # ldr r1, [sp] rows_left
    sub(r1, 1)
    data(2, 0x911B)  # str r1, [sp] rows_left
    beq(rows_done_21)
    data(2, 0x9911)  # ldr r1, [sp] output_row
    data(2, 0x9A1A)  # ldr r2, [sp] out
    add(r1, r1, r2)
    data(2, 0x911A)  # str r1, [sp] out
    data(2, 0x9E1C)  # ldr r6, [sp] row
    data(2, 0x990B)  # ldr r1, [sp] plane_row
    add(r6, r6, r1)
    b(row_16)
    label(rows_done_21)
    mov(r8, r7)
    data(2, 0x990F)  # ldr r1, [sp] output
    add(r1, 1)
    data(2, 0x910F)  # str r1, [sp] output
    data(2, 0x9900)  # ldr r1, [sp] channels
    sub(r1, 1)
    data(2, 0x9100)  # str r1, [sp] channels
    beq(done_4)
    data(2, 0x990E)  # ldr r1, [sp] uses
    sub(r1, 1)
    bne(same_3)
    data(2, 0x9901)  # ldr r1, [sp] line
    add(r1, 1)
    data(2, 0x9101)  # str r1, [sp] line
    data(2, 0x990D)  # ldr r1, [sp] multiplier
    data(2, 0x910E)  # str r1, [sp] uses
    b(channel_1)
    label(same_3)
    data(2, 0x910E)  # str r1, [sp] uses
    b(ready_2)
    label(done_4)
    data(2, 0xB01F)  # add sp, #124
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Channels of a depthwise convolution of any size. `r0` is the address of a block of parameters
# (DEPTHWISE in tools/asm/common/parameters.py).
@micropython.asm_thumb
def depthwise_any(r0):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB0A4)  # sub sp, #144
    ldr(r1, [r0, 4])
    data(2, 0x9100)  # str r1, [sp] channels
    ldr(r1, [r0, 8])
    data(2, 0x9101)  # str r1, [sp] line
    ldr(r1, [r0, 12])
    data(2, 0x9102)  # str r1, [sp] line_step
    ldr(r1, [r0, 16])
    data(2, 0x9103)  # str r1, [sp] row_bytes
    ldr(r1, [r0, 20])
    data(2, 0x9104)  # str r1, [sp] height
    ldr(r1, [r0, 24])
    data(2, 0x9105)  # str r1, [sp] first_row
    ldr(r1, [r0, 28])
    data(2, 0x9106)  # str r1, [sp] left
    ldr(r1, [r0, 32])
    data(2, 0x9107)  # str r1, [sp] columns
    ldr(r1, [r0, 36])
    data(2, 0x9108)  # str r1, [sp] right
    ldr(r1, [r0, 40])
    data(2, 0x9109)  # str r1, [sp] fill
    ldr(r1, [r0, 44])
    data(2, 0x910A)  # str r1, [sp] plane
    ldr(r1, [r0, 48])
    data(2, 0x910B)  # str r1, [sp] plane_row
    ldr(r1, [r0, 52])
    data(2, 0x910C)  # str r1, [sp] pair_rows
    ldr(r1, [r0, 80])
    data(2, 0x910D)  # str r1, [sp] multiplier
    ldr(r1, [r0, 84])
    data(2, 0x910E)  # str r1, [sp] uses
    ldr(r1, [r0, 56])
    data(2, 0x910F)  # str r1, [sp] output
    ldr(r1, [r0, 60])
    data(2, 0x9110)  # str r1, [sp] output_step
    ldr(r1, [r0, 64])
    data(2, 0x9111)  # str r1, [sp] output_row
    ldr(r1, [r0, 68])
    data(2, 0x9112)  # str r1, [sp] rows
    ldr(r1, [r0, 72])
    data(2, 0x9113)  # str r1, [sp] width
    ldr(r1, [r0, 76])
    data(2, 0x9114)  # str r1, [sp] column_step
    ldr(r1, [r0, 88])
    data(2, 0x9116)  # str r1, [sp] output_zero_point
    ldr(r1, [r0, 100])
    data(2, 0x911C)  # str r1, [sp] stride_height
    ldr(r1, [r0, 104])
    data(2, 0x911D)  # str r1, [sp] filter_width
    ldr(r1, [r0, 108])
    data(2, 0x911E)  # str r1, [sp] even_rows
    ldr(r1, [r0, 112])
    data(2, 0x911F)  # str r1, [sp] odd_rows
    ldr(r1, [r0, 116])
    data(2, 0x9120)  # str r1, [sp] odd_set
    ldr(r1, [r0, 120])
    data(2, 0x9121)  # str r1, [sp] table
    ldr(r1, [r0, 92])
    mov(r9, r1)
    ldr(r1, [r0, 96])
    mov(r10, r1)
    ldr(r1, [r0, 0])
    mov(r8, r1)
    add(r0, 40)
    data(2, 0x9015)  # str r0, [sp] zero
    data(2, 0x9906)  # ldr r1, [sp] left
    data(2, 0x9A08)  # ldr r2, [sp] right
    add(r1, r1, r2)
    data(2, 0x9117)  # str r1, [sp] beside
    data(2, 0x990B)  # ldr r1, [sp] plane_row
    data(2, 0x9A0C)  # ldr r2, [sp] pair_rows
    mul(r1, r2)
    data(2, 0x9A0A)  # ldr r2, [sp] plane
    add(r1, r1, r2)
    data(2, 0x9118)  # str r1, [sp] plane_stop
    label(channel_1)
    data(2, 0x9E0A)  # ldr r6, [sp] plane
    data(2, 0x9C05)  # ldr r4, [sp] first_row
    mov(lr, r4)
    data(2, 0x9C01)  # ldr r4, [sp] line
    mov(r12, r4)
    data(2, 0x9F06)  # ldr r7, [sp] left
    cmp(r7, 0)
    beq(filled_11)
    data(2, 0x9C09)  # ldr r4, [sp] fill
    label(fill_12)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_12)
    label(filled_11)
    label(pair_5)
    mov(r0, r12)
    data(2, 0x9C03)  # ldr r4, [sp] row_bytes
    add(r1, r0, r4)
    add(r4, r4, r1)
    mov(r12, r4)
    data(2, 0x9A02)  # ldr r2, [sp] line_step
    mov(r3, r2)
    data(2, 0x9C04)  # ldr r4, [sp] height
    mov(r5, lr)
    cmp(r5, r4)
    bcc(first_there_6)
    data(2, 0x9815)  # ldr r0, [sp] zero
    mov(r2, 0)
    label(first_there_6)
    add(r5, 1)
    cmp(r5, r4)
    bcc(both_there_7)
    data(2, 0x9915)  # ldr r1, [sp] zero
    mov(r3, 0)
    label(both_there_7)
    add(r5, 1)
    mov(lr, r5)
    data(2, 0x9F07)  # ldr r7, [sp] columns
    lsr(r7, r7, 1)
    bcc(even_8)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    lsl(r5, r5, 16)
    add(r4, r4, r5)
    data(2, 0xC610)  # stmia r6!, {r4}
    cmp(r7, 0)
    label(even_8)
    beq(next_pair_10)
    label(column_9)
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    lsl(r5, r5, 16)
    add(r4, r4, r5)
    data(2, 0xC610)  # stmia r6!, {r4}
    data(2, 0x5684)  # ldrsb r4, [r0, r2]
    add(r0, r0, r2)
    data(2, 0x56CD)  # ldrsb r5, [r1, r3]
    add(r1, r1, r3)
    lsl(r5, r5, 16)
    add(r4, r4, r5)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(column_9)
    label(next_pair_10)
    data(2, 0x9F17)  # ldr r7, [sp] beside
    cmp(r7, 0)
    beq(filled_13)
    data(2, 0x9C09)  # ldr r4, [sp] fill
    label(fill_14)
    data(2, 0xC610)  # stmia r6!, {r4}
    sub(r7, 1)
    bne(fill_14)
    label(filled_13)
    data(2, 0x9C18)  # ldr r4, [sp] plane_stop
    cmp(r6, r4)
    bcc(pair_5)
    label(ready_2)
    data(2, 0x990F)  # ldr r1, [sp] output
    data(2, 0x911A)  # str r1, [sp] out
    data(2, 0x9912)  # ldr r1, [sp] rows
    data(2, 0x911B)  # str r1, [sp] rows_left
    data(2, 0x9E0A)  # ldr r6, [sp] plane
    mov(r1, 0)
    mov(lr, r1)
    label(row_15)
    mov(r1, lr)
    lsr(r2, r1, 1)
    data(2, 0x9B0B)  # ldr r3, [sp] plane_row
    mul(r2, r3)
    data(2, 0x9E0A)  # ldr r6, [sp] plane
    add(r6, r6, r2)
    data(2, 0x9B1E)  # ldr r3, [sp] even_rows
    mov(r4, 4)
    lsr(r1, r1, 1)
    bcc(even_17)
    data(2, 0x9B1F)  # ldr r3, [sp] odd_rows
    data(2, 0x9C20)  # ldr r4, [sp] odd_set
    label(even_17)
    data(2, 0x9322)  # str r3, [sp] window_rows
    data(2, 0x9423)  # str r4, [sp] set
    data(2, 0x9913)  # ldr r1, [sp] width
    add(r1, r1, r6)
    data(2, 0x9119)  # str r1, [sp] plane_end
    data(2, 0x991A)  # ldr r1, [sp] out
    mov(r11, r1)
    label(pixel_16)
    mov(r12, r6)
    mov(r7, r8)
    ldr(r0, [r7, 0])
    data(2, 0x9923)  # ldr r1, [sp] set
    add(r7, r7, r1)
    data(2, 0x9B22)  # ldr r3, [sp] window_rows
    label(line_18)
    mov(r5, r6)
    data(2, 0x9C1D)  # ldr r4, [sp] filter_width
    label(word_19)
    data(2, 0xCD02)  # ldmia r5!, {r1}
    data(2, 0xCF04)  # ldmia r7!, {r2}
    mul(r1, r2)
    asr(r1, r1, 16)
    adc(r0, r1)
    sub(r4, 1)
    bne(word_19)
    data(2, 0x990B)  # ldr r1, [sp] plane_row
    add(r6, r6, r1)
    sub(r3, 1)
    bne(line_18)
    data(2, 0x9914)  # ldr r1, [sp] column_step
    data(2, 0x448C)  # add r12, r1
    mov(r7, r8)
    data(2, 0x9921)  # ldr r1, [sp] table
    add(r7, r7, r1)
    data(2, 0x9E16)  # ldr r6, [sp] output_zero_point
    data(2, 0xCF1C)  # ldmia r7!, {r2, r3, r4}
    asr(r1, r0, 15)
    lsl(r5, r1, 15)
    sub(r0, r0, r5)
    mov(r5, r1)
    mul(r5, r3)
    mul(r1, r2)
    mul(r2, r0)
    lsr(r2, r2, 15)
    add(r1, r1, r2)
    asr(r1, r1, 1)
    mul(r0, r3)
    add(r0, r0, r1)
    asr(r0, r0, 15)
    adc(r0, r5)
    asr(r1, r0, 31)
    add(r0, r0, r1)
    asr(r0, r4)
    adc(r0, r6)
    data(2, 0x4548)  # cmp r0, r9
    bge(above_20)
    mov(r0, r9)
    label(above_20)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_21)
    mov(r0, r10)
    label(below_21)
    mov(r1, r11)
    strb(r0, [r1, 0])
    data(2, 0x9910)  # ldr r1, [sp] output_step
    data(2, 0x448B)  # add r11, r1
    mov(r6, r12)
    data(2, 0x9919)  # ldr r1, [sp] plane_end
    cmp(r6, r1)
    bcs(near_22)
    b(pixel_16)
    label(near_22)
    data(2, 0x991B)  # ldr r1, [sp] rows_left
    sub(r1, 1)
    data(2, 0x911B)  # str r1, [sp] rows_left
    beq(rows_done_23)
    data(2, 0x9911)  # ldr r1, [sp] output_row
    data(2, 0x9A1A)  # ldr r2, [sp] out
    add(r1, r1, r2)
    data(2, 0x911A)  # str r1, [sp] out
    data(2, 0x991C)  # ldr r1, [sp] stride_height
    data(2, 0x448E)  # add lr, r1
    b(row_15)
    label(rows_done_23)
    mov(r8, r7)
    data(2, 0x990F)  # ldr r1, [sp] output
    add(r1, 1)
    data(2, 0x910F)  # str r1, [sp] output
    data(2, 0x9900)  # ldr r1, [sp] channels
    sub(r1, 1)
    data(2, 0x9100)  # str r1, [sp] channels
    beq(done_4)
    data(2, 0x990E)  # ldr r1, [sp] uses
    sub(r1, 1)
    bne(same_3)
    data(2, 0x9901)  # ldr r1, [sp] line
    add(r1, 1)
    data(2, 0x9101)  # str r1, [sp] line
    data(2, 0x990D)  # ldr r1, [sp] multiplier
    data(2, 0x910E)  # str r1, [sp] uses
    b(channel_1)
    label(same_3)
    data(2, 0x910E)  # str r1, [sp] uses
    b(ready_2)
    label(done_4)
    data(2, 0xB024)  # add sp, #144
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
