# tflm: SignalRfft and SignalIrfft, int16: assembler for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from
# tools/asm/armv6m/fft.py: change that, not this.

import micropython


# `r3` butterflies of 2 values of a stage of an FFT, in place. `r0` is the address of the record
# (STAGE in prepare/signal_fft.py), `r1` that of the first value, `r2` that of its twiddles. They
# end in the first one's block, or that one is the first of a block.
@micropython.asm_thumb
def stage_2(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB084)  # sub sp, #16
    mov(r7, r1)
    mov(r6, r2)
    mov(r1, 1)
    lsl(r1, r1, 14)
    mov(r8, r1)
    ldr(r5, [r0, 56])
    ldr(r1, [r0, 28])
    lsl(r1, r1, 2)
    mov(r9, r1)
    lsl(r3, r3, 2)
    # from block to block, and of twiddles: all values of a butterfly but the first
    mov(r4, 1)
    mul(r4, r1)
    data(2, 0x9403)  # str r4, [sp] more
    label(block_1)
    cmp(r1, r3)
    bls(cut_2)
    mov(r1, r3)
    label(cut_2)
    sub(r3, r3, r1)
    data(2, 0x9300)  # str r3, [sp] left
    add(r1, r1, r7)
    data(2, 0x9101)  # str r1, [sp] end
    label(butterfly_3)
    data(2, 0x9702)  # str r7, [sp] value
    data(2, 0x444F)  # add r7, r9
    ldrh(r0, [r7, 0])
    data(2, 0xB200)  # sxth r0, r0
    ldrh(r1, [r7, 2])
    data(2, 0xB209)  # sxth r1, r1
    mul(r0, r5)
    mul(r1, r5)
    data(2, 0x4440)  # add r0, r8
    asr(r0, r0, 15)
    data(2, 0x4441)  # add r1, r8
    asr(r1, r1, 15)
    ldrh(r2, [r6, 0])
    data(2, 0xB212)  # sxth r2, r2
    ldrh(r3, [r6, 2])
    data(2, 0xB21B)  # sxth r3, r3
    mov(r4, r0)
    mul(r4, r3)
    mul(r0, r2)
    mul(r3, r1)
    mul(r1, r2)
    sub(r0, r0, r3)
    add(r1, r1, r4)
    data(2, 0x4440)  # add r0, r8
    asr(r0, r0, 15)
    data(2, 0x4441)  # add r1, r8
    asr(r1, r1, 15)
    add(r6, 4)
    data(2, 0x9C02)  # ldr r4, [sp] value
    ldrh(r2, [r4, 0])
    data(2, 0xB212)  # sxth r2, r2
    ldrh(r3, [r4, 2])
    data(2, 0xB21B)  # sxth r3, r3
    mul(r2, r5)
    mul(r3, r5)
    data(2, 0x4442)  # add r2, r8
    asr(r2, r2, 15)
    data(2, 0x4443)  # add r3, r8
    asr(r3, r3, 15)
    sub(r0, r2, r0)
    lsl(r2, r2, 1)
    sub(r2, r2, r0)
    strh(r2, [r4, 0])
    strh(r0, [r7, 0])
    sub(r1, r3, r1)
    lsl(r3, r3, 1)
    sub(r3, r3, r1)
    strh(r3, [r4, 2])
    strh(r1, [r7, 2])
    data(2, 0x9F02)  # ldr r7, [sp] value
    add(r7, 4)
    data(2, 0x9901)  # ldr r1, [sp] end
    cmp(r7, r1)
    beq(near_5)
    b(butterfly_3)
    label(near_5)
    data(2, 0x9B00)  # ldr r3, [sp] left
    cmp(r3, 0)
    beq(done_4)
    data(2, 0x9903)  # ldr r1, [sp] more
    add(r7, r7, r1)
    sub(r6, r6, r1)
    mov(r1, r9)
    b(block_1)
    label(done_4)
    data(2, 0xB004)  # add sp, #16
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# `r3` butterflies of 4 values of a stage of an FFT, in place. `r0` is the address of the record
# (STAGE in prepare/signal_fft.py), `r1` that of the first value, `r2` that of its twiddles. They
# end in the first one's block, or that one is the first of a block.
@micropython.asm_thumb
def stage_4(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB088)  # sub sp, #32
    mov(r7, r1)
    mov(r6, r2)
    mov(r1, 1)
    lsl(r1, r1, 14)
    mov(r8, r1)
    ldr(r5, [r0, 56])
    ldr(r1, [r0, 28])
    lsl(r1, r1, 2)
    mov(r9, r1)
    lsl(r3, r3, 2)
    mov(r2, r1)
    mov(r4, 3)
    mul(r4, r1)
    ldr(r0, [r0, 52])
    cmp(r0, 0)
    beq(forward_5)
    mov(r2, r4)
    mov(r4, r1)
    label(forward_5)
    data(2, 0x9204)  # str r2, [sp] second
    data(2, 0x9405)  # str r4, [sp] last
    # from block to block, and of twiddles: all values of a butterfly but the first
    mov(r4, 3)
    mul(r4, r1)
    data(2, 0x9403)  # str r4, [sp] more
    label(block_1)
    cmp(r1, r3)
    bls(cut_2)
    mov(r1, r3)
    label(cut_2)
    sub(r3, r3, r1)
    data(2, 0x9300)  # str r3, [sp] left
    add(r1, r1, r7)
    data(2, 0x9101)  # str r1, [sp] end
    label(butterfly_3)
    data(2, 0x9702)  # str r7, [sp] value
    data(2, 0x444F)  # add r7, r9
    ldrh(r0, [r7, 0])
    data(2, 0xB200)  # sxth r0, r0
    ldrh(r1, [r7, 2])
    data(2, 0xB209)  # sxth r1, r1
    mul(r0, r5)
    mul(r1, r5)
    data(2, 0x4440)  # add r0, r8
    asr(r0, r0, 15)
    data(2, 0x4441)  # add r1, r8
    asr(r1, r1, 15)
    ldrh(r2, [r6, 0])
    data(2, 0xB212)  # sxth r2, r2
    ldrh(r3, [r6, 2])
    data(2, 0xB21B)  # sxth r3, r3
    mov(r4, r0)
    mul(r4, r3)
    mul(r0, r2)
    mul(r3, r1)
    mul(r1, r2)
    sub(r0, r0, r3)
    add(r1, r1, r4)
    data(2, 0x4440)  # add r0, r8
    asr(r0, r0, 15)
    data(2, 0x4441)  # add r1, r8
    asr(r1, r1, 15)
    mov(r10, r0)
    mov(r11, r1)
    data(2, 0x444F)  # add r7, r9
    ldrh(r0, [r7, 0])
    data(2, 0xB200)  # sxth r0, r0
    ldrh(r1, [r7, 2])
    data(2, 0xB209)  # sxth r1, r1
    mul(r0, r5)
    mul(r1, r5)
    data(2, 0x4440)  # add r0, r8
    asr(r0, r0, 15)
    data(2, 0x4441)  # add r1, r8
    asr(r1, r1, 15)
    ldrh(r2, [r6, 4])
    data(2, 0xB212)  # sxth r2, r2
    ldrh(r3, [r6, 6])
    data(2, 0xB21B)  # sxth r3, r3
    mov(r4, r0)
    mul(r4, r3)
    mul(r0, r2)
    mul(r3, r1)
    mul(r1, r2)
    sub(r0, r0, r3)
    add(r1, r1, r4)
    data(2, 0x4440)  # add r0, r8
    asr(r0, r0, 15)
    data(2, 0x4441)  # add r1, r8
    asr(r1, r1, 15)
    mov(r12, r0)
    mov(lr, r1)
    data(2, 0x444F)  # add r7, r9
    ldrh(r0, [r7, 0])
    data(2, 0xB200)  # sxth r0, r0
    ldrh(r1, [r7, 2])
    data(2, 0xB209)  # sxth r1, r1
    mul(r0, r5)
    mul(r1, r5)
    data(2, 0x4440)  # add r0, r8
    asr(r0, r0, 15)
    data(2, 0x4441)  # add r1, r8
    asr(r1, r1, 15)
    ldrh(r2, [r6, 8])
    data(2, 0xB212)  # sxth r2, r2
    ldrh(r3, [r6, 10])
    data(2, 0xB21B)  # sxth r3, r3
    mov(r4, r0)
    mul(r4, r3)
    mul(r0, r2)
    mul(r3, r1)
    mul(r1, r2)
    sub(r0, r0, r3)
    add(r1, r1, r4)
    data(2, 0x4440)  # add r0, r8
    asr(r0, r0, 15)
    data(2, 0x4441)  # add r1, r8
    asr(r1, r1, 15)
    add(r6, 12)
    data(2, 0x9606)  # str r6, [sp] twiddles
    # b + d in r4, r0, b - d in r10, r11
    mov(r2, r10)
    mov(r3, r11)
    add(r4, r2, r0)
    sub(r2, r2, r0)
    add(r0, r3, r1)
    sub(r3, r3, r1)
    mov(r10, r2)
    mov(r11, r3)
    data(2, 0x9F02)  # ldr r7, [sp] value
    ldrh(r1, [r7, 0])
    data(2, 0xB209)  # sxth r1, r1
    ldrh(r2, [r7, 2])
    data(2, 0xB212)  # sxth r2, r2
    mul(r1, r5)
    mul(r2, r5)
    data(2, 0x4441)  # add r1, r8
    asr(r1, r1, 15)
    data(2, 0x4442)  # add r2, r8
    asr(r2, r2, 15)
    data(2, 0x9507)  # str r5, [sp] divisor
    mov(r5, r9)
    lsl(r5, r5, 1)
    add(r5, r5, r7)
    mov(r3, r12)
    add(r6, r1, r3)
    sub(r1, r1, r3)
    add(r3, r6, r4)
    strh(r3, [r7, 0])
    sub(r6, r6, r4)
    strh(r6, [r5, 0])
    mov(r3, lr)
    add(r6, r2, r3)
    sub(r2, r2, r3)
    add(r3, r6, r0)
    strh(r3, [r7, 2])
    sub(r6, r6, r0)
    strh(r6, [r5, 2])
    data(2, 0x9B04)  # ldr r3, [sp] second
    data(2, 0x9C05)  # ldr r4, [sp] last
    add(r5, r7, r4)
    add(r7, r7, r3)
    mov(r3, r10)
    mov(r4, r11)
    add(r6, r1, r4)
    strh(r6, [r7, 0])
    sub(r1, r1, r4)
    strh(r1, [r5, 0])
    sub(r6, r2, r3)
    strh(r6, [r7, 2])
    add(r2, r2, r3)
    strh(r2, [r5, 2])
    data(2, 0x9E06)  # ldr r6, [sp] twiddles
    data(2, 0x9D07)  # ldr r5, [sp] divisor
    data(2, 0x9F02)  # ldr r7, [sp] value
    add(r7, 4)
    data(2, 0x9901)  # ldr r1, [sp] end
    cmp(r7, r1)
    beq(near_6)
    b(butterfly_3)
    label(near_6)
    data(2, 0x9B00)  # ldr r3, [sp] left
    cmp(r3, 0)
    beq(done_4)
    data(2, 0x9903)  # ldr r1, [sp] more
    add(r7, r7, r1)
    sub(r6, r6, r1)
    mov(r1, r9)
    b(block_1)
    label(done_4)
    data(2, 0xB008)  # add sp, #32
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# `r3` pairs of bins of a spectrum, from the transform of even and odd values. `r0` is the address
# of the first pair's lower bin, `r1` of its upper bin, `r2` of its twiddle.
@micropython.asm_thumb
def split(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    mov(r9, r0)
    mov(r10, r1)
    mov(r11, r2)
    mov(r12, r3)
    mov(r5, 1)
    lsl(r5, r5, 14)
    mov(r8, r5)
    sub(r5, 1)
    label(pair_1)
    mov(r7, r9)
    ldrh(r6, [r7, 0])
    data(2, 0xB236)  # sxth r6, r6
    ldrh(r4, [r7, 2])
    data(2, 0xB224)  # sxth r4, r4
    mul(r6, r5)
    mul(r4, r5)
    data(2, 0x4446)  # add r6, r8
    asr(r6, r6, 15)
    data(2, 0x4444)  # add r4, r8
    asr(r4, r4, 15)
    mov(r7, r10)
    ldrh(r0, [r7, 0])
    data(2, 0xB200)  # sxth r0, r0
    ldrh(r1, [r7, 2])
    data(2, 0xB209)  # sxth r1, r1
    neg(r1, r1)
    data(2, 0xB209)  # sxth r1, r1
    mul(r0, r5)
    mul(r1, r5)
    data(2, 0x4440)  # add r0, r8
    asr(r0, r0, 15)
    data(2, 0x4441)  # add r1, r8
    asr(r1, r1, 15)
    sub(r2, r6, r0)
    add(r6, r6, r0)
    mov(r0, r2)
    sub(r2, r4, r1)
    add(r4, r4, r1)
    mov(lr, r4)
    mov(r1, r2)
    mov(r7, r11)
    ldrh(r2, [r7, 0])
    data(2, 0xB212)  # sxth r2, r2
    ldrh(r3, [r7, 2])
    data(2, 0xB21B)  # sxth r3, r3
    add(r7, 4)
    mov(r11, r7)
    mov(r4, r0)
    mul(r4, r3)
    mul(r0, r2)
    mul(r3, r1)
    mul(r1, r2)
    sub(r0, r0, r3)
    add(r1, r1, r4)
    data(2, 0x4440)  # add r0, r8
    asr(r0, r0, 15)
    data(2, 0x4441)  # add r1, r8
    asr(r1, r1, 15)
    data(2, 0xB200)  # sxth r0, r0
    data(2, 0xB209)  # sxth r1, r1
    mov(r4, lr)
    mov(r7, r9)
    add(r2, r6, r0)
    asr(r2, r2, 1)
    strh(r2, [r7, 0])
    add(r2, r4, r1)
    asr(r2, r2, 1)
    strh(r2, [r7, 2])
    add(r7, 4)
    mov(r9, r7)
    mov(r7, r10)
    sub(r2, r6, r0)
    asr(r2, r2, 1)
    strh(r2, [r7, 0])
    sub(r2, r1, r4)
    asr(r2, r2, 1)
    strh(r2, [r7, 2])
    sub(r7, 4)
    mov(r10, r7)
    mov(r1, r12)
    sub(r1, 1)
    mov(r12, r1)
    bne(pair_1)
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
