# tflm: rows of int8 weights, as they are in the model: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/matrix.py: change that, not this.

import micropython


# Adds to the words at `r2` the products of rows of int8 (weights, at `r0`) with a vector of int8
# (at `r1`) less its zero point. `r3` is the length of a row << 16 | how many rows there are << 9 |
# the zero point + 256.
@micropython.asm_thumb
def dot(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    mov(r9, r2)
    lsl(r4, r3, 16)
    lsr(r4, r4, 25)
    mov(r10, r4)
    lsl(r4, r3, 23)
    lsr(r4, r4, 23)
    mov(r2, 255)
    add(r2, 1)
    sub(r2, r2, r4)
    mov(r8, r2)
    lsr(r3, r3, 16)
    mov(r11, r3)
    add(r1, r1, r3)
    mov(r6, r1)
    add(r0, r0, r3)
    mov(r5, r0)
    neg(r1, r3)
    mov(r2, 3)
    and_(r1, r2)
    mov(r2, 18)
    mul(r1, r2)
    mov(r12, r1)
    label(pair_1)
    mov(r1, r9)
    mov(r7, r5)
    ldr(r0, [r1, 0])
    mov(r4, r10)
    cmp(r4, 1)
    beq(single_2)
    ldr(r3, [r1, 4])
    data(2, 0x445F)  # add r7, r11
    label(single_2)
    mov(r4, r11)
    neg(r4, r4)
    mov(r1, r12)
    data(2, 0x448F)  # add pc, r1
    nop()
    label(taps_3)
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
    bne(taps_3)
    mov(r1, r9)
    mov(r4, r10)
    sub(r4, 1)
    beq(last_4)
    data(2, 0xC109)  # stmia r1!, {r0, r3}
    mov(r9, r1)
    sub(r4, 1)
    beq(done_5)
    mov(r10, r4)
    mov(r5, r7)
    data(2, 0x445D)  # add r5, r11
    b(pair_1)
    label(last_4)
    str(r0, [r1, 0])
    label(done_5)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
