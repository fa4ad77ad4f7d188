# tflm: SignalFilterBankSquareRoot: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/square_root.py: change that, not this.

import micropython


# Square roots of `r2` numbers of 64 bits at `r0`, rounded to nearest and then shifted right by
# `r3`, to words at `r1`.
@micropython.asm_thumb
def square_root(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB083)  # sub sp, #12
    mov(r8, r0)
    mov(r9, r1)
    mov(r10, r2)
    mov(r11, r3)
    mov(r7, 1)
    lsl(r7, r7, 30)
    label(number_1)
    mov(r5, 0)
    mov(r6, 0)
    mov(r0, 2)
    mvn(r3, r5)
    mov(r1, r8)
    data(2, 0xC914)  # ldmia r1!, {r2, r4}
    mov(r8, r1)
    cmp(r4, 0)
    bne(wide_2)
    lsr(r3, r3, 16)
    mov(r0, 1)
    mov(r4, r2)
    cmp(r4, 0)
    beq(rounded_4)
    label(wide_2)
    data(2, 0x9201)  # str r2, [sp] low
    data(2, 0x9302)  # str r3, [sp] full
    data(2, 0x9000)  # str r0, [sp] words
    mov(r0, 16)
    label(skip_6)
    lsr(r1, r4, 24)
    bne(begin_7)
    lsl(r4, r4, 8)
    sub(r0, 4)
    b(skip_6)
    label(begin_7)
    label(word_3)
    label(step_8)
    mov(r1, r4)
    mov(r2, r5)
    sub(r4, r4, r7)
    sbc(r5, r6)
    bcs(taken_9)
    mov(r4, r1)
    mov(r5, r2)
    label(taken_9)
    adc(r6, r6)
    lsl(r4, r4, 1)
    adc(r5, r5)
    lsl(r4, r4, 1)
    adc(r5, r5)
    sbc(r3, r3)
    sub(r0, 1)
    bne(step_8)
    data(2, 0x9900)  # ldr r1, [sp] words
    sub(r1, 1)
    beq(root_5)
    data(2, 0x9100)  # str r1, [sp] words
    data(2, 0x9C01)  # ldr r4, [sp] low
    mov(r0, 16)
    b(word_3)
    label(root_5)
    cmp(r3, 0)
    beq(up_10)
    cmp(r5, r6)
    bls(rounded_11)
    label(up_10)
    data(2, 0x9902)  # ldr r1, [sp] full
    cmp(r6, r1)
    beq(rounded_11)
    add(r6, 1)
    label(rounded_11)
    label(rounded_4)
    mov(r2, r11)
    lsr(r6, r2)
    mov(r1, r9)
    data(2, 0xC140)  # stmia r1!, {r6}
    mov(r9, r1)
    mov(r1, r10)
    sub(r1, 1)
    mov(r10, r1)
    beq(near_12)
    b(number_1)
    label(near_12)
    data(2, 0xB003)  # add sp, #12
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
