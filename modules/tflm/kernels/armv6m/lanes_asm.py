# tflm: CONV_2D and FULLY_CONNECTED, int8, in lanes: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/gather.py, multiply.py: change that, not this.

import micropython


# Unpack columns of int8 to lanes. `r0` is the address of a block of parameters (GATHER in
# tools/asm/common/parameters.py). A column is a run of whole, aligned words in each row of the
# filter; it lies in the image, or beside it.
@micropython.asm_thumb
def gather(r0):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB088)  # sub sp, #32
    ldr(r1, [r0, 24])
    data(2, 0x9100)  # str r1, [sp] rows_above
    ldr(r1, [r0, 28])
    data(2, 0x9101)  # str r1, [sp] rows
    ldr(r1, [r0, 32])
    data(2, 0x9102)  # str r1, [sp] rows_below
    ldr(r1, [r0, 16])
    data(2, 0x9103)  # str r1, [sp] run
    ldr(r1, [r0, 20])
    data(2, 0x9104)  # str r1, [sp] row_step
    ldr(r1, [r0, 12])
    data(2, 0x9105)  # str r1, [sp] column_step
    ldr(r1, [r0, 40])
    data(2, 0x9106)  # str r1, [sp] last
    ldr(r1, [r0, 44])
    data(2, 0x9107)  # str r1, [sp] fill
    ldr(r1, [r0, 0])
    mov(r9, r1)
    ldr(r1, [r0, 36])
    mov(r10, r1)
    ldr(r1, [r0, 8])
    mov(r11, r1)
    ldr(r1, [r0, 4])
    mov(r5, 128)
    lsl(r6, r5, 16)
    add(r5, r5, r6)
    lsl(r6, r5, 8)
    add(r6, r6, r5)
    mov(r7, 255)
    lsl(r4, r7, 16)
    add(r7, r7, r4)
    label(column_1)
    data(2, 0x9C00)  # ldr r4, [sp] rows_above
    cmp(r4, 0)
    beq(filled_5)
    data(2, 0x9A03)  # ldr r2, [sp] run
    mul(r4, r2)
    lsl(r4, r4, 1)
    add(r4, r4, r1)
    data(2, 0x9A07)  # ldr r2, [sp] fill
    mov(r3, r2)
    label(fill_6)
    data(2, 0xC10C)  # stmia r1!, {r2, r3}
    cmp(r1, r4)
    bcc(fill_6)
    label(filled_5)
    mov(r3, r10)
    data(2, 0x9A06)  # ldr r2, [sp] last
    cmp(r3, r2)
    bhi(beside_3)
    data(2, 0x9C01)  # ldr r4, [sp] rows
    cmp(r4, 0)
    beq(below_4)
    mov(lr, r4)
    mov(r12, r9)
    label(row_2)
    mov(r0, r12)
    data(2, 0x9B03)  # ldr r3, [sp] run
    add(r2, r0, r3)
    lsl(r4, r3, 29)
    bne(odd_8)
    label(quads_7)
    data(2, 0xC808)  # ldmia r0!, {r3}
    eor(r3, r6)
    lsr(r4, r3, 8)
    and_(r3, r7)
    and_(r4, r7)
    sub(r3, r3, r5)
    sub(r4, r4, r5)
    data(2, 0xC118)  # stmia r1!, {r3, r4}
    label(odd_8)
    data(2, 0xC808)  # ldmia r0!, {r3}
    eor(r3, r6)
    lsr(r4, r3, 8)
    and_(r3, r7)
    and_(r4, r7)
    sub(r3, r3, r5)
    sub(r4, r4, r5)
    data(2, 0xC118)  # stmia r1!, {r3, r4}
    cmp(r0, r2)
    bcc(quads_7)
    data(2, 0x9A04)  # ldr r2, [sp] row_step
    data(2, 0x4494)  # add r12, r2
    mov(r2, lr)
    sub(r2, 1)
    mov(lr, r2)
    bne(row_2)
    b(below_4)
    label(beside_3)
    data(2, 0x9C01)  # ldr r4, [sp] rows
    cmp(r4, 0)
    beq(filled_9)
    data(2, 0x9A03)  # ldr r2, [sp] run
    mul(r4, r2)
    lsl(r4, r4, 1)
    add(r4, r4, r1)
    data(2, 0x9A07)  # ldr r2, [sp] fill
    mov(r3, r2)
    label(fill_10)
    data(2, 0xC10C)  # stmia r1!, {r2, r3}
    cmp(r1, r4)
    bcc(fill_10)
    label(filled_9)
    label(below_4)
    data(2, 0x9C02)  # ldr r4, [sp] rows_below
    cmp(r4, 0)
    beq(filled_11)
    data(2, 0x9A03)  # ldr r2, [sp] run
    mul(r4, r2)
    lsl(r4, r4, 1)
    add(r4, r4, r1)
    data(2, 0x9A07)  # ldr r2, [sp] fill
    mov(r3, r2)
    label(fill_12)
    data(2, 0xC10C)  # stmia r1!, {r2, r3}
    cmp(r1, r4)
    bcc(fill_12)
    label(filled_11)
    data(2, 0x9A05)  # ldr r2, [sp] column_step
    data(2, 0x4491)  # add r9, r2
    data(2, 0x4492)  # add r10, r2
    mov(r2, r11)
    sub(r2, 1)
    mov(r11, r2)
    beq(near_13)
    b(column_1)
    label(near_13)
    data(2, 0xB008)  # add sp, #32
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# The same for columns of any width and place: their bytes are brought together in spare memory,
# those of all rows without a gap.
@micropython.asm_thumb
def gather_bytes(r0):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB08C)  # sub sp, #48
    ldr(r1, [r0, 24])
    data(2, 0x9100)  # str r1, [sp] rows_above
    ldr(r1, [r0, 28])
    data(2, 0x9101)  # str r1, [sp] rows
    ldr(r1, [r0, 32])
    data(2, 0x9102)  # str r1, [sp] rows_below
    ldr(r1, [r0, 16])
    data(2, 0x9103)  # str r1, [sp] run
    ldr(r1, [r0, 20])
    data(2, 0x9104)  # str r1, [sp] row_step
    ldr(r1, [r0, 12])
    data(2, 0x9105)  # str r1, [sp] column_step
    ldr(r1, [r0, 40])
    data(2, 0x9106)  # str r1, [sp] last
    ldr(r1, [r0, 44])
    data(2, 0x9107)  # str r1, [sp] fill
    ldr(r1, [r0, 48])
    data(2, 0x9108)  # str r1, [sp] row_bytes
    ldr(r1, [r0, 52])
    data(2, 0x9109)  # str r1, [sp] column_bytes
    ldr(r1, [r0, 56])
    data(2, 0x910A)  # str r1, [sp] spare
    ldr(r1, [r0, 0])
    mov(r9, r1)
    ldr(r1, [r0, 36])
    mov(r10, r1)
    ldr(r1, [r0, 8])
    mov(r11, r1)
    ldr(r1, [r0, 4])
    data(2, 0x910B)  # str r1, [sp] lanes
    label(column_1)
    data(2, 0x980A)  # ldr r0, [sp] spare
    data(2, 0x9B00)  # ldr r3, [sp] rows_above
    data(2, 0x9A03)  # ldr r2, [sp] run
    mul(r3, r2)
    beq(filled_9)
    data(2, 0x9A07)  # ldr r2, [sp] fill
    label(fill_10)
    strb(r2, [r0, 0])
    add(r0, 1)
    sub(r3, 1)
    bne(fill_10)
    label(filled_9)
    data(2, 0x9C01)  # ldr r4, [sp] rows
    cmp(r4, 0)
    beq(below_8)
    mov(lr, r4)
    mov(r12, r9)
    label(row_2)
    mov(r6, r12)
    data(2, 0x9B03)  # ldr r3, [sp] run
    mov(r4, r10)
    data(2, 0x9A06)  # ldr r2, [sp] last
    cmp(r2, 0)
    blt(partly_4)
    cmp(r4, r2)
    bhi(partly_4)
    add(r0, r0, r3)
    mov(r7, r0)
    sub(r0, r0, r3)
    sub(r6, r6, r0)
    label(inside_5)
    data(2, 0x5D85)  # ldrb r5, [r0, r6]
    strb(r5, [r0, 0])
    add(r0, 1)
    cmp(r0, r7)
    bne(inside_5)
    label(next_row_7)
    data(2, 0x9A04)  # ldr r2, [sp] row_step
    data(2, 0x4494)  # add r12, r2
    mov(r2, lr)
    sub(r2, 1)
    mov(lr, r2)
    bne(row_2)
    label(below_8)
    data(2, 0x9B02)  # ldr r3, [sp] rows_below
    data(2, 0x9A03)  # ldr r2, [sp] run
    mul(r3, r2)
    beq(filled_11)
    data(2, 0x9A07)  # ldr r2, [sp] fill
    label(fill_12)
    strb(r2, [r0, 0])
    add(r0, 1)
    sub(r3, 1)
    bne(fill_12)
    label(filled_11)
    data(2, 0x980A)  # ldr r0, [sp] spare
    data(2, 0x990B)  # ldr r1, [sp] lanes
    data(2, 0x9B09)  # ldr r3, [sp] column_bytes
    mov(r5, 128)
    lsl(r6, r5, 16)
    add(r5, r5, r6)
    lsl(r6, r5, 8)
    add(r6, r6, r5)
    mov(r7, 255)
    lsl(r4, r7, 16)
    add(r7, r7, r4)
    add(r2, r0, r3)
    lsl(r4, r3, 29)
    bne(odd_14)
    label(quads_13)
    data(2, 0xC808)  # ldmia r0!, {r3}
    eor(r3, r6)
    lsr(r4, r3, 8)
    and_(r3, r7)
    and_(r4, r7)
    sub(r3, r3, r5)
    sub(r4, r4, r5)
    data(2, 0xC118)  # stmia r1!, {r3, r4}
    label(odd_14)
    data(2, 0xC808)  # ldmia r0!, {r3}
    eor(r3, r6)
    lsr(r4, r3, 8)
    and_(r3, r7)
    and_(r4, r7)
    sub(r3, r3, r5)
    sub(r4, r4, r5)
    data(2, 0xC118)  # stmia r1!, {r3, r4}
    cmp(r0, r2)
    bcc(quads_13)
    data(2, 0x910B)  # str r1, [sp] lanes
    b(end_15)
    # the run leaves the image: byte by byte
    label(partly_4)
    data(2, 0x9F08)  # ldr r7, [sp] row_bytes
    label(byte_3)
    data(2, 0x9D07)  # ldr r5, [sp] fill
    cmp(r4, r7)
    bcs(outside_6)
    ldrb(r5, [r6, 0])
    label(outside_6)
    strb(r5, [r0, 0])
    add(r0, 1)
    add(r6, 1)
    add(r4, 1)
    sub(r3, 1)
    bne(byte_3)
    b(next_row_7)
    label(end_15)
    data(2, 0x9A05)  # ldr r2, [sp] column_step
    data(2, 0x4491)  # add r9, r2
    data(2, 0x4492)  # add r10, r2
    mov(r2, r11)
    sub(r2, 1)
    mov(r11, r2)
    beq(near_16)
    b(column_1)
    label(near_16)
    data(2, 0xB00C)  # add sp, #48
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Outputs of groups of four channels for pixels in lanes, or for whole words of bytes that become
# lanes block by block. `r0` is the address of a block of parameters (MULTIPLY in
# tools/asm/common/parameters.py).
@micropython.asm_thumb
def multiply(r0):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB096)  # sub sp, #88
    data(2, 0x9014)  # str r0, [sp] parameters
    ldr(r1, [r0, 36])
    mov(r9, r1)
    ldr(r1, [r0, 40])
    mov(r10, r1)
    ldr(r1, [r0, 32])
    data(2, 0x910A)  # str r1, [sp] zero_point
    ldr(r1, [r0, 24])
    data(2, 0x9103)  # str r1, [sp] output_step
    ldr(r1, [r0, 20])
    data(2, 0x9104)  # str r1, [sp] lanes_step
    ldr(r1, [r0, 44])
    data(2, 0x910C)  # str r1, [sp] group
    ldr(r1, [r0, 48])
    data(2, 0x910F)  # str r1, [sp] rows
    ldr(r1, [r0, 52])
    data(2, 0x9110)  # str r1, [sp] row_step
    # skipped = (-words % 32) words
    ldr(r1, [r0, 28])
    lsl(r2, r1, 1)
    data(2, 0x920D)  # str r2, [sp] weights
    neg(r2, r1)
    mov(r3, 124)
    and_(r2, r3)
    data(2, 0x9215)  # str r2, [sp] before
    add(r1, r1, r2)
    data(2, 0x9109)  # str r1, [sp] window
    lsl(r2, r2, 3)
    data(2, 0x9208)  # str r2, [sp] skipped
    mov(r1, 128)
    mov(r12, r1)
    label(block_1)
    data(2, 0x9814)  # ldr r0, [sp] parameters
    ldr(r1, [r0, 8])
    data(2, 0x9102)  # str r1, [sp] output
    ldr(r1, [r0, 16])
    data(2, 0x9106)  # str r1, [sp] groups
    ldr(r1, [r0, 0])
    data(2, 0x9100)  # str r1, [sp] stream
    ldr(r1, [r0, 4])
    ldr(r2, [r0, 12])
    ldr(r3, [r0, 56])
    cmp(r3, 0)
    beq(there_3)
    ldr(r4, [r0, 60])
    sub(r4, r4, r3)
    sub(r2, r2, r1)
    lsr(r2, r2, 1)
    cmp(r2, r4)
    bls(whole_2)
    mov(r2, r4)
    label(whole_2)
    add(r4, r3, r2)
    str(r4, [r0, 56])
    mov(r0, r3)
    mov(r3, r2)
    lsl(r2, r2, 1)
    add(r2, r2, r1)
    data(2, 0x9107)  # str r1, [sp] first
    data(2, 0x9205)  # str r2, [sp] lanes_end
    mov(r5, 128)
    lsl(r6, r5, 16)
    add(r5, r5, r6)
    lsl(r6, r5, 8)
    add(r6, r6, r5)
    mov(r7, 255)
    lsl(r4, r7, 16)
    add(r7, r7, r4)
    add(r2, r0, r3)
    lsl(r4, r3, 29)
    bne(odd_5)
    label(quads_4)
    data(2, 0xC808)  # ldmia r0!, {r3}
    eor(r3, r6)
    lsr(r4, r3, 8)
    and_(r3, r7)
    and_(r4, r7)
    sub(r3, r3, r5)
    sub(r4, r4, r5)
    data(2, 0xC118)  # stmia r1!, {r3, r4}
    label(odd_5)
    data(2, 0xC808)  # ldmia r0!, {r3}
    eor(r3, r6)
    lsr(r4, r3, 8)
    and_(r3, r7)
    and_(r4, r7)
    sub(r3, r3, r5)
    sub(r4, r4, r5)
    data(2, 0xC118)  # stmia r1!, {r3, r4}
    cmp(r0, r2)
    bcc(quads_4)
    data(2, 0x9907)  # ldr r1, [sp] first
    data(2, 0x9A05)  # ldr r2, [sp] lanes_end
    label(there_3)
    data(2, 0x9B15)  # ldr r3, [sp] before
    sub(r1, r1, r3)
    data(2, 0x9107)  # str r1, [sp] first
    sub(r2, r2, r3)
    data(2, 0x9205)  # str r2, [sp] lanes_end
    label(group_6)
    data(2, 0x990C)  # ldr r1, [sp] group
    cmp(r1, 0)
    beq(ready_10)
    data(2, 0x9800)  # ldr r0, [sp] stream
    data(2, 0xC83C)  # ldmia r0!, {r2, r3, r4, r5}
    data(2, 0xC13C)  # stmia r1!, {r2, r3, r4, r5}
    mov(r5, 128)
    lsl(r6, r5, 16)
    add(r5, r5, r6)
    lsl(r6, r5, 8)
    add(r6, r6, r5)
    mov(r7, 255)
    lsl(r4, r7, 16)
    add(r7, r7, r4)
    data(2, 0x9B0D)  # ldr r3, [sp] weights
    add(r2, r0, r3)
    label(quads_11)
    data(2, 0xC808)  # ldmia r0!, {r3}
    eor(r3, r6)
    lsr(r4, r3, 8)
    and_(r3, r7)
    and_(r4, r7)
    sub(r3, r3, r5)
    sub(r4, r4, r5)
    data(2, 0xC118)  # stmia r1!, {r3, r4}
    data(2, 0xC808)  # ldmia r0!, {r3}
    eor(r3, r6)
    lsr(r4, r3, 8)
    and_(r3, r7)
    and_(r4, r7)
    sub(r3, r3, r5)
    sub(r4, r4, r5)
    data(2, 0xC118)  # stmia r1!, {r3, r4}
    data(2, 0xC808)  # ldmia r0!, {r3}
    eor(r3, r6)
    lsr(r4, r3, 8)
    and_(r3, r7)
    and_(r4, r7)
    sub(r3, r3, r5)
    sub(r4, r4, r5)
    data(2, 0xC118)  # stmia r1!, {r3, r4}
    data(2, 0xC808)  # ldmia r0!, {r3}
    eor(r3, r6)
    lsr(r4, r3, 8)
    and_(r3, r7)
    and_(r4, r7)
    sub(r3, r3, r5)
    sub(r4, r4, r5)
    data(2, 0xC118)  # stmia r1!, {r3, r4}
    cmp(r0, r2)
    bcc(quads_11)
    data(2, 0xC83C)  # ldmia r0!, {r2, r3, r4, r5}
    data(2, 0xC13C)  # stmia r1!, {r2, r3, r4, r5}
    data(2, 0xC83C)  # ldmia r0!, {r2, r3, r4, r5}
    data(2, 0xC13C)  # stmia r1!, {r2, r3, r4, r5}
    data(2, 0xC83C)  # ldmia r0!, {r2, r3, r4, r5}
    data(2, 0xC13C)  # stmia r1!, {r2, r3, r4, r5}
    data(2, 0x900E)  # str r0, [sp] next
    data(2, 0x990C)  # ldr r1, [sp] group
    data(2, 0x9100)  # str r1, [sp] stream
    label(ready_10)
    data(2, 0x9902)  # ldr r1, [sp] output
    mov(r11, r1)
    data(2, 0x990F)  # ldr r1, [sp] rows
    data(2, 0x9A05)  # ldr r2, [sp] lanes_end
    data(2, 0x9D07)  # ldr r5, [sp] first
    label(row_7)
    data(2, 0x9113)  # str r1, [sp] rows_left
    data(2, 0x9212)  # str r2, [sp] row_end
    data(2, 0x9511)  # str r5, [sp] row
    data(2, 0x9501)  # str r5, [sp] inputs
    label(pixel_8)
    data(2, 0x9F00)  # ldr r7, [sp] stream
    data(2, 0xCF0F)  # ldmia r7!, {r0, r1, r2, r3}
    mov(r8, r5)
    data(2, 0x9E09)  # ldr r6, [sp] window
    add(r6, r6, r5)
    mov(lr, r6)
    data(2, 0x9E08)  # ldr r6, [sp] skipped
    data(2, 0x44B7)  # add pc, r6
    nop()
    label(words_9)
    mov(r4, r8)
    ldr(r4, [r4, 0])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 4])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 8])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 12])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 16])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 20])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 24])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 28])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 32])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 36])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 40])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 44])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 48])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 52])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 56])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 60])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 64])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 68])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 72])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 76])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 80])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 84])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 88])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 92])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 96])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 100])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 104])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 108])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 112])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 116])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 120])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    mov(r4, r8)
    ldr(r4, [r4, 124])
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r0, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r1, r6)
    data(2, 0xCF60)  # ldmia r7!, {r5, r6}
    mul(r5, r4)
    asr(r5, r5, 16)
    adc(r2, r5)
    mul(r6, r4)
    asr(r6, r6, 16)
    adc(r3, r6)
    data(2, 0x44E0)  # add r8, r12
    data(2, 0x45F0)  # cmp r8, lr
    bcs(near_12)
    b(words_9)
    label(near_12)
    mov(r8, r1)
    mov(lr, r2)
    data(2, 0x930B)  # str r3, [sp] third
    data(2, 0x9E0A)  # ldr r6, [sp] zero_point
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
    bge(above_13)
    mov(r0, r9)
    label(above_13)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_14)
    mov(r0, r10)
    label(below_14)
    mov(r1, r11)
    strb(r0, [r1, 0])
    mov(r0, r8)
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
    bge(above_15)
    mov(r0, r9)
    label(above_15)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_16)
    mov(r0, r10)
    label(below_16)
    mov(r1, r11)
    strb(r0, [r1, 1])
    mov(r0, lr)
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
    bge(above_17)
    mov(r0, r9)
    label(above_17)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_18)
    mov(r0, r10)
    label(below_18)
    mov(r1, r11)
    strb(r0, [r1, 2])
    data(2, 0x980B)  # ldr r0, [sp] third
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
    bge(above_19)
    mov(r0, r9)
    label(above_19)
    data(2, 0x4550)  # cmp r0, r10
    ble(below_20)
    mov(r0, r10)
    label(below_20)
    mov(r1, r11)
    strb(r0, [r1, 3])
    # next pixel
    data(2, 0x9903)  # ldr r1, [sp] output_step
    data(2, 0x448B)  # add r11, r1
    data(2, 0x9D01)  # ldr r5, [sp] inputs
    data(2, 0x9904)  # ldr r1, [sp] lanes_step
    add(r5, r5, r1)
    data(2, 0x9501)  # str r5, [sp] inputs
    data(2, 0x9A12)  # ldr r2, [sp] row_end
    cmp(r5, r2)
    bcs(near_21)
    b(pixel_8)
    label(near_21)
    # next row of pixels
    data(2, 0x9B10)  # ldr r3, [sp] row_step
    add(r2, r2, r3)
    data(2, 0x9D11)  # ldr r5, [sp] row
    add(r5, r5, r3)
    data(2, 0x9913)  # ldr r1, [sp] rows_left
    sub(r1, 1)
    beq(near_22)
    b(row_7)
    label(near_22)
    # next group of channels: its stream lies behind this one's
    data(2, 0x990C)  # ldr r1, [sp] group
    cmp(r1, 0)
    beq(lanes_only_23)
    data(2, 0x9F0E)  # ldr r7, [sp] next
    label(lanes_only_23)
    data(2, 0x9700)  # str r7, [sp] stream
    data(2, 0x9902)  # ldr r1, [sp] output
    add(r1, 4)
    data(2, 0x9102)  # str r1, [sp] output
    data(2, 0x9906)  # ldr r1, [sp] groups
    sub(r1, 1)
    data(2, 0x9106)  # str r1, [sp] groups
    beq(near_24)
    b(group_6)
    label(near_24)
    # next block: its outputs lie behind this one's
    data(2, 0x9814)  # ldr r0, [sp] parameters
    ldr(r1, [r0, 56])
    cmp(r1, 0)
    beq(done_25)
    ldr(r2, [r0, 60])
    cmp(r1, r2)
    bcs(done_25)
    data(2, 0x9902)  # ldr r1, [sp] output
    ldr(r2, [r0, 8])
    sub(r1, r1, r2)
    mov(r2, r11)
    sub(r2, r2, r1)
    add(r2, 4)
    str(r2, [r0, 8])
    b(block_1)
    label(done_25)
    data(2, 0xB016)  # add sp, #88
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
