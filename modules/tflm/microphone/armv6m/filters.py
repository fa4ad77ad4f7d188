# tflm.microphone: The two filters of decimator.py in assembler, for Cortex-M0+ and above.
# MIT license; Copyright (c) 2026 the tflm authors

# With the cycles of a Cortex-M0+: 7 for a byte of bits, 14 for three taps.

import micropython


# r0: bytes of bits, r1: how many words of them, r2: sums to write, r3: tables.
@micropython.asm_thumb
def sum_tables(r0, r1, r2, r3):
    mov(r5, r3)
    mov(r7, 1)
    lsl(r7, r7, 9)  # bytes of a table
    label(word)
    mov(r3, r5)
    mov(r6, 0)
    ldrb(r4, [r0, 0])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 1])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 2])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 3])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 4])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 5])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 6])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 7])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 8])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 9])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 10])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 11])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 12])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 13])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 14])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    add(r3, r3, r7)
    ldrb(r4, [r0, 15])
    lsl(r4, r4, 1)
    data(2, 0x5F1C)  # ldrsh r4, [r3, r4]
    add(r6, r6, r4)
    str(r6, [r2, 0])
    add(r2, 4)
    add(r0, 4)
    sub(r1, 1)
    bne(word)
    mov(r0, 0)


# r0: samples to write, r1: words of the first filter, r2: state, r3: how many samples.
@micropython.asm_thumb
def filter_words(r0, r1, r2, r3):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    push({r2})
    mov(r9, r0)
    mov(r10, r1)
    mov(r11, r3)
    mov(r3, 192)  # bytes of taps
    add(r3, r3, r2)
    mov(r12, r3)
    label(sample)
    mov(r0, r10)
    data(2, 0x9900)  # ldr r1, [sp]
    mov(r7, 0)
    mov(r8, r7)
    label(taps)
    data(2, 0xC81C)  # ldm r0!, {r2, r3, r4}
    data(2, 0xC9E0)  # ldm r1!, {r5, r6, r7}
    mul(r2, r5)
    mul(r3, r6)
    mul(r4, r7)
    add(r2, r2, r3)
    add(r2, r2, r4)
    data(2, 0x4490)  # add r8, r2
    data(2, 0xC81C)  # ldm r0!, {r2, r3, r4}
    data(2, 0xC9E0)  # ldm r1!, {r5, r6, r7}
    mul(r2, r5)
    mul(r3, r6)
    mul(r4, r7)
    add(r2, r2, r3)
    add(r2, r2, r4)
    data(2, 0x4490)  # add r8, r2
    data(2, 0xC81C)  # ldm r0!, {r2, r3, r4}
    data(2, 0xC9E0)  # ldm r1!, {r5, r6, r7}
    mul(r2, r5)
    mul(r3, r6)
    mul(r4, r7)
    add(r2, r2, r3)
    add(r2, r2, r4)
    data(2, 0x4490)  # add r8, r2
    data(2, 0xC81C)  # ldm r0!, {r2, r3, r4}
    data(2, 0xC9E0)  # ldm r1!, {r5, r6, r7}
    mul(r2, r5)
    mul(r3, r6)
    mul(r4, r7)
    add(r2, r2, r3)
    add(r2, r2, r4)
    data(2, 0x4490)  # add r8, r2
    data(2, 0x4561)  # cmp r1, r12
    bne(taps)
    ldr(r3, [r1, 0])  # after the taps: the shift, the mean, the largest sample
    mov(r2, r8)
    asr(r2, r3)
    ldr(r4, [r1, 4])
    asr(r5, r4, 10)
    sub(r2, r2, r5)
    add(r4, r4, r2)
    str(r4, [r1, 4])
    asr(r5, r2, 15)
    asr(r6, r2, 31)
    cmp(r5, r6)
    beq(fits)
    ldr(r2, [r1, 8])
    eor(r2, r6)
    label(fits)
    mov(r7, r9)
    strh(r2, [r7, 0])
    add(r7, 2)
    mov(r9, r7)
    mov(r7, r10)
    add(r7, 8)
    mov(r10, r7)
    mov(r7, r11)
    sub(r7, 1)
    mov(r11, r7)
    bne(sample)
    pop({r2})
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)
