# tflm: ADD, int8: assembler for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv7em` from
# tools/asm/armv7em/elementwise.py: change that, not this.

import micropython


# A run of a sum of int8. `r0` is the address of a block of parameters (ADD in
# tools/asm/armv7em/elementwise.py).
@micropython.asm_thumb
def add_run(r0):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB08D)  # sub sp, #52
    ldr(r1, [r0, 0])
    data(2, 0x9100)  # str r1, [sp] input1
    ldr(r1, [r0, 4])
    data(2, 0x9101)  # str r1, [sp] input2
    ldr(r1, [r0, 8])
    data(2, 0x9102)  # str r1, [sp] output
    ldr(r1, [r0, 12])
    data(2, 0x9103)  # str r1, [sp] fours_end
    ldr(r1, [r0, 16])
    data(2, 0x9104)  # str r1, [sp] end
    ldr(r1, [r0, 20])
    data(2, 0x9105)  # str r1, [sp] lookup
    ldr(r1, [r0, 24])
    data(2, 0x9106)  # str r1, [sp] factor
    ldr(r1, [r0, 28])
    data(2, 0x9107)  # str r1, [sp] multiplier
    ldr(r1, [r0, 32])
    data(2, 0x9108)  # str r1, [sp] shift
    ldr(r1, [r0, 36])
    data(2, 0x9109)  # str r1, [sp] zero_point
    ldr(r1, [r0, 40])
    data(2, 0x910A)  # str r1, [sp] clamped
    ldr(r1, [r0, 44])
    data(2, 0x910B)  # str r1, [sp] minimum
    ldr(r1, [r0, 48])
    data(2, 0x910C)  # str r1, [sp] maximum
    data(2, 0xF8DD, 0x8000)  # ldr r8, [sp, #0]
    data(2, 0xF8DD, 0xB004)  # ldr r11, [sp, #4]
    data(2, 0xF8DD, 0xC008)  # ldr r12, [sp, #8]
    data(2, 0xF8DD, 0x9014)  # ldr r9, [sp, #20]
    data(2, 0xF8DD, 0xE018)  # ldr lr, [sp, #24]
    data(2, 0xF8DD, 0xA01C)  # ldr r10, [sp, #28]
    data(2, 0x9F08)  # ldr r7, [sp] shift
    data(2, 0x9E09)  # ldr r6, [sp] zero_point
    b(behind_fours_3)
    label(fours_1)
    data(2, 0xF918, 0x4B01)  # ldrsb r4, [r8], #1
    data(2, 0xF81B, 0x5B01)  # ldrb r5, [r11], #1
    data(2, 0xF859, 0x5025)  # ldr r5, [r9, r5, lsl #2]
    data(2, 0xFB04, 0x500E)  # mla r0, r4, lr, r5
    add(r0, r0, r0)
    data(2, 0xFB50, 0xF01A)  # smmulr r0, r0, r10
    data(2, 0xEB10, 0x70E0)  # adds r0, r0, r0, asr #31
    data(2, 0xFA50, 0xF007)  # asrs r0, r0, r7
    data(2, 0xEB40, 0x0006)  # adc r0, r0, r6
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xF918, 0x4B01)  # ldrsb r4, [r8], #1
    data(2, 0xF81B, 0x5B01)  # ldrb r5, [r11], #1
    data(2, 0xF859, 0x5025)  # ldr r5, [r9, r5, lsl #2]
    data(2, 0xFB04, 0x510E)  # mla r1, r4, lr, r5
    add(r1, r1, r1)
    data(2, 0xFB51, 0xF11A)  # smmulr r1, r1, r10
    data(2, 0xEB11, 0x71E1)  # adds r1, r1, r1, asr #31
    data(2, 0xFA51, 0xF107)  # asrs r1, r1, r7
    data(2, 0xEB41, 0x0106)  # adc r1, r1, r6
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    data(2, 0xF918, 0x4B01)  # ldrsb r4, [r8], #1
    data(2, 0xF81B, 0x5B01)  # ldrb r5, [r11], #1
    data(2, 0xF859, 0x5025)  # ldr r5, [r9, r5, lsl #2]
    data(2, 0xFB04, 0x520E)  # mla r2, r4, lr, r5
    add(r2, r2, r2)
    data(2, 0xFB52, 0xF21A)  # smmulr r2, r2, r10
    data(2, 0xEB12, 0x72E2)  # adds r2, r2, r2, asr #31
    data(2, 0xFA52, 0xF207)  # asrs r2, r2, r7
    data(2, 0xEB42, 0x0206)  # adc r2, r2, r6
    data(2, 0xF302, 0x0207)  # ssat r2, #8, r2
    data(2, 0xF918, 0x4B01)  # ldrsb r4, [r8], #1
    data(2, 0xF81B, 0x5B01)  # ldrb r5, [r11], #1
    data(2, 0xF859, 0x5025)  # ldr r5, [r9, r5, lsl #2]
    data(2, 0xFB04, 0x530E)  # mla r3, r4, lr, r5
    add(r3, r3, r3)
    data(2, 0xFB53, 0xF31A)  # smmulr r3, r3, r10
    data(2, 0xEB13, 0x73E3)  # adds r3, r3, r3, asr #31
    data(2, 0xFA53, 0xF307)  # asrs r3, r3, r7
    data(2, 0xEB43, 0x0306)  # adc r3, r3, r6
    data(2, 0xF303, 0x0307)  # ssat r3, #8, r3
    data(2, 0xF361, 0x200F)  # bfi r0, r1, #8, #8
    data(2, 0xF362, 0x4017)  # bfi r0, r2, #16, #8
    data(2, 0xF363, 0x601F)  # bfi r0, r3, #24, #8
    data(2, 0x990A)  # ldr r1, [sp] clamped
    cmp(r1, 0)
    beq(ready_2)
    data(2, 0x9A0B)  # ldr r2, [sp] minimum
    data(2, 0xFAC0, 0xF102)  # ssub8 r1, r0, r2
    data(2, 0xFAA0, 0xF082)  # sel r0, r0, r2
    data(2, 0x9A0C)  # ldr r2, [sp] maximum
    data(2, 0xFAC2, 0xF100)  # ssub8 r1, r2, r0
    data(2, 0xFAA0, 0xF082)  # sel r0, r0, r2
    label(ready_2)
    data(2, 0xF84C, 0x0B04)  # str r0, [r12], #4
    label(behind_fours_3)
    data(2, 0x9C03)  # ldr r4, [sp] fours_end
    data(2, 0x45A0)  # cmp r8, r4
    bcc_w(fours_1)
    label(single_4)
    data(2, 0x9C04)  # ldr r4, [sp] end
    data(2, 0x45A0)  # cmp r8, r4
    bcs_w(done_6)
    data(2, 0xF918, 0x4B01)  # ldrsb r4, [r8], #1
    data(2, 0xF81B, 0x5B01)  # ldrb r5, [r11], #1
    data(2, 0xF859, 0x5025)  # ldr r5, [r9, r5, lsl #2]
    data(2, 0xFB04, 0x500E)  # mla r0, r4, lr, r5
    add(r0, r0, r0)
    data(2, 0xFB50, 0xF01A)  # smmulr r0, r0, r10
    data(2, 0xEB10, 0x70E0)  # adds r0, r0, r0, asr #31
    data(2, 0xFA50, 0xF007)  # asrs r0, r0, r7
    data(2, 0xEB40, 0x0006)  # adc r0, r0, r6
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0x990A)  # ldr r1, [sp] clamped
    cmp(r1, 0)
    beq(single_ready_5)
    data(2, 0x9A0B)  # ldr r2, [sp] minimum
    data(2, 0xFAC0, 0xF102)  # ssub8 r1, r0, r2
    data(2, 0xFAA0, 0xF082)  # sel r0, r0, r2
    data(2, 0x9A0C)  # ldr r2, [sp] maximum
    data(2, 0xFAC2, 0xF100)  # ssub8 r1, r2, r0
    data(2, 0xFAA0, 0xF082)  # sel r0, r0, r2
    label(single_ready_5)
    data(2, 0xF80C, 0x0B01)  # strb r0, [r12], #1
    b(single_4)
    label(done_6)
    data(2, 0xB00D)  # add sp, #52
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)
