# tflm: MUL, int8: assembler for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv7em` from
# tools/asm/armv7em/products.py: change that, not this.

import micropython


# Products of int8 less their zero points: `r0`, `r1` are addresses of elements, `r2` that of words
# for the products, `r3` says how many, how far the next elements are, and the offsets (FIELDS in
# tools/asm/armv7em/products.py).
@micropython.asm_thumb
def products(r0, r1, r2, r3):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB080)  # sub sp, #0
    lsl(r4, r3, 14)
    lsr(r4, r4, 24)
    lsl(r5, r3, 6)
    lsr(r5, r5, 24)
    lsl(r6, r3, 23)
    lsr(r6, r6, 31)
    lsl(r7, r3, 22)
    lsr(r7, r7, 31)
    sub(r4, 128)
    sub(r5, 128)
    lsl(r3, r3, 24)
    lsr(r3, r3, 24)
    data(2, 0xEBAC, 0x0C0C)  # sub r12, r12, r12
    label(next_1)
    data(2, 0xF910, 0x800C)  # ldrsb r8, [r0, r12]
    data(2, 0xF911, 0x900C)  # ldrsb r9, [r1, r12]
    add(r0, r0, r6)
    add(r1, r1, r7)
    data(2, 0xEBA8, 0x0804)  # sub r8, r8, r4
    data(2, 0xEBA9, 0x0905)  # sub r9, r9, r5
    data(2, 0xFB08, 0xC809)  # mla r8, r8, r9, r12
    data(2, 0xF842, 0x8B04)  # str r8, [r2], #4
    sub(r3, 1)
    bne(next_1)
    data(2, 0xB000)  # add sp, #0
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)


# Outputs of products: `r0` is the address of a record of mul.eval_int8, `r1` that of the products,
# `r2` that of the outputs, `r3` their number.
@micropython.asm_thumb
def outputs(r0, r1, r2, r3):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB080)  # sub sp, #0
    add(r0, 56)
    data(2, 0xF8D0, 0x8004)  # ldr r8, [r0, #4]
    data(2, 0xF8D0, 0x9008)  # ldr r9, [r0, #8]
    data(2, 0xF8D0, 0xA014)  # ldr r10, [r0, #20]
    ldr(r6, [r0, 0])
    ldrb(r4, [r0, 24])
    mov(r7, 32)
    sub(r7, r7, r4)
    mov(r4, 1)
    cmp(r7, 0)
    bge(known_1)
    sub(r4, r4, r7)
    mov(r7, 0)
    cmp(r4, 15)
    ble(known_1)
    mov(r4, 15)
    label(known_1)
    data(2, 0xF851, 0x5B04)  # ldr r5, [r1], #4
    lsl(r5, r4)
    data(2, 0xFB55, 0xF51A)  # smmulr r5, r5, r10
    data(2, 0xEB15, 0x75E5)  # adds r5, r5, r5, asr #31
    data(2, 0xFA55, 0xF507)  # asrs r5, r5, r7
    data(2, 0xEB45, 0x0506)  # adc r5, r5, r6
    data(2, 0xF305, 0x0507)  # ssat r5, #8, r5
    data(2, 0x4545)  # cmp r5, r8
    bge(no_less_2)
    mov(r5, r8)
    label(no_less_2)
    data(2, 0x454D)  # cmp r5, r9
    ble(no_more_3)
    mov(r5, r9)
    label(no_more_3)
    data(2, 0xF802, 0x5B01)  # strb r5, [r2], #1
    sub(r3, 1)
    bne(known_1)
    data(2, 0xB000)  # add sp, #0
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)


# Outputs of pairs of int8, four at a time: `r0` is the address of a record of mul.eval_int8, `r1`,
# `r2` are those of the elements, `r3` that of two words: the address of the outputs, and that
# behind the last element at `r1`.
@micropython.asm_thumb
def fours(r0, r1, r2, r3):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB084)  # sub sp, #16
    mov(r8, r1)
    mov(r9, r2)
    ldr(r4, [r3, 0])
    mov(r12, r4)
    ldr(r4, [r3, 4])
    data(2, 0x9400)  # str r4, [sp] end
    add(r0, 48)
    ldr(r4, [r0, 0])
    mov(r5, 128)
    sub(r5, r5, r4)
    data(2, 0xEAC5, 0x4B05)  # pkhbt r11, r5, r5, lsl #16
    ldr(r4, [r0, 4])
    mov(r5, 128)
    sub(r5, r5, r4)
    data(2, 0xEAC5, 0x4E05)  # pkhbt lr, r5, r5, lsl #16
    ldr(r4, [r0, 12])
    mov(r5, r4)
    data(2, 0xF365, 0x250F)  # bfi r5, r5, #8, #8
    data(2, 0xF365, 0x451F)  # bfi r5, r5, #16, #16
    data(2, 0x9502)  # str r5, [sp] minimum
    mov(r6, r4)
    ldr(r4, [r0, 16])
    mov(r5, r4)
    data(2, 0xF365, 0x250F)  # bfi r5, r5, #8, #8
    data(2, 0xF365, 0x451F)  # bfi r5, r5, #16, #16
    data(2, 0x9503)  # str r5, [sp] maximum
    add(r6, 128)
    sub(r4, 127)
    orr(r4, r6)
    data(2, 0x9401)  # str r4, [sp] clamped
    ldr(r6, [r0, 8])
    data(2, 0xF8D0, 0xA01C)  # ldr r10, [r0, #28]
    ldr(r4, [r0, 32])
    mov(r7, 32)
    sub(r7, r7, r4)
    label(next_1)
    data(2, 0xF858, 0x4B04)  # ldr r4, [r8], #4
    data(2, 0xF859, 0x5B04)  # ldr r5, [r9], #4
    data(2, 0xFA2B, 0xF084)  # sxtab16 r0, r11, r4
    data(2, 0xFA2E, 0xF185)  # sxtab16 r1, lr, r5
    data(2, 0xFA91, 0xF101)  # sadd16 r1, r1, r1
    data(2, 0xFA2B, 0xF294)  # sxtab16 r2, r11, r4, ror #8
    data(2, 0xFA2E, 0xF395)  # sxtab16 r3, lr, r5, ror #8
    data(2, 0xFA93, 0xF303)  # sadd16 r3, r3, r3
    data(2, 0xFB10, 0xF401)  # smulbb r4, r0, r1
    data(2, 0xFB12, 0xF503)  # smulbb r5, r2, r3
    data(2, 0xFB10, 0xF031)  # smultt r0, r0, r1
    data(2, 0xFB12, 0xF233)  # smultt r2, r2, r3
    data(2, 0xFB54, 0xF41A)  # smmulr r4, r4, r10
    data(2, 0xEB14, 0x74E4)  # adds r4, r4, r4, asr #31
    data(2, 0xFA54, 0xF407)  # asrs r4, r4, r7
    data(2, 0xEB44, 0x0406)  # adc r4, r4, r6
    data(2, 0xF304, 0x0407)  # ssat r4, #8, r4
    data(2, 0xFB55, 0xF51A)  # smmulr r5, r5, r10
    data(2, 0xEB15, 0x75E5)  # adds r5, r5, r5, asr #31
    data(2, 0xFA55, 0xF507)  # asrs r5, r5, r7
    data(2, 0xEB45, 0x0506)  # adc r5, r5, r6
    data(2, 0xF305, 0x0507)  # ssat r5, #8, r5
    data(2, 0xFB50, 0xF01A)  # smmulr r0, r0, r10
    data(2, 0xEB10, 0x70E0)  # adds r0, r0, r0, asr #31
    data(2, 0xFA50, 0xF007)  # asrs r0, r0, r7
    data(2, 0xEB40, 0x0006)  # adc r0, r0, r6
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xFB52, 0xF21A)  # smmulr r2, r2, r10
    data(2, 0xEB12, 0x72E2)  # adds r2, r2, r2, asr #31
    data(2, 0xFA52, 0xF207)  # asrs r2, r2, r7
    data(2, 0xEB42, 0x0206)  # adc r2, r2, r6
    data(2, 0xF302, 0x0207)  # ssat r2, #8, r2
    data(2, 0xF365, 0x240F)  # bfi r4, r5, #8, #8
    data(2, 0xF360, 0x4417)  # bfi r4, r0, #16, #8
    data(2, 0xF362, 0x641F)  # bfi r4, r2, #24, #8
    data(2, 0x9901)  # ldr r1, [sp] clamped
    cmp(r1, 0)
    beq(ready_2)
    data(2, 0x9A02)  # ldr r2, [sp] minimum
    data(2, 0xFAC4, 0xF102)  # ssub8 r1, r4, r2
    data(2, 0xFAA4, 0xF482)  # sel r4, r4, r2
    data(2, 0x9A03)  # ldr r2, [sp] maximum
    data(2, 0xFAC2, 0xF104)  # ssub8 r1, r2, r4
    data(2, 0xFAA4, 0xF482)  # sel r4, r4, r2
    label(ready_2)
    data(2, 0xF84C, 0x4B04)  # str r4, [r12], #4
    data(2, 0x9C00)  # ldr r4, [sp] end
    data(2, 0x45A0)  # cmp r8, r4
    bcc(next_1)
    data(2, 0xB004)  # add sp, #16
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)
