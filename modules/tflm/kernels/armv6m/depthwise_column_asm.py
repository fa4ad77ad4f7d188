# tflm: DEPTHWISE_CONV_2D, int8, of lines of pixels: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/column.py: change that, not this.

import micropython


# Channels of a depthwise convolution whose window is a line of pixels. `r0` is the address of a
# block of parameters (DEPTHWISE_COLUMN in tools/asm/common/parameters.py), `r1` that of the record
# (COLUMN in prepare/depthwise_column.py).
@micropython.asm_thumb
def depthwise_column(r0, r1):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB08E)  # sub sp, #56
    ldr(r2, [r0, 0])
    data(2, 0x9206)  # str r2, [sp] source
    ldr(r2, [r0, 8])
    data(2, 0x9207)  # str r2, [sp] output
    ldr(r2, [r0, 12])
    data(2, 0x9208)  # str r2, [sp] channels
    ldr(r2, [r0, 4])
    mov(r8, r2)
    ldr(r2, [r1, 24])
    data(2, 0x9200)  # str r2, [sp] taps
    ldr(r2, [r1, 28])
    data(2, 0x9201)  # str r2, [sp] tap_step
    ldr(r2, [r1, 32])
    data(2, 0x9202)  # str r2, [sp] pixels
    ldr(r2, [r1, 36])
    data(2, 0x9203)  # str r2, [sp] pixel_step
    ldr(r2, [r1, 40])
    data(2, 0x9204)  # str r2, [sp] channel_bytes
    ldr(r2, [r1, 44])
    data(2, 0x9205)  # str r2, [sp] output_zero_point
    ldr(r2, [r1, 20])
    data(2, 0x9209)  # str r2, [sp] output_channels
    ldr(r2, [r1, 48])
    mov(r9, r2)
    ldr(r2, [r1, 52])
    mov(r10, r2)
    # taps that the first pass leaves out
    data(2, 0x9900)  # ldr r1, [sp] taps
    neg(r1, r1)
    mov(r2, 3)
    and_(r1, r2)
    mov(r2, 12)
    mul(r2, r1)
    data(2, 0x920A)  # str r2, [sp] jump
    mov(r2, 18)
    mul(r2, r1)
    data(2, 0x920B)  # str r2, [sp] pair_jump
    label(channel_1)
    data(2, 0x9906)  # ldr r1, [sp] source
    mov(r11, r1)
    add(r1, 1)
    data(2, 0x9106)  # str r1, [sp] source
    data(2, 0x9907)  # ldr r1, [sp] output
    data(2, 0x910D)  # str r1, [sp] out
    add(r1, 1)
    data(2, 0x9107)  # str r1, [sp] output
    data(2, 0x9902)  # ldr r1, [sp] pixels
    data(2, 0x910C)  # str r1, [sp] left
    label(pixel_2)
    data(2, 0x990C)  # ldr r1, [sp] left
    cmp(r1, 2)
    bge(near_5)
    b(single_3)
    label(near_5)
    sub(r1, 2)
    data(2, 0x910C)  # str r1, [sp] left
    mov(r7, r8)
    data(2, 0xCF03)  # ldmia r7!, {r0, r1}
    mov(lr, r1)
    data(2, 0x9900)  # ldr r1, [sp] taps
    add(r7, r7, r1)
    neg(r4, r1)
    data(2, 0x9D01)  # ldr r5, [sp] tap_step
    mov(r6, r11)
    sub(r6, r6, r5)
    mov(r12, r0)
    data(2, 0x9B03)  # ldr r3, [sp] pixel_step
    add(r3, r3, r5)
    data(2, 0x990B)  # ldr r1, [sp] pair_jump
    data(2, 0x448F)  # add pc, r1
    nop()
    label(pair_taps_6)
    data(2, 0x573A)  # ldrsb r2, [r7, r4]
    data(2, 0x5771)  # ldrsb r1, [r6, r5]
    mul(r1, r2)
    add(r0, r0, r1)
    data(2, 0x56F1)  # ldrsb r1, [r6, r3]
    mul(r1, r2)
    data(2, 0x448C)  # add r12, r1
    add(r6, r6, r5)
    add(r4, 1)
    data(2, 0x573A)  # ldrsb r2, [r7, r4]
    data(2, 0x5771)  # ldrsb r1, [r6, r5]
    mul(r1, r2)
    add(r0, r0, r1)
    data(2, 0x56F1)  # ldrsb r1, [r6, r3]
    mul(r1, r2)
    data(2, 0x448C)  # add r12, r1
    add(r6, r6, r5)
    add(r4, 1)
    data(2, 0x573A)  # ldrsb r2, [r7, r4]
    data(2, 0x5771)  # ldrsb r1, [r6, r5]
    mul(r1, r2)
    add(r0, r0, r1)
    data(2, 0x56F1)  # ldrsb r1, [r6, r3]
    mul(r1, r2)
    data(2, 0x448C)  # add r12, r1
    add(r6, r6, r5)
    add(r4, 1)
    data(2, 0x573A)  # ldrsb r2, [r7, r4]
    data(2, 0x5771)  # ldrsb r1, [r6, r5]
    mul(r1, r2)
    add(r0, r0, r1)
    data(2, 0x56F1)  # ldrsb r1, [r6, r3]
    mul(r1, r2)
    data(2, 0x448C)  # add r12, r1
    add(r6, r6, r5)
    add(r4, 1)
    bne(pair_taps_6)
    ldrb(r4, [r7, 0])
    mov(r3, lr)
    lsl(r2, r3, 16)
    lsr(r2, r2, 16)
    lsr(r3, r3, 16)
    data(2, 0x9E05)  # ldr r6, [sp] output_zero_point
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
    bge(above_7)
    mov(r0, r9)
    label(above_7)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_8)
    mov(r0, r10)
    label(below_8)
    data(2, 0x990D)  # ldr r1, [sp] out
    strb(r0, [r1, 0])
    data(2, 0x9A09)  # ldr r2, [sp] output_channels
    add(r1, r1, r2)
    data(2, 0x910D)  # str r1, [sp] out
    mov(r0, r12)
    ldrb(r4, [r7, 0])
    mov(r3, lr)
    lsl(r2, r3, 16)
    lsr(r2, r2, 16)
    lsr(r3, r3, 16)
    data(2, 0x9E05)  # ldr r6, [sp] output_zero_point
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
    bge(above_9)
    mov(r0, r9)
    label(above_9)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_10)
    mov(r0, r10)
    label(below_10)
    data(2, 0x990D)  # ldr r1, [sp] out
    strb(r0, [r1, 0])
    data(2, 0x9A0C)  # ldr r2, [sp] left
    cmp(r2, 0)
    bne(near_11)
    b(channel_done_4)
    label(near_11)
    data(2, 0x9A09)  # ldr r2, [sp] output_channels
    add(r1, r1, r2)
    data(2, 0x910D)  # str r1, [sp] out
    data(2, 0x9A03)  # ldr r2, [sp] pixel_step
    data(2, 0x4493)  # add r11, r2
    data(2, 0x4493)  # add r11, r2
    b(pixel_2)
    label(single_3)
    mov(r7, r8)
    data(2, 0xCF03)  # ldmia r7!, {r0, r1}
    mov(lr, r1)
    data(2, 0x9900)  # ldr r1, [sp] taps
    add(r7, r7, r1)
    neg(r4, r1)
    data(2, 0x9D01)  # ldr r5, [sp] tap_step
    mov(r6, r11)
    sub(r6, r6, r5)
    data(2, 0x990A)  # ldr r1, [sp] jump
    data(2, 0x448F)  # add pc, r1
    nop()
    label(taps_12)
    data(2, 0x5771)  # ldrsb r1, [r6, r5]
    add(r6, r6, r5)
    data(2, 0x573A)  # ldrsb r2, [r7, r4]
    mul(r1, r2)
    add(r0, r0, r1)
    add(r4, 1)
    data(2, 0x5771)  # ldrsb r1, [r6, r5]
    add(r6, r6, r5)
    data(2, 0x573A)  # ldrsb r2, [r7, r4]
    mul(r1, r2)
    add(r0, r0, r1)
    add(r4, 1)
    data(2, 0x5771)  # ldrsb r1, [r6, r5]
    add(r6, r6, r5)
    data(2, 0x573A)  # ldrsb r2, [r7, r4]
    mul(r1, r2)
    add(r0, r0, r1)
    add(r4, 1)
    data(2, 0x5771)  # ldrsb r1, [r6, r5]
    add(r6, r6, r5)
    data(2, 0x573A)  # ldrsb r2, [r7, r4]
    mul(r1, r2)
    add(r0, r0, r1)
    add(r4, 1)
    bne(taps_12)
    ldrb(r4, [r7, 0])
    mov(r3, lr)
    lsl(r2, r3, 16)
    lsr(r2, r2, 16)
    lsr(r3, r3, 16)
    data(2, 0x9E05)  # ldr r6, [sp] output_zero_point
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
    bge(above_13)
    mov(r0, r9)
    label(above_13)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_14)
    mov(r0, r10)
    label(below_14)
    data(2, 0x990D)  # ldr r1, [sp] out
    strb(r0, [r1, 0])
    label(channel_done_4)
    data(2, 0x9904)  # ldr r1, [sp] channel_bytes
    data(2, 0x4488)  # add r8, r1
    data(2, 0x9908)  # ldr r1, [sp] channels
    sub(r1, 1)
    data(2, 0x9108)  # str r1, [sp] channels
    beq(near_15)
    b(channel_1)
    label(near_15)
    data(2, 0xB00E)  # add sp, #56
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
