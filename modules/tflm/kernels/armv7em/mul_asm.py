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
