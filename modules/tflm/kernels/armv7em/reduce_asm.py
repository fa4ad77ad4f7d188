# tflm: MEAN and SUM, int8: assembler for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv7em` from
# tools/asm/armv7em/sums.py: change that, not this.

import micropython


# Sums of int8, less what they have too much: `r0` is the address of a record of reduce.eval_int8,
# `r1` that of the first element of the first sum, `r2` that of words for the sums, `r3` says how
# many, which follow each other in the innermost kept dimension.
@micropython.asm_thumb
def sums(r0, r1, r2, r3):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB085)  # sub sp, #20
    ldr(r4, [r0, 36])
    ldr(r5, [r0, 44])
    mul(r4, r5)
    ldr(r5, [r0, 52])
    mul(r4, r5)
    mov(r12, r4)
    lsl(r4, r4, 7)
    ldr(r5, [r0, 64])
    sub(r4, r4, r5)
    data(2, 0x9400)  # str r4, [sp] begin
    mov(r4, r12)
    cmp(r4, 0)
    beq(empty_1)
    ldr(r4, [r0, 52])
    label(empty_1)
    data(2, 0x9401)  # str r4, [sp] all_planes
    label(next_2)
    data(2, 0x9C01)  # ldr r4, [sp] all_planes
    data(2, 0x9404)  # str r4, [sp] planes
    data(2, 0x9103)  # str r1, [sp] plane
    data(2, 0x9C00)  # ldr r4, [sp] begin
    mov(r8, r4)
    mov(r9, r4)
    mov(r10, r4)
    mov(r11, r4)
    mov(r5, 1)
    ldr(r4, [r0, 20])
    cmp(r4, 1)
    bne(one_3)
    cmp(r3, 4)
    bcc(one_3)
    mov(r5, 4)
    label(one_3)
    data(2, 0x9502)  # str r5, [sp] outputs
    label(plane_4)
    data(2, 0x9C04)  # ldr r4, [sp] planes
    sub(r4, 1)
    blt(summed_9)
    data(2, 0x9404)  # str r4, [sp] planes
    data(2, 0x9C03)  # ldr r4, [sp] plane
    mov(r12, r4)
    ldr(r5, [r0, 56])
    add(r4, r4, r5)
    data(2, 0x9403)  # str r4, [sp] plane
    ldr(r4, [r0, 44])
    mov(lr, r4)
    label(row_5)
    mov(r5, r12)
    ldr(r4, [r0, 48])
    data(2, 0x44A4)  # add r12, r4
    ldr(r7, [r0, 36])
    ldr(r4, [r0, 40])
    data(2, 0x9E02)  # ldr r6, [sp] outputs
    cmp(r6, 1)
    beq(single_7)
    label(four_6)
    ldr(r6, [r5, 0])
    add(r5, r5, r4)
    data(2, 0xFA48, 0xF886)  # sxtab r8, r8, r6
    data(2, 0xFA49, 0xF996)  # sxtab r9, r9, r6, ror #8
    data(2, 0xFA4A, 0xFAA6)  # sxtab r10, r10, r6, ror #16
    data(2, 0xFA4B, 0xFBB6)  # sxtab r11, r11, r6, ror #24
    sub(r7, 1)
    bne(four_6)
    b(row_done_8)
    label(single_7)
    ldrb(r6, [r5, 0])
    add(r5, r5, r4)
    data(2, 0xFA48, 0xF886)  # sxtab r8, r8, r6
    sub(r7, 1)
    bne(single_7)
    label(row_done_8)
    mov(r4, lr)
    sub(r4, 1)
    mov(lr, r4)
    bne(row_5)
    b(plane_4)
    label(summed_9)
    data(2, 0x9D02)  # ldr r5, [sp] outputs
    ldr(r4, [r0, 20])
    mul(r4, r5)
    add(r1, r1, r4)
    cmp(r5, 1)
    beq(store_one_10)
    data(2, 0xE8A2, 0x0F00)  # stmia r2!, {r8, r9, r10, r11}
    b(stored_11)
    label(store_one_10)
    data(2, 0xF842, 0x8B04)  # str r8, [r2], #4
    label(stored_11)
    sub(r3, r3, r5)
    bne(next_2)
    data(2, 0xB005)  # add sp, #20
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)
