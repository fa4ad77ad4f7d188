# tflm: ADD, int8: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/elementwise.py: change that, not this.

import micropython


# A run of a sum of int8. `r0` is the address of a block of parameters (ADD in
# tools/asm/common/parameters.py).
@micropython.asm_thumb
def add_run(r0):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB082)  # sub sp, #8
    ldr(r1, [r0, 0])
    mov(r8, r1)
    ldr(r1, [r0, 4])
    mov(r11, r1)
    ldr(r1, [r0, 8])
    mov(r12, r1)
    ldr(r1, [r0, 20])
    mov(lr, r1)
    ldr(r1, [r0, 28])
    mov(r9, r1)
    ldr(r1, [r0, 32])
    mov(r10, r1)
    ldr(r1, [r0, 16])
    data(2, 0x9100)  # str r1, [sp] lookup
    ldr(r6, [r0, 24])
    ldr(r7, [r0, 12])
    neg(r7, r7)
    add(r0, 36)
    data(2, 0x9001)  # str r0, [sp] multiplier
    label(element_1)
    mov(r1, r8)
    data(2, 0x57C8)  # ldrsb r0, [r1, r7]
    mov(r1, lr)
    mul(r0, r1)
    mov(r1, r11)
    data(2, 0x5DC9)  # ldrb r1, [r1, r7]
    lsl(r1, r1, 2)
    data(2, 0x9A00)  # ldr r2, [sp] lookup
    data(2, 0x5851)  # ldr r1, [r2, r1]
    add(r0, r0, r1)
    data(2, 0x9901)  # ldr r1, [sp] multiplier
    data(2, 0xC91C)  # ldmia r1!, {r2, r3, r4}
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
    bge(above_2)
    mov(r0, r9)
    label(above_2)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_3)
    mov(r0, r10)
    label(below_3)
    mov(r1, r12)
    data(2, 0x55C8)  # strb r0, [r1, r7]
    add(r7, 1)
    bne(element_1)
    data(2, 0xB002)  # add sp, #8
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
