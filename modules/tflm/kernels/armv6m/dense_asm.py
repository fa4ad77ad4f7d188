# tflm: CONV_2D and FULLY_CONNECTED, int8, weights used once: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/dense.py: change that, not this.

import micropython


# Groups of four channels, each the sum of all inputs times its weights, which are used once. `r0`
# is the address of a block of parameters (DENSE_GROUPS in tools/asm/common/parameters.py), `r1`
# that of the record (DENSE in prepare/dense.py).
@micropython.asm_thumb
def dense(r0, r1):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB085)  # sub sp, #20
    ldr(r2, [r0, 0])
    mov(lr, r2)
    mov(r8, r2)
    ldr(r3, [r1, 20])
    add(r2, r2, r3)
    mov(r12, r2)
    ldr(r2, [r0, 8])
    mov(r11, r2)
    ldr(r2, [r0, 12])
    data(2, 0x9201)  # str r2, [sp] channels
    ldr(r2, [r1, 32])
    mov(r9, r2)
    ldr(r2, [r1, 36])
    mov(r10, r2)
    ldr(r2, [r1, 28])
    data(2, 0x9203)  # str r2, [sp] zero_point
    ldr(r2, [r0, 4])
    add(r0, 16)
    data(2, 0x9002)  # str r0, [sp] sums
    data(2, 0x9204)  # str r2, [sp] stream
    mov(r6, r8)
    mov(r7, r12)
    mov(r0, 0)
    label(surplus_4)
    data(2, 0xCE10)  # ldmia r6!, {r4}
    lsl(r5, r4, 24)
    asr(r5, r5, 24)
    add(r0, r0, r5)
    lsl(r5, r4, 16)
    asr(r5, r5, 24)
    add(r0, r0, r5)
    lsl(r5, r4, 8)
    asr(r5, r5, 24)
    add(r0, r0, r5)
    asr(r5, r4, 24)
    add(r0, r0, r5)
    cmp(r6, r7)
    bne(surplus_4)
    lsl(r0, r0, 7)
    data(2, 0x9000)  # str r0, [sp] surplus
    data(2, 0x9F04)  # ldr r7, [sp] stream
    label(group_1)
    data(2, 0xCF0F)  # ldmia r7!, {r0, r1, r2, r3}
    data(2, 0x9C00)  # ldr r4, [sp] surplus
    sub(r0, r0, r4)
    sub(r1, r1, r4)
    sub(r2, r2, r4)
    sub(r3, r3, r4)
    mov(r8, lr)
    label(quad_5)
    mov(r6, r8)
    data(2, 0xCE10)  # ldmia r6!, {r4}
    mov(r8, r6)
    lsl(r5, r4, 24)
    asr(r5, r5, 24)
    ldrb(r6, [r7, 0])
    mul(r6, r5)
    add(r0, r0, r6)
    ldrb(r6, [r7, 1])
    mul(r6, r5)
    add(r1, r1, r6)
    ldrb(r6, [r7, 2])
    mul(r6, r5)
    add(r2, r2, r6)
    ldrb(r6, [r7, 3])
    mul(r6, r5)
    add(r3, r3, r6)
    lsl(r5, r4, 16)
    asr(r5, r5, 24)
    ldrb(r6, [r7, 4])
    mul(r6, r5)
    add(r0, r0, r6)
    ldrb(r6, [r7, 5])
    mul(r6, r5)
    add(r1, r1, r6)
    ldrb(r6, [r7, 6])
    mul(r6, r5)
    add(r2, r2, r6)
    ldrb(r6, [r7, 7])
    mul(r6, r5)
    add(r3, r3, r6)
    lsl(r5, r4, 8)
    asr(r5, r5, 24)
    ldrb(r6, [r7, 8])
    mul(r6, r5)
    add(r0, r0, r6)
    ldrb(r6, [r7, 9])
    mul(r6, r5)
    add(r1, r1, r6)
    ldrb(r6, [r7, 10])
    mul(r6, r5)
    add(r2, r2, r6)
    ldrb(r6, [r7, 11])
    mul(r6, r5)
    add(r3, r3, r6)
    asr(r5, r4, 24)
    ldrb(r6, [r7, 12])
    mul(r6, r5)
    add(r0, r0, r6)
    ldrb(r6, [r7, 13])
    mul(r6, r5)
    add(r1, r1, r6)
    ldrb(r6, [r7, 14])
    mul(r6, r5)
    add(r2, r2, r6)
    ldrb(r6, [r7, 15])
    mul(r6, r5)
    add(r3, r3, r6)
    add(r7, 16)
    data(2, 0x45E0)  # cmp r8, r12
    bne(quad_5)
    data(2, 0x9C02)  # ldr r4, [sp] sums
    mov(r8, r4)
    data(2, 0xC40F)  # stmia r4!, {r0, r1, r2, r3}
    label(output_2)
    mov(r1, r8)
    data(2, 0xC901)  # ldmia r1!, {r0}
    mov(r8, r1)
    data(2, 0x9E03)  # ldr r6, [sp] zero_point
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
    bge(above_6)
    mov(r0, r9)
    label(above_6)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_7)
    mov(r0, r10)
    label(below_7)
    mov(r1, r11)
    strb(r0, [r1, 0])
    add(r1, 1)
    mov(r11, r1)
    data(2, 0x9901)  # ldr r1, [sp] channels
    sub(r1, 1)
    beq(done_3)
    data(2, 0x9101)  # str r1, [sp] channels
    data(2, 0x9A02)  # ldr r2, [sp] sums
    add(r2, 16)
    data(2, 0x4590)  # cmp r8, r2
    bne(output_2)
    b(group_1)
    label(done_3)
    data(2, 0xB005)  # add sp, #20
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
