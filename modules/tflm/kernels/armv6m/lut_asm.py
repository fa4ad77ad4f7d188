# tflm: CONV_2D and FULLY_CONNECTED, int8, weights of four bits used once: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/lut.py: change that, not this.

import micropython


# Channels one by one, each the sum of all inputs, which are lanes, times its weights: a byte of
# two indices is the place of a word of lanes in a table. `r0` is the address of a block of
# parameters (DENSE_LUT in tools/asm/common/parameters.py).
@micropython.asm_thumb
def dense_lut(r0):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB08A)  # sub sp, #40
    ldr(r1, [r0, 4])
    data(2, 0x9100)  # str r1, [sp] own_values
    ldr(r1, [r0, 8])
    data(2, 0x9101)  # str r1, [sp] stream
    ldr(r1, [r0, 12])
    data(2, 0x9102)  # str r1, [sp] table
    ldr(r1, [r0, 16])
    data(2, 0x9103)  # str r1, [sp] table_end
    ldr(r1, [r0, 20])
    data(2, 0x9104)  # str r1, [sp] lanes
    ldr(r1, [r0, 24])
    data(2, 0x9105)  # str r1, [sp] lanes_end
    ldr(r1, [r0, 32])
    data(2, 0x9106)  # str r1, [sp] channels
    ldr(r1, [r0, 36])
    data(2, 0x9107)  # str r1, [sp] output_zero_point
    ldr(r1, [r0, 40])
    data(2, 0x9108)  # str r1, [sp] activation_min
    ldr(r1, [r0, 44])
    data(2, 0x9109)  # str r1, [sp] activation_max
    ldr(r1, [r0, 28])
    mov(r11, r1)
    ldr(r1, [r0, 0])
    label(channel_1)
    # r1: values of all channels before the first one, or 0
    data(2, 0x9A00)  # ldr r2, [sp] own_values
    cmp(r2, 0)
    beq(shared_2)
    data(2, 0x9901)  # ldr r1, [sp] stream
    mov(r3, r1)
    add(r3, 16)
    data(2, 0x9301)  # str r3, [sp] stream
    label(shared_2)
    cmp(r1, 0)
    beq(ready_3)
    data(2, 0x9802)  # ldr r0, [sp] table
    data(2, 0x9A03)  # ldr r2, [sp] table_end
    mov(r12, r2)
    mov(r7, r1)
    mov(r3, 0)
    data(2, 0x56CA)  # ldrsb r2, [r1, r3]
    lsl(r2, r2, 16)
    mov(r8, r2)
    label(first_5)
    data(2, 0x56CC)  # ldrsb r4, [r1, r3]
    add(r4, r4, r2)
    data(2, 0xC010)  # stmia r0!, {r4}
    add(r3, 1)
    cmp(r3, 16)
    bne(first_5)
    label(row_6)
    add(r7, 1)
    ldrb(r6, [r7, 0])
    data(2, 0xB276)  # sxtb r6, r6
    lsl(r6, r6, 16)
    mov(r1, r8)
    sub(r6, r6, r1)
    data(2, 0x9902)  # ldr r1, [sp] table
    data(2, 0xC93C)  # ldmia r1!, {r2, r3, r4, r5}
    add(r2, r2, r6)
    add(r3, r3, r6)
    add(r4, r4, r6)
    add(r5, r5, r6)
    data(2, 0xC03C)  # stmia r0!, {r2, r3, r4, r5}
    data(2, 0xC93C)  # ldmia r1!, {r2, r3, r4, r5}
    add(r2, r2, r6)
    add(r3, r3, r6)
    add(r4, r4, r6)
    add(r5, r5, r6)
    data(2, 0xC03C)  # stmia r0!, {r2, r3, r4, r5}
    data(2, 0xC93C)  # ldmia r1!, {r2, r3, r4, r5}
    add(r2, r2, r6)
    add(r3, r3, r6)
    add(r4, r4, r6)
    add(r5, r5, r6)
    data(2, 0xC03C)  # stmia r0!, {r2, r3, r4, r5}
    data(2, 0xC93C)  # ldmia r1!, {r2, r3, r4, r5}
    add(r2, r2, r6)
    add(r3, r3, r6)
    add(r4, r4, r6)
    add(r5, r5, r6)
    data(2, 0xC03C)  # stmia r0!, {r2, r3, r4, r5}
    data(2, 0x4560)  # cmp r0, r12
    bne(row_6)
    label(ready_3)
    data(2, 0x9F01)  # ldr r7, [sp] stream
    data(2, 0x9905)  # ldr r1, [sp] lanes_end
    mov(r12, r1)
    data(2, 0x9802)  # ldr r0, [sp] table
    mov(r1, 255)
    lsl(r1, r1, 2)
    data(2, 0xCF08)  # ldmia r7!, {r3}
    data(2, 0x9E04)  # ldr r6, [sp] lanes
    label(words_4)
    data(2, 0xCF04)  # ldmia r7!, {r2}
    lsl(r4, r2, 2)
    and_(r4, r1)
    data(2, 0x5904)  # ldr r4, [r0, r4]
    data(2, 0xCE20)  # ldmia r6!, {r5}
    mul(r4, r5)
    asr(r4, r4, 16)
    adc(r3, r4)
    lsr(r4, r2, 6)
    and_(r4, r1)
    data(2, 0x5904)  # ldr r4, [r0, r4]
    data(2, 0xCE20)  # ldmia r6!, {r5}
    mul(r4, r5)
    asr(r4, r4, 16)
    adc(r3, r4)
    lsr(r4, r2, 14)
    and_(r4, r1)
    data(2, 0x5904)  # ldr r4, [r0, r4]
    data(2, 0xCE20)  # ldmia r6!, {r5}
    mul(r4, r5)
    asr(r4, r4, 16)
    adc(r3, r4)
    lsr(r4, r2, 22)
    and_(r4, r1)
    data(2, 0x5904)  # ldr r4, [r0, r4]
    data(2, 0xCE20)  # ldmia r6!, {r5}
    mul(r4, r5)
    asr(r4, r4, 16)
    adc(r3, r4)
    data(2, 0x4566)  # cmp r6, r12
    bne(words_4)
    mov(r0, r3)
    data(2, 0x9908)  # ldr r1, [sp] activation_min
    mov(r9, r1)
    data(2, 0x9909)  # ldr r1, [sp] activation_max
    mov(r10, r1)
    data(2, 0x9E07)  # ldr r6, [sp] output_zero_point
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
    bge(above_7)
    mov(r0, r9)
    label(above_7)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_8)
    mov(r0, r10)
    label(below_8)
    data(2, 0x9701)  # str r7, [sp] stream
    mov(r1, r11)
    strb(r0, [r1, 0])
    add(r1, 1)
    mov(r11, r1)
    mov(r1, 0)
    data(2, 0x9A06)  # ldr r2, [sp] channels
    sub(r2, 1)
    data(2, 0x9206)  # str r2, [sp] channels
    beq(near_9)
    b(channel_1)
    label(near_9)
    data(2, 0xB00A)  # add sp, #40
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
