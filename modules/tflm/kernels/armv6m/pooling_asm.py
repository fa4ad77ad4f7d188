# tflm: AVERAGE_POOL_2D and MAX_POOL_2D, int8: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/elementwise.py: change that, not this.

import micropython


# Averages of a window, for each channel. `r0`: address of the first cell, `r1`: of the output,
# `r2`: of the record of pooling.py; `r3`: (lines - 1) * 32768 + cells of a line - 1.
@micropython.asm_thumb
def average(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB083)  # sub sp, #12
    mov(r11, r1)
    ldr(r4, [r2, 60])
    mov(r9, r4)
    ldr(r4, [r2, 64])
    mov(r10, r4)
    ldr(r7, [r2, 24])
    mov(lr, r7)
    lsr(r5, r3, 15)
    add(r5, 1)
    data(2, 0x9502)  # str r5, [sp] lines
    lsl(r3, r3, 17)
    lsr(r3, r3, 17)
    add(r3, 1)
    data(2, 0x9300)  # str r3, [sp] run
    mul(r5, r3)
    mov(r12, r5)
    ldr(r4, [r2, 20])
    sub(r4, r4, r3)
    mul(r4, r7)
    data(2, 0x9401)  # str r4, [sp] skip
    sub(r0, r0, r7)
    mov(r8, r0)
    label(channel_1)
    mov(r0, r8)
    mov(r1, 0)
    data(2, 0x9E02)  # ldr r6, [sp] lines
    label(line_2)
    data(2, 0x9B00)  # ldr r3, [sp] run
    lsr(r3, r3, 1)
    bcc(even_3)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r1, r1, r2)
    add(r0, r0, r7)
    cmp(r3, 0)
    label(even_3)
    beq(next_line_5)
    label(pair_4)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r1, r1, r2)
    add(r0, r0, r7)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r1, r1, r2)
    add(r0, r0, r7)
    sub(r3, 1)
    bne(pair_4)
    label(next_line_5)
    data(2, 0x9A01)  # ldr r2, [sp] skip
    add(r0, r0, r2)
    sub(r6, 1)
    bne(line_2)
    mov(r6, r1)
    cmp(r1, 0)
    bge(positive_6)
    neg(r1, r1)
    label(positive_6)
    mov(r4, r12)
    lsr(r5, r4, 1)
    add(r1, r1, r5)
    lsl(r4, r4, 7)
    mov(r0, 0)
    mov(r3, 8)
    label(bit_7)
    lsl(r0, r0, 1)
    cmp(r1, r4)
    bcc(smaller_8)
    sub(r1, r1, r4)
    add(r0, 1)
    label(smaller_8)
    lsr(r4, r4, 1)
    sub(r3, 1)
    bne(bit_7)
    cmp(r6, 0)
    bge(signed_9)
    neg(r0, r0)
    label(signed_9)
    data(2, 0x4548)  # cmp r0, r9
    bge(above_10)
    mov(r0, r9)
    label(above_10)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_11)
    mov(r0, r10)
    label(below_11)
    mov(r1, r11)
    strb(r0, [r1, 0])
    # next channel
    mov(r2, 1)
    data(2, 0x4493)  # add r11, r2
    data(2, 0x4490)  # add r8, r2
    mov(r1, lr)
    sub(r1, 1)
    mov(lr, r1)
    beq(near_12)
    b(channel_1)
    label(near_12)
    data(2, 0xB003)  # add sp, #12
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Maxima of a window, for each channel. `r0`: address of the first cell, `r1`: of the output,
# `r2`: of the record of pooling.py; `r3`: (lines - 1) * 32768 + cells of a line - 1.
@micropython.asm_thumb
def maximum(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB083)  # sub sp, #12
    mov(r11, r1)
    ldr(r4, [r2, 60])
    mov(r9, r4)
    ldr(r4, [r2, 64])
    mov(r10, r4)
    ldr(r7, [r2, 24])
    mov(lr, r7)
    lsr(r5, r3, 15)
    add(r5, 1)
    data(2, 0x9502)  # str r5, [sp] lines
    lsl(r3, r3, 17)
    lsr(r3, r3, 17)
    add(r3, 1)
    data(2, 0x9300)  # str r3, [sp] run
    mul(r5, r3)
    mov(r12, r5)
    ldr(r4, [r2, 20])
    sub(r4, r4, r3)
    mul(r4, r7)
    data(2, 0x9401)  # str r4, [sp] skip
    sub(r0, r0, r7)
    mov(r8, r0)
    label(channel_1)
    mov(r0, r8)
    mov(r1, 128)
    neg(r1, r1)
    data(2, 0x9E02)  # ldr r6, [sp] lines
    label(line_2)
    data(2, 0x9B00)  # ldr r3, [sp] run
    lsr(r3, r3, 1)
    bcc(even_3)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r0, r0, r7)
    cmp(r2, r1)
    ble(smaller_6)
    mov(r1, r2)
    label(smaller_6)
    cmp(r3, 0)
    label(even_3)
    beq(next_line_5)
    label(pair_4)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r0, r0, r7)
    cmp(r2, r1)
    ble(smaller_7)
    mov(r1, r2)
    label(smaller_7)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r0, r0, r7)
    cmp(r2, r1)
    ble(smaller_8)
    mov(r1, r2)
    label(smaller_8)
    sub(r3, 1)
    bne(pair_4)
    label(next_line_5)
    data(2, 0x9A01)  # ldr r2, [sp] skip
    add(r0, r0, r2)
    sub(r6, 1)
    bne(line_2)
    mov(r0, r1)
    data(2, 0x4548)  # cmp r0, r9
    bge(above_9)
    mov(r0, r9)
    label(above_9)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_10)
    mov(r0, r10)
    label(below_10)
    mov(r1, r11)
    strb(r0, [r1, 0])
    # next channel
    mov(r2, 1)
    data(2, 0x4493)  # add r11, r2
    data(2, 0x4490)  # add r8, r2
    mov(r1, lr)
    sub(r1, 1)
    mov(lr, r1)
    beq(near_11)
    b(channel_1)
    label(near_11)
    data(2, 0xB003)  # add sp, #12
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
