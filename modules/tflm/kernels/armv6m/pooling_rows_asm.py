# tflm: pools over a whole picture that comes some rows at a time, int8: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/elementwise.py: change that, not this.

import micropython


# Sums of some cells, for each channel. `r0`: address of the first cell, `r1`: of the first
# channel's int32, of bytes whose top bit is flipped; `r2`: cells, `r3`: channels.
@micropython.asm_thumb
def add_cells(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    mov(r4, r1)
    mov(r9, r2)
    lsl(r5, r2, 7)
    mov(r6, r3)
    mov(r7, r3)
    sub(r0, r0, r7)
    mov(r8, r0)
    label(channel_1)
    mov(r0, r8)
    ldr(r1, [r4, 0])
    mov(r3, r9)
    lsr(r3, r3, 1)
    bcc(even_2)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r1, r1, r2)
    add(r0, r0, r7)
    cmp(r3, 0)
    label(even_2)
    beq(done_4)
    label(pair_3)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r1, r1, r2)
    add(r0, r0, r7)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r1, r1, r2)
    add(r0, r0, r7)
    sub(r3, 1)
    bne(pair_3)
    label(done_4)
    add(r1, r1, r5)
    data(2, 0xC402)  # stmia r4!, {r1}
    mov(r2, 1)
    data(2, 0x4490)  # add r8, r2
    sub(r6, 1)
    bne(channel_1)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Maxima of some cells, for each channel. `r0`: address of the first cell, `r1`: of the first
# channel's int32, of bytes whose top bit is flipped; `r2`: cells, `r3`: channels.
@micropython.asm_thumb
def largest_of_cells(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    mov(r4, r1)
    mov(r9, r2)
    lsl(r5, r2, 7)
    mov(r6, r3)
    mov(r7, r3)
    sub(r0, r0, r7)
    mov(r8, r0)
    label(channel_1)
    mov(r0, r8)
    ldr(r1, [r4, 0])
    sub(r1, 128)
    mov(r3, r9)
    lsr(r3, r3, 1)
    bcc(even_2)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r0, r0, r7)
    cmp(r2, r1)
    ble(smaller_5)
    mov(r1, r2)
    label(smaller_5)
    cmp(r3, 0)
    label(even_2)
    beq(done_4)
    label(pair_3)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r0, r0, r7)
    cmp(r2, r1)
    ble(smaller_6)
    mov(r1, r2)
    label(smaller_6)
    data(2, 0x57C2)  # ldrsb r2, [r0, r7]
    add(r0, r0, r7)
    cmp(r2, r1)
    ble(smaller_7)
    mov(r1, r2)
    label(smaller_7)
    sub(r3, 1)
    bne(pair_3)
    label(done_4)
    add(r1, 128)
    data(2, 0xC402)  # stmia r4!, {r1}
    mov(r2, 1)
    data(2, 0x4490)  # add r8, r2
    sub(r6, 1)
    bne(channel_1)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
