# tflm: SignalFilterBank and SignalFilterBankSpectralSubtraction: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/filter_bank.py: change that, not this.

import micropython


# Channels of the record at `r0` (LAYOUT in prepare/signal_filter_bank.py), tensors in the arena at
# `r1` and in the model at `r2`: `r3` is the first one << 8 and how many.
@micropython.asm_thumb
def filter_bank(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB08B)  # sub sp, #44
    b(begin_5)
    label(find_4)
    mov(r5, r2)
    lsr(r6, r4, 1)
    bcs(found_6)
    mov(r5, r1)
    label(found_6)
    lsr(r4, r4, 2)
    add(r4, r4, r5)
    data(2, 0x4770)  # bx lr
    label(begin_5)
    ldr(r4, [r0, 4])
    bl(find_4)
    data(2, 0x9400)  # str r4, [sp] input
    ldr(r4, [r0, 8])
    bl(find_4)
    data(2, 0x9401)  # str r4, [sp] weights
    ldr(r4, [r0, 12])
    bl(find_4)
    data(2, 0x9402)  # str r4, [sp] unweights
    ldr(r4, [r0, 16])
    bl(find_4)
    data(2, 0x9403)  # str r4, [sp] frequency_starts
    ldr(r4, [r0, 20])
    bl(find_4)
    data(2, 0x9404)  # str r4, [sp] weight_starts
    ldr(r4, [r0, 24])
    bl(find_4)
    data(2, 0x9405)  # str r4, [sp] widths
    ldr(r4, [r0, 28])
    bl(find_4)
    data(2, 0x9406)  # str r4, [sp] output
    ldr(r4, [r0, 32])
    data(2, 0x9407)  # str r4, [sp] bins
    ldr(r4, [r0, 36])
    data(2, 0x9408)  # str r4, [sp] weights_size
    lsl(r4, r3, 24)
    lsr(r4, r4, 24)
    data(2, 0x940A)  # str r4, [sp] left
    lsr(r3, r3, 8)
    lsl(r5, r3, 1)
    data(2, 0x9509)  # str r5, [sp] at
    lsl(r5, r3, 3)
    data(2, 0x9C06)  # ldr r4, [sp] output
    add(r4, r4, r5)
    data(2, 0x9406)  # str r4, [sp] output
    b(begin_2)
    label(band_1)
    data(2, 0x9D03)  # ldr r5, [sp] frequency_starts
    data(2, 0x5FE8)  # ldrsh r0, [r5, r7]
    data(2, 0x9D04)  # ldr r5, [sp] weight_starts
    data(2, 0x5FE9)  # ldrsh r1, [r5, r7]
    data(2, 0x9D05)  # ldr r5, [sp] widths
    data(2, 0x5FEA)  # ldrsh r2, [r5, r7]
    cmp(r0, 0)
    blt(done_10)
    data(2, 0x9D07)  # ldr r5, [sp] bins
    sub(r5, r5, r0)
    cmp(r2, r5)
    ble(bins_fit_7)
    mov(r2, r5)
    label(bins_fit_7)
    cmp(r1, 0)
    blt(done_10)
    data(2, 0x9D08)  # ldr r5, [sp] weights_size
    sub(r5, r5, r1)
    cmp(r2, r5)
    ble(weights_fit_8)
    mov(r2, r5)
    label(weights_fit_8)
    cmp(r2, 0)
    ble(done_10)
    data(2, 0x9D00)  # ldr r5, [sp] input
    lsl(r0, r0, 2)
    add(r0, r0, r5)
    lsl(r1, r1, 1)
    add(r1, r1, r6)
    label(product_9)
    ldrh(r5, [r0, 0])
    ldrh(r6, [r0, 2])
    ldrh(r7, [r1, 0])
    data(2, 0xB23F)  # sxth r7, r7
    mul(r5, r7)
    mul(r6, r7)
    asr(r7, r5, 31)
    add(r3, r3, r5)
    adc(r4, r7)
    lsl(r7, r6, 16)
    asr(r6, r6, 16)
    add(r3, r3, r7)
    adc(r4, r6)
    add(r0, 4)
    add(r1, 2)
    sub(r2, 1)
    bne(product_9)
    label(done_10)
    data(2, 0x4770)  # bx lr
    label(begin_2)
    label(channel_3)
    mov(r3, 0)
    mov(r4, 0)
    data(2, 0x9E02)  # ldr r6, [sp] unweights
    data(2, 0x9F09)  # ldr r7, [sp] at
    bl(band_1)
    data(2, 0x9E01)  # ldr r6, [sp] weights
    data(2, 0x9F09)  # ldr r7, [sp] at
    add(r7, 2)
    data(2, 0x9709)  # str r7, [sp] at
    bl(band_1)
    data(2, 0x9D06)  # ldr r5, [sp] output
    data(2, 0xC518)  # stmia r5!, {r3, r4}
    data(2, 0x9506)  # str r5, [sp] output
    data(2, 0x9C0A)  # ldr r4, [sp] left
    sub(r4, 1)
    data(2, 0x940A)  # str r4, [sp] left
    beq(near_11)
    b(channel_3)
    label(near_11)
    data(2, 0xB00B)  # add sp, #44
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# The same of LAYOUT in prepare/signal_filter_bank_spectral_subtraction.py.
@micropython.asm_thumb
def subtract_noise(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB08B)  # sub sp, #44
    b(begin_9)
    label(find_8)
    mov(r5, r2)
    lsr(r6, r4, 1)
    bcs(found_10)
    mov(r5, r1)
    label(found_10)
    lsr(r4, r4, 2)
    add(r4, r4, r5)
    data(2, 0x4770)  # bx lr
    label(begin_9)
    ldr(r4, [r0, 4])
    bl(find_8)
    data(2, 0x9400)  # str r4, [sp] input
    ldr(r4, [r0, 8])
    bl(find_8)
    data(2, 0x9401)  # str r4, [sp] output
    ldr(r4, [r0, 12])
    bl(find_8)
    data(2, 0x9402)  # str r4, [sp] noise_output
    ldr(r4, [r0, 16])
    bl(find_8)
    data(2, 0x9403)  # str r4, [sp] noise
    add(r0, 4)
    ldr(r4, [r0, 32])
    data(2, 0x9404)  # str r4, [sp] min_signal_remaining
    ldr(r4, [r0, 36])
    data(2, 0x9405)  # str r4, [sp] smoothing_bits
    ldr(r4, [r0, 40])
    data(2, 0x9406)  # str r4, [sp] spectral_subtraction_bits
    ldr(r4, [r0, 44])
    data(2, 0x9407)  # str r4, [sp] clamping
    lsl(r4, r3, 24)
    lsr(r4, r4, 24)
    data(2, 0x940A)  # str r4, [sp] left
    lsr(r3, r3, 8)
    lsl(r5, r3, 2)
    data(2, 0x9C00)  # ldr r4, [sp] input
    add(r4, r4, r5)
    data(2, 0x9400)  # str r4, [sp] input
    data(2, 0x9C01)  # ldr r4, [sp] output
    add(r4, r4, r5)
    data(2, 0x9401)  # str r4, [sp] output
    data(2, 0x9C02)  # ldr r4, [sp] noise_output
    add(r4, r4, r5)
    data(2, 0x9402)  # str r4, [sp] noise_output
    data(2, 0x9C03)  # ldr r4, [sp] noise
    add(r4, r4, r5)
    data(2, 0x9403)  # str r4, [sp] noise
    add(r0, 16)
    mov(r1, r0)
    add(r1, 8)
    lsr(r3, r3, 1)
    bcc(even_5)
    mov(r2, r0)
    mov(r0, r1)
    mov(r1, r2)
    label(even_5)
    data(2, 0x9008)  # str r0, [sp] factors
    data(2, 0x9109)  # str r1, [sp] others
    b(begin_3)
    label(product_1)
    lsl(r2, r0, 16)
    lsr(r2, r2, 16)
    lsr(r0, r0, 16)
    lsr(r3, r1, 16)
    lsl(r1, r1, 16)
    lsr(r1, r1, 16)
    mov(r4, r2)
    mul(r4, r1)
    mul(r2, r3)
    mul(r3, r0)
    mul(r1, r0)
    add(r1, r1, r2)
    mov(r2, 0)
    adc(r2, r2)
    lsl(r2, r2, 16)
    add(r3, r3, r2)
    lsl(r2, r1, 16)
    lsr(r1, r1, 16)
    add(r4, r4, r2)
    adc(r3, r1)
    data(2, 0x4770)  # bx lr
    label(scale_back_2)
    data(2, 0x9D06)  # ldr r5, [sp] spectral_subtraction_bits
    mov(r0, r4)
    lsr(r0, r5)
    mov(r1, 32)
    sub(r1, r1, r5)
    mov(r2, r3)
    lsl(r2, r1)
    orr(r0, r2)
    sub(r5, 32)
    lsr(r3, r5)
    orr(r0, r3)
    data(2, 0x4770)  # bx lr
    label(begin_3)
    label(channel_4)
    data(2, 0x9800)  # ldr r0, [sp] input
    data(2, 0xC840)  # ldmia r0!, {r6}
    data(2, 0x9000)  # str r0, [sp] input
    mov(r0, r6)
    data(2, 0x9D05)  # ldr r5, [sp] smoothing_bits
    lsl(r0, r5)
    mov(r7, r0)
    data(2, 0x9D08)  # ldr r5, [sp] factors
    ldr(r1, [r5, 0])
    bl(product_1)
    mov(r8, r4)
    mov(r9, r3)
    data(2, 0x9803)  # ldr r0, [sp] noise
    ldr(r0, [r0, 0])
    ldr(r1, [r5, 4])
    bl(product_1)
    data(2, 0x9909)  # ldr r1, [sp] others
    data(2, 0x9108)  # str r1, [sp] factors
    data(2, 0x9509)  # str r5, [sp] others
    mov(r1, r8)
    mov(r2, r9)
    add(r4, r4, r1)
    adc(r3, r2)
    bl(scale_back_2)
    mov(r1, r0)
    cmp(r0, r7)
    bls(known_6)
    mov(r1, r7)
    data(2, 0x9A07)  # ldr r2, [sp] clamping
    cmp(r2, 0)
    beq(known_6)
    mov(r0, r7)
    label(known_6)
    data(2, 0x9A03)  # ldr r2, [sp] noise
    data(2, 0xC201)  # stmia r2!, {r0}
    data(2, 0x9203)  # str r2, [sp] noise
    data(2, 0x9A02)  # ldr r2, [sp] noise_output
    data(2, 0xC201)  # stmia r2!, {r0}
    data(2, 0x9202)  # str r2, [sp] noise_output
    sub(r7, r7, r1)
    data(2, 0x9D05)  # ldr r5, [sp] smoothing_bits
    lsr(r7, r5)
    mov(r0, r6)
    data(2, 0x9904)  # ldr r1, [sp] min_signal_remaining
    bl(product_1)
    bl(scale_back_2)
    cmp(r0, r7)
    bhi(larger_7)
    mov(r0, r7)
    label(larger_7)
    data(2, 0x9A01)  # ldr r2, [sp] output
    data(2, 0xC201)  # stmia r2!, {r0}
    data(2, 0x9201)  # str r2, [sp] output
    data(2, 0x9C0A)  # ldr r4, [sp] left
    sub(r4, 1)
    data(2, 0x940A)  # str r4, [sp] left
    beq(near_11)
    b(channel_4)
    label(near_11)
    data(2, 0xB00B)  # add sp, #44
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
