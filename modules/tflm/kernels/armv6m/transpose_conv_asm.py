# tflm: TRANSPOSE_CONV, int8: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/transpose_conv.py: change that, not this.

import micropython


# The same as dot() of matrix_asm.py for some cells of a filter, one after the other: in each the
# rows lie as far apart as the first of six words behind the sums says. The others are: cells in a
# line, bytes from each back to the next one; lines, bytes from the first cell of each back to that
# of the next one, and bytes from the first vector of a line to that of the next one. Vectors in a
# line lie one behind the other.
@micropython.asm_thumb
def sums_of_cells(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB088)  # sub sp, #32
    data(2, 0x9200)  # str r2, [sp] sums
    lsl(r4, r3, 16)
    lsr(r4, r4, 25)
    data(2, 0x9401)  # str r4, [sp] rows
    lsl(r4, r4, 2)
    add(r4, r4, r2)
    data(2, 0x9402)  # str r4, [sp] words
    ldr(r5, [r4, 0])
    mov(lr, r5)
    ldr(r5, [r4, 12])
    data(2, 0x9507)  # str r5, [sp] lines
    lsl(r4, r3, 23)
    lsr(r4, r4, 23)
    mov(r2, 255)
    add(r2, 1)
    sub(r2, r2, r4)
    mov(r8, r2)
    lsr(r3, r3, 16)
    mov(r11, r3)
    add(r0, r0, r3)
    data(2, 0x9005)  # str r0, [sp] line
    add(r1, r1, r3)
    data(2, 0x9106)  # str r1, [sp] vector
    neg(r1, r3)
    mov(r2, 3)
    and_(r1, r2)
    mov(r2, 18)
    mul(r1, r2)
    mov(r12, r1)
    label(line_1)
    data(2, 0x9C02)  # ldr r4, [sp] words
    ldr(r1, [r4, 4])
    data(2, 0x9104)  # str r1, [sp] cells
    data(2, 0x9E06)  # ldr r6, [sp] vector
    data(2, 0x9D05)  # ldr r5, [sp] line
    label(cell_2)
    data(2, 0x9503)  # str r5, [sp] cell
    data(2, 0x9900)  # ldr r1, [sp] sums
    mov(r9, r1)
    data(2, 0x9901)  # ldr r1, [sp] rows
    mov(r10, r1)
    label(pair_5)
    mov(r1, r9)
    mov(r7, r5)
    ldr(r0, [r1, 0])
    mov(r4, r10)
    cmp(r4, 1)
    beq(single_6)
    ldr(r3, [r1, 4])
    data(2, 0x4477)  # add r7, lr
    label(single_6)
    mov(r4, r11)
    neg(r4, r4)
    mov(r1, r12)
    data(2, 0x448F)  # add pc, r1
    nop()
    label(taps_7)
    data(2, 0x5732)  # ldrsb r2, [r6, r4]
    data(2, 0x4442)  # add r2, r8
    data(2, 0x5729)  # ldrsb r1, [r5, r4]
    mul(r1, r2)
    add(r0, r0, r1)
    data(2, 0x5739)  # ldrsb r1, [r7, r4]
    mul(r1, r2)
    add(r3, r3, r1)
    add(r4, 1)
    data(2, 0x5732)  # ldrsb r2, [r6, r4]
    data(2, 0x4442)  # add r2, r8
    data(2, 0x5729)  # ldrsb r1, [r5, r4]
    mul(r1, r2)
    add(r0, r0, r1)
    data(2, 0x5739)  # ldrsb r1, [r7, r4]
    mul(r1, r2)
    add(r3, r3, r1)
    add(r4, 1)
    data(2, 0x5732)  # ldrsb r2, [r6, r4]
    data(2, 0x4442)  # add r2, r8
    data(2, 0x5729)  # ldrsb r1, [r5, r4]
    mul(r1, r2)
    add(r0, r0, r1)
    data(2, 0x5739)  # ldrsb r1, [r7, r4]
    mul(r1, r2)
    add(r3, r3, r1)
    add(r4, 1)
    data(2, 0x5732)  # ldrsb r2, [r6, r4]
    data(2, 0x4442)  # add r2, r8
    data(2, 0x5729)  # ldrsb r1, [r5, r4]
    mul(r1, r2)
    add(r0, r0, r1)
    data(2, 0x5739)  # ldrsb r1, [r7, r4]
    mul(r1, r2)
    add(r3, r3, r1)
    add(r4, 1)
    bne(taps_7)
    mov(r1, r9)
    mov(r4, r10)
    sub(r4, 1)
    beq(last_8)
    data(2, 0xC109)  # stmia r1!, {r0, r3}
    mov(r9, r1)
    sub(r4, 1)
    beq(done_9)
    mov(r10, r4)
    mov(r5, r7)
    data(2, 0x4475)  # add r5, lr
    b(pair_5)
    label(last_8)
    str(r0, [r1, 0])
    label(done_9)
    data(2, 0x9904)  # ldr r1, [sp] cells
    sub(r1, 1)
    beq(next_line_3)
    data(2, 0x9104)  # str r1, [sp] cells
    data(2, 0x9C02)  # ldr r4, [sp] words
    ldr(r1, [r4, 8])
    data(2, 0x9D03)  # ldr r5, [sp] cell
    sub(r5, r5, r1)
    data(2, 0x445E)  # add r6, r11
    b(cell_2)
    label(next_line_3)
    data(2, 0x9907)  # ldr r1, [sp] lines
    sub(r1, 1)
    beq(all_done_4)
    data(2, 0x9107)  # str r1, [sp] lines
    data(2, 0x9C02)  # ldr r4, [sp] words
    ldr(r1, [r4, 16])
    data(2, 0x9D05)  # ldr r5, [sp] line
    sub(r5, r5, r1)
    data(2, 0x9505)  # str r5, [sp] line
    ldr(r1, [r4, 20])
    data(2, 0x9E06)  # ldr r6, [sp] vector
    add(r6, r6, r1)
    data(2, 0x9606)  # str r6, [sp] vector
    b(line_1)
    label(all_done_4)
    data(2, 0xB008)  # add sp, #32
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Makes int8 at `r1` of the words at `r0`, as store_int8() of requantize.py: `r2` is the address of
# the REQUANTIZE block, with a multiplier for each channel and no shifts to the left, `r3` how many
# words there are, | the channel of the first one << 7.
@micropython.asm_thumb
def store_sums(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    mov(r5, r0)
    mov(r7, r1)
    lsr(r4, r3, 7)
    lsl(r3, r3, 25)
    lsr(r3, r3, 25)
    mov(r10, r3)
    ldr(r1, [r2, 0])
    mov(r11, r1)
    ldr(r3, [r2, 4])
    sub(r3, r3, r1)
    mov(r12, r3)
    ldr(r3, [r2, 8])
    sub(r3, r3, r1)
    mov(lr, r3)
    ldr(r3, [r2, 16])
    add(r2, 20)
    lsl(r3, r3, 2)
    add(r3, r3, r2)
    add(r3, r3, r4)
    mov(r9, r3)
    lsl(r4, r4, 2)
    add(r4, r4, r2)
    mov(r8, r4)
    label(value_1)
    data(2, 0xCD01)  # ldmia r5!, {r0}
    mov(r1, r8)
    data(2, 0xC904)  # ldmia r1!, {r2}
    mov(r8, r1)
    mov(r1, r9)
    ldrb(r6, [r1, 0])
    add(r1, 1)
    mov(r9, r1)
    mov(r1, 32)
    sub(r6, r1, r6)
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
    data(2, 0x4560)  # cmp r0, r12
    bge(above_2)
    mov(r0, r12)
    label(above_2)
    data(2, 0x4570)  # cmp r0, lr
    ble(below_3)
    mov(r0, lr)
    label(below_3)
    data(2, 0x4458)  # add r0, r11
    strb(r0, [r7, 0])
    add(r7, 1)
    mov(r1, r10)
    sub(r1, 1)
    mov(r10, r1)
    bne(value_1)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
