# tflm: what comes before and after the FFT of an audio front end: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/front_end.py: change that, not this.

import micropython


# `r3` pairs of int16 at `r0` to the places in `r2` that the table at `r1` has.
@micropython.asm_thumb
def scatter(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    label(pair_1)
    ldrh(r4, [r1, 0])
    lsl(r4, r4, 2)
    add(r4, r4, r2)
    ldrh(r5, [r0, 0])
    strh(r5, [r4, 0])
    ldrh(r5, [r0, 2])
    strh(r5, [r4, 2])
    add(r0, 4)
    add(r1, 2)
    sub(r3, 1)
    bne(pair_1)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# The largest magnitude of `r1` samples at `r0`, without negative samples that are `r2`, to the
# word at `r3`. As in TFLM it is an int16, which -32768 turns negative.
@micropython.asm_thumb
def largest(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    mov(r4, 0)
    label(sample_1)
    ldrh(r5, [r0, 0])
    add(r0, 2)
    data(2, 0xB22E)  # sxth r6, r5
    cmp(r6, r4)
    bgt(positive_2)
    neg(r6, r6)
    cmp(r6, r4)
    ble(done_3)
    cmp(r5, r2)
    beq(done_3)
    label(positive_2)
    data(2, 0xB234)  # sxth r4, r6
    label(done_3)
    sub(r1, 1)
    bne(sample_1)
    str(r4, [r3, 0])
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# `r2` samples at `r0` shifted left by `r3`, to `r1`.
@micropython.asm_thumb
def scale(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    label(sample_1)
    ldrh(r4, [r0, 0])
    lsl(r4, r3)
    strh(r4, [r1, 0])
    add(r0, 2)
    add(r1, 2)
    sub(r2, 1)
    bne(sample_1)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Samples at `r0` times weights at `r1`, to `r2`, shifted right and saturated to int16; `r3` is the
# address of the record (LAYOUT in prepare/signal_window.py).
@micropython.asm_thumb
def window(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    ldr(r4, [r3, 16])
    ldr(r3, [r3, 20])
    mov(r7, 1)
    lsl(r7, r7, 15)
    sub(r7, 1)
    label(sample_1)
    ldrh(r5, [r0, 0])
    data(2, 0xB22D)  # sxth r5, r5
    ldrh(r6, [r1, 0])
    data(2, 0xB236)  # sxth r6, r6
    mul(r5, r6)
    asr(r5, r3)
    data(2, 0xB22E)  # sxth r6, r5
    cmp(r6, r5)
    beq(fits_2)
    asr(r5, r5, 31)
    eor(r5, r7)
    label(fits_2)
    strh(r5, [r2, 0])
    add(r0, 2)
    add(r1, 2)
    add(r2, 2)
    sub(r4, 1)
    bne(sample_1)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Energies of `r2` bins at `r0`, pairs of int16, to words at `r1`.
@micropython.asm_thumb
def energy(r0, r1, r2):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    label(pair_1)
    ldrh(r4, [r0, 0])
    data(2, 0xB224)  # sxth r4, r4
    mul(r4, r4)
    ldrh(r5, [r0, 2])
    data(2, 0xB22D)  # sxth r5, r5
    mul(r5, r5)
    add(r4, r4, r5)
    data(2, 0xC110)  # stmia r1!, {r4}
    add(r0, 4)
    sub(r2, 1)
    bne(pair_1)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
