# tflm: SVDF and LSTM, int8: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/matrix.py: change that, not this.

import micropython


# Multiplies `r2` words at `r1` by a multiplier and 2 ** (a shift - 32), the words at `r0`; those
# of the next value are `r3` bytes further on. Rounded and wrapping around as in fixed_point.py.
@micropython.asm_thumb
def rescale(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    mov(r8, r0)
    mov(r7, r1)
    mov(r10, r2)
    mov(r9, r3)
    label(value_1)
    mov(r1, r8)
    ldr(r2, [r1, 0])
    ldr(r6, [r1, 4])
    data(2, 0x4449)  # add r1, r9
    mov(r8, r1)
    ldr(r0, [r7, 0])
    mov(r3, 0)
    mov(r1, 32)
    sub(r6, r1, r6)
    bge(right_2)
    neg(r3, r6)
    mov(r6, 0)
    label(right_2)
    lsl(r0, r3)
    asr(r3, r2, 16)
    lsl(r2, r2, 16)
    lsr(r2, r2, 16)
    asr(r1, r0, 16)
    lsl(r0, r0, 16)
    lsr(r0, r0, 16)
    mov(r4, r0)
    mul(r4, r3)
    mul(r0, r2)
    lsr(r0, r0, 16)
    mul(r3, r1)
    mul(r1, r2)
    add(r0, r0, r1)
    mov(r1, 1)
    and_(r1, r0)
    and_(r1, r4)
    asr(r4, r4, 1)
    asr(r0, r0, 1)
    add(r0, r0, r4)
    add(r0, r0, r1)
    mov(r1, 32)
    lsl(r1, r1, 8)
    add(r0, r0, r1)
    asr(r0, r0, 14)
    lsl(r3, r3, 1)
    add(r0, r0, r3)
    asr(r1, r0, 31)
    mov(r3, 0)
    add(r0, r0, r1)
    asr(r0, r6)
    adc(r0, r3)
    data(2, 0xC701)  # stmia r7!, {r0}
    mov(r1, r10)
    sub(r1, 1)
    mov(r10, r1)
    beq(near_3)
    b(value_1)
    label(near_3)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Multiplies words at `r1` as rescale() does, all by the multiplier and shift at `r0`, and clamps
# them to int16 at `r2`. `r3` is how many there are, with | 1 << 12 where they are added to what is
# there, which is then clamped to -limit..limit, | limit << 13 (2 ** 15: to int16).
@micropython.asm_thumb
def gate(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    mov(r7, r1)
    mov(r5, r2)
    lsr(r1, r3, 12)
    mov(r12, r1)
    lsl(r3, r3, 20)
    lsr(r3, r3, 20)
    mov(r10, r3)
    ldr(r2, [r0, 0])
    mov(r8, r2)
    ldr(r6, [r0, 4])
    mov(r3, 0)
    mov(r1, 32)
    sub(r6, r1, r6)
    bge(right_5)
    neg(r3, r6)
    mov(r6, 0)
    label(right_5)
    mov(r9, r6)
    mov(r11, r3)
    label(value_1)
    data(2, 0xCF01)  # ldmia r7!, {r0}
    mov(r1, r11)
    lsl(r0, r1)
    mov(r2, r8)
    mov(r6, r9)
    asr(r3, r2, 16)
    lsl(r2, r2, 16)
    lsr(r2, r2, 16)
    asr(r1, r0, 16)
    lsl(r0, r0, 16)
    lsr(r0, r0, 16)
    mov(r4, r0)
    mul(r4, r3)
    mul(r0, r2)
    lsr(r0, r0, 16)
    mul(r3, r1)
    mul(r1, r2)
    add(r0, r0, r1)
    mov(r1, 1)
    and_(r1, r0)
    and_(r1, r4)
    asr(r4, r4, 1)
    asr(r0, r0, 1)
    add(r0, r0, r4)
    add(r0, r0, r1)
    mov(r1, 32)
    lsl(r1, r1, 8)
    add(r0, r0, r1)
    asr(r0, r0, 14)
    lsl(r3, r3, 1)
    add(r0, r0, r3)
    asr(r1, r0, 31)
    mov(r3, 0)
    add(r0, r0, r1)
    asr(r0, r6)
    adc(r0, r3)
    data(2, 0xB201)  # sxth r1, r0
    cmp(r1, r0)
    beq(fits_6)
    mov(r1, 128)
    lsl(r1, r1, 8)
    sub(r1, 1)
    asr(r0, r0, 31)
    eor(r0, r1)
    label(fits_6)
    mov(r1, r12)
    lsr(r1, r1, 1)
    bcc(stored_2)
    ldrh(r2, [r5, 0])
    data(2, 0xB212)  # sxth r2, r2
    add(r0, r0, r2)
    lsr(r2, r1, 15)
    sub(r2, r1, r2)
    neg(r1, r1)
    cmp(r0, r2)
    ble(low_3)
    mov(r0, r2)
    label(low_3)
    cmp(r0, r1)
    bge(stored_2)
    mov(r0, r1)
    label(stored_2)
    strh(r0, [r5, 0])
    add(r5, 2)
    mov(r1, r10)
    sub(r1, 1)
    beq(done_4)
    mov(r10, r1)
    b(value_1)
    label(done_4)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# The products of `r3` int16 at `r1` with those at `r2`, to words at `r0`.
@micropython.asm_thumb
def products(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    label(value_1)
    ldrh(r4, [r1, 0])
    data(2, 0xB224)  # sxth r4, r4
    ldrh(r5, [r2, 0])
    data(2, 0xB22D)  # sxth r5, r5
    mul(r4, r5)
    data(2, 0xC010)  # stmia r0!, {r4}
    add(r1, 2)
    add(r2, 2)
    sub(r3, 1)
    bne(value_1)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Rows of int8 (the state, at `r0`) move one element to the left and get the next of the words
# at `r2` at their end; that word becomes the sum of the row, less the zero point, times the row's
# weights (int8, at `r1`). The zero point is the word behind those at `r2`. `r3` is the length
# of a row << 14 | how many rows there are.
@micropython.asm_thumb
def remember_8(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    mov(r5, r0)
    mov(r6, r1)
    mov(r7, r2)
    lsl(r4, r3, 18)
    lsr(r4, r4, 18)
    mov(r10, r4)
    lsr(r3, r3, 14)
    sub(r3, 1)
    mov(r9, r3)
    lsl(r4, r4, 2)
    data(2, 0x5912)  # ldr r2, [r2, r4]
    neg(r2, r2)
    mov(r8, r2)
    mov(r3, 0)
    label(row_1)
    mov(r2, 0)
    mov(r4, r9)
    cmp(r4, 0)
    beq(last_3)
    label(element_2)
    ldrb(r1, [r5, 1])
    strb(r1, [r5, 0])
    data(2, 0xB249)  # sxtb r1, r1
    data(2, 0x4441)  # add r1, r8
    data(2, 0x56F0)  # ldrsb r0, [r6, r3]
    mul(r1, r0)
    add(r2, r2, r1)
    add(r5, 1)
    add(r6, 1)
    sub(r4, 1)
    bne(element_2)
    label(last_3)
    ldr(r0, [r7, 0])
    data(2, 0xB241)  # sxtb r1, r0
    cmp(r1, r0)
    beq(fits_4)
    mov(r1, 128)
    sub(r1, 1)
    asr(r0, r0, 31)
    eor(r0, r1)
    label(fits_4)
    mov(r1, r8)
    sub(r0, r0, r1)
    strb(r0, [r5, 0])
    data(2, 0xB240)  # sxtb r0, r0
    data(2, 0x4440)  # add r0, r8
    data(2, 0x56F1)  # ldrsb r1, [r6, r3]
    mul(r0, r1)
    add(r2, r2, r0)
    data(2, 0xC704)  # stmia r7!, {r2}
    add(r5, 1)
    add(r6, 1)
    mov(r1, r10)
    sub(r1, 1)
    mov(r10, r1)
    bne(row_1)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Rows of int16 (the state, at `r0`) move one element to the left and get the next of the words
# at `r2` at their end; that word becomes the sum of the row, less the zero point, times the row's
# weights (int16, at `r1`). The zero point is the word behind those at `r2`. `r3` is the length
# of a row << 14 | how many rows there are.
@micropython.asm_thumb
def remember_16(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    mov(r5, r0)
    mov(r6, r1)
    mov(r7, r2)
    lsl(r4, r3, 18)
    lsr(r4, r4, 18)
    mov(r10, r4)
    lsr(r3, r3, 14)
    sub(r3, 1)
    mov(r9, r3)
    lsl(r4, r4, 2)
    data(2, 0x5912)  # ldr r2, [r2, r4]
    neg(r2, r2)
    mov(r8, r2)
    mov(r3, 0)
    label(row_1)
    mov(r2, 0)
    mov(r4, r9)
    cmp(r4, 0)
    beq(last_3)
    label(element_2)
    ldrh(r1, [r5, 2])
    strh(r1, [r5, 0])
    data(2, 0xB209)  # sxth r1, r1
    data(2, 0x4441)  # add r1, r8
    data(2, 0x5EF0)  # ldrsh r0, [r6, r3]
    mul(r1, r0)
    add(r2, r2, r1)
    add(r5, 2)
    add(r6, 2)
    sub(r4, 1)
    bne(element_2)
    label(last_3)
    ldr(r0, [r7, 0])
    data(2, 0xB201)  # sxth r1, r0
    cmp(r1, r0)
    beq(fits_4)
    mov(r1, 128)
    lsl(r1, r1, 8)
    sub(r1, 1)
    asr(r0, r0, 31)
    eor(r0, r1)
    label(fits_4)
    mov(r1, r8)
    sub(r0, r0, r1)
    strh(r0, [r5, 0])
    data(2, 0xB200)  # sxth r0, r0
    data(2, 0x4440)  # add r0, r8
    data(2, 0x5EF1)  # ldrsh r1, [r6, r3]
    mul(r0, r1)
    add(r2, r2, r0)
    data(2, 0xC704)  # stmia r7!, {r2}
    add(r5, 2)
    add(r6, 2)
    mov(r1, r10)
    sub(r1, 1)
    mov(r10, r1)
    bne(row_1)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
