# tflm: CONV_2D and FULLY_CONNECTED, int8, weights used once: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/dense.py: change that, not this.

import micropython


# Groups of four channels, each the sum of all inputs times its weights, which are used once. `r0`
# is the address of the record (DENSE in prepare/dense.py), `r1` of the arena, `r2` of the model;
# `r3` is the first group, and 16384 times the group behind the last.
@micropython.asm_thumb
def dense(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB088)  # sub sp, #32
    ldr(r7, [r0, 20])
    ldr(r4, [r0, 4])
    lsr(r5, r4, 2)
    mov(r6, r1)
    lsr(r4, r4, 1)
    bcc(in_arena_4)
    mov(r6, r2)
    label(in_arena_4)
    add(r5, r5, r6)
    data(2, 0x9500)  # str r5, [sp] source
    add(r5, r5, r7)
    mov(lr, r5)
    ldr(r4, [r0, 8])
    lsr(r5, r4, 2)
    mov(r6, r1)
    lsr(r4, r4, 1)
    bcc(in_arena_5)
    mov(r6, r2)
    label(in_arena_5)
    add(r5, r5, r6)
    lsl(r6, r3, 18)
    lsr(r6, r6, 18)
    lsl(r4, r7, 2)
    add(r4, 36)
    mul(r4, r6)
    add(r5, r5, r4)
    lsl(r2, r6, 2)
    ldr(r4, [r0, 24])
    mul(r4, r7)
    lsr(r4, r4, 11)
    beq(as_it_is_6)
    lsr(r4, r5, 24)
    cmp(r4, 16)
    bne(as_it_is_6)
    mov(r4, 16)
    ldr(r4, [r4, 0])
    lsl(r4, r4, 8)
    mov(r6, 1)
    lsl(r6, r6, 8)
    add(r6, 117)
    lsl(r6, r6, 8)
    add(r6, 77)
    lsl(r6, r6, 8)
    cmp(r4, r6)
    bne(as_it_is_6)
    mov(r4, 1)
    lsl(r4, r4, 24)
    add(r5, r5, r4)
    label(as_it_is_6)
    mov(r7, r5)
    ldr(r4, [r0, 12])
    lsr(r4, r4, 2)
    add(r4, r4, r1)
    add(r4, r4, r2)
    data(2, 0x9402)  # str r4, [sp] output
    ldr(r4, [r0, 16])
    lsr(r4, r4, 2)
    add(r4, r4, r1)
    data(2, 0x9403)  # str r4, [sp] sums
    lsr(r3, r3, 14)
    lsl(r3, r3, 2)
    ldr(r4, [r0, 24])
    cmp(r4, r3)
    ble(within_7)
    mov(r4, r3)
    label(within_7)
    sub(r4, r4, r2)
    data(2, 0x9401)  # str r4, [sp] channels
    ldr(r4, [r0, 32])
    data(2, 0x9405)  # str r4, [sp] low
    ldr(r4, [r0, 36])
    data(2, 0x9406)  # str r4, [sp] high
    ldr(r4, [r0, 28])
    data(2, 0x9404)  # str r4, [sp] zero_point
    label(group_1)
    data(2, 0xCF0F)  # ldmia r7!, {r0, r1, r2, r3}
    lsl(r4, r3, 8)
    add(r2, r2, r4)
    lsl(r4, r2, 8)
    add(r1, r1, r4)
    lsl(r4, r1, 8)
    add(r0, r0, r4)
    mov(r8, r0)
    mov(r9, r1)
    mov(r10, r2)
    mov(r11, r3)
    mov(r0, 0)
    mov(r12, r0)
    data(2, 0x9B00)  # ldr r3, [sp] source
    label(quad_8)
    data(2, 0xCB20)  # ldmia r3!, {r5}
    data(2, 0xB26C)  # sxtb r4, r5
    data(2, 0xCF06)  # ldmia r7!, {r1, r2}
    data(2, 0x44A4)  # add r12, r4
    lsr(r0, r1, 24)
    mul(r0, r4)
    data(2, 0x4483)  # add r11, r0
    lsr(r0, r1, 16)
    mul(r0, r4)
    data(2, 0x4482)  # add r10, r0
    lsr(r0, r1, 8)
    mul(r0, r4)
    data(2, 0x4481)  # add r9, r0
    mul(r1, r4)
    data(2, 0x4488)  # add r8, r1
    asr(r5, r5, 8)
    data(2, 0xB26C)  # sxtb r4, r5
    data(2, 0x44A4)  # add r12, r4
    lsr(r0, r2, 24)
    mul(r0, r4)
    data(2, 0x4483)  # add r11, r0
    lsr(r0, r2, 16)
    mul(r0, r4)
    data(2, 0x4482)  # add r10, r0
    lsr(r0, r2, 8)
    mul(r0, r4)
    data(2, 0x4481)  # add r9, r0
    mul(r2, r4)
    data(2, 0x4490)  # add r8, r2
    asr(r5, r5, 8)
    data(2, 0xB26C)  # sxtb r4, r5
    data(2, 0xCF06)  # ldmia r7!, {r1, r2}
    data(2, 0x44A4)  # add r12, r4
    lsr(r0, r1, 24)
    mul(r0, r4)
    data(2, 0x4483)  # add r11, r0
    lsr(r0, r1, 16)
    mul(r0, r4)
    data(2, 0x4482)  # add r10, r0
    lsr(r0, r1, 8)
    mul(r0, r4)
    data(2, 0x4481)  # add r9, r0
    mul(r1, r4)
    data(2, 0x4488)  # add r8, r1
    asr(r4, r5, 8)
    data(2, 0x44A4)  # add r12, r4
    lsr(r0, r2, 24)
    mul(r0, r4)
    data(2, 0x4483)  # add r11, r0
    lsr(r0, r2, 16)
    mul(r0, r4)
    data(2, 0x4482)  # add r10, r0
    lsr(r0, r2, 8)
    mul(r0, r4)
    data(2, 0x4481)  # add r9, r0
    mul(r2, r4)
    data(2, 0x4490)  # add r8, r2
    data(2, 0x4573)  # cmp r3, lr
    bne(quad_8)
    mov(r0, r8)
    mov(r1, r9)
    mov(r2, r10)
    mov(r3, r11)
    mov(r4, r12)
    lsl(r4, r4, 7)
    lsl(r5, r1, 8)
    sub(r0, r0, r5)
    sub(r0, r0, r4)
    lsl(r5, r2, 8)
    sub(r1, r1, r5)
    sub(r1, r1, r4)
    lsl(r5, r3, 8)
    sub(r2, r2, r5)
    sub(r2, r2, r4)
    sub(r3, r3, r4)
    data(2, 0x9C03)  # ldr r4, [sp] sums
    mov(r8, r4)
    data(2, 0xC40F)  # stmia r4!, {r0, r1, r2, r3}
    data(2, 0x9805)  # ldr r0, [sp] low
    mov(r9, r0)
    data(2, 0x9806)  # ldr r0, [sp] high
    mov(r10, r0)
    data(2, 0x9802)  # ldr r0, [sp] output
    mov(r11, r0)
    ldr(r4, [r7, 16])
    data(2, 0x9407)  # str r4, [sp] shifts
    label(output_2)
    mov(r1, r8)
    data(2, 0xC901)  # ldmia r1!, {r0}
    mov(r8, r1)
    data(2, 0x9E04)  # ldr r6, [sp] zero_point
    data(2, 0x9C07)  # ldr r4, [sp] shifts
    lsr(r5, r4, 8)
    data(2, 0x9507)  # str r5, [sp] shifts
    data(2, 0xCF08)  # ldmia r7!, {r3}
    lsl(r2, r3, 16)
    lsr(r2, r2, 16)
    lsr(r3, r3, 16)
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
    mov(r1, r11)
    strb(r0, [r1, 0])
    add(r1, 1)
    mov(r11, r1)
    data(2, 0x9A01)  # ldr r2, [sp] channels
    sub(r2, 1)
    beq(done_3)
    data(2, 0x9201)  # str r2, [sp] channels
    data(2, 0x9A03)  # ldr r2, [sp] sums
    add(r2, 16)
    data(2, 0x4590)  # cmp r8, r2
    bne(output_2)
    data(2, 0x9102)  # str r1, [sp] output
    add(r7, 4)
    b(group_1)
    label(done_3)
    data(2, 0xB008)  # add sp, #32
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
