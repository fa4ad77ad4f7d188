# tflm: FULLY_CONNECTED, int8: assembler for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv7em` from
# tools/asm/armv7em/multiply.py: change that, not this.

import micropython


# Outputs of groups of four channels for one row of inputs. `r0` is the address of a block of
# parameters (CONNECT in tools/asm/armv7em/multiply.py).
@micropython.asm_thumb
def connect(r0):
    data(2, 0xE92D, 0x0F00)  # push {r8-r11}
    data(2, 0xB08A)  # sub sp, #40
    ldr(r1, [r0, 0])
    data(2, 0x9100)  # str r1, [sp] stream
    ldr(r1, [r0, 4])
    data(2, 0x9101)  # str r1, [sp] input
    ldr(r1, [r0, 8])
    data(2, 0x9102)  # str r1, [sp] output
    ldr(r1, [r0, 12])
    data(2, 0x9103)  # str r1, [sp] groups
    ldr(r1, [r0, 16])
    data(2, 0x9104)  # str r1, [sp] weights
    ldr(r1, [r0, 20])
    data(2, 0x9105)  # str r1, [sp] zero_point
    ldr(r1, [r0, 24])
    data(2, 0x9106)  # str r1, [sp] clamped
    ldr(r1, [r0, 28])
    data(2, 0x9107)  # str r1, [sp] minimum
    ldr(r1, [r0, 32])
    data(2, 0x9108)  # str r1, [sp] maximum
    data(2, 0xF8DD, 0xB008)  # ldr r11, [sp, #8]
    data(2, 0xF8DD, 0xC000)  # ldr r12, [sp, #0]
    label(group_1)
    data(2, 0xF8DD, 0xE004)  # ldr lr, [sp, #4]
    data(2, 0xF20C, 0x0C04)  # addw r12, r12, #4
    data(2, 0xE8BC, 0x000F)  # ldmia r12!, {r0, r1, r2, r3}
    data(2, 0x9C04)  # ldr r4, [sp] weights
    data(2, 0x4464)  # add r4, r12
    data(2, 0x9409)  # str r4, [sp] weights_end
    label(quad_2)
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFA2F, 0xF584)  # sxtb16 r5, r4
    data(2, 0xFA2F, 0xF494)  # sxtb16 r4, r4, ror #8
    data(2, 0xE8BC, 0x03C0)  # ldmia r12!, {r6, r7, r8, r9}
    data(2, 0xFB25, 0x0006)  # smlad r0, r5, r6, r0
    data(2, 0xFB25, 0x1107)  # smlad r1, r5, r7, r1
    data(2, 0xFB25, 0x2208)  # smlad r2, r5, r8, r2
    data(2, 0xFB25, 0x3309)  # smlad r3, r5, r9, r3
    data(2, 0xE8BC, 0x03C0)  # ldmia r12!, {r6, r7, r8, r9}
    data(2, 0xFB24, 0x0006)  # smlad r0, r4, r6, r0
    data(2, 0xFB24, 0x1107)  # smlad r1, r4, r7, r1
    data(2, 0xFB24, 0x2208)  # smlad r2, r4, r8, r2
    data(2, 0xFB24, 0x3309)  # smlad r3, r4, r9, r3
    data(2, 0xF85E, 0x4B04)  # ldr r4, [lr], #4
    data(2, 0xFA2F, 0xF584)  # sxtb16 r5, r4
    data(2, 0xFA2F, 0xF494)  # sxtb16 r4, r4, ror #8
    data(2, 0xE8BC, 0x03C0)  # ldmia r12!, {r6, r7, r8, r9}
    data(2, 0xFB25, 0x0006)  # smlad r0, r5, r6, r0
    data(2, 0xFB25, 0x1107)  # smlad r1, r5, r7, r1
    data(2, 0xFB25, 0x2208)  # smlad r2, r5, r8, r2
    data(2, 0xFB25, 0x3309)  # smlad r3, r5, r9, r3
    data(2, 0xE8BC, 0x03C0)  # ldmia r12!, {r6, r7, r8, r9}
    data(2, 0xFB24, 0x0006)  # smlad r0, r4, r6, r0
    data(2, 0xFB24, 0x1107)  # smlad r1, r4, r7, r1
    data(2, 0xFB24, 0x2208)  # smlad r2, r4, r8, r2
    data(2, 0xFB24, 0x3309)  # smlad r3, r4, r9, r3
    data(2, 0xF8DD, 0x8024)  # ldr r8, [sp, #36]
    data(2, 0x45C4)  # cmp r12, r8
    bcc(quad_2)
    data(2, 0xF8DD, 0x8014)  # ldr r8, [sp, #20]
    data(2, 0xE8FC, 0x9A02)  # ldrd r9, r10, [r12], #8
    data(2, 0xFB50, 0xF019)  # smmulr r0, r0, r9
    data(2, 0xEB10, 0x70E0)  # adds r0, r0, r0, asr #31
    data(2, 0xFA50, 0xF00A)  # asrs r0, r0, r10
    data(2, 0xEB40, 0x0008)  # adc r0, r0, r8
    data(2, 0xF300, 0x0007)  # ssat r0, #8, r0
    data(2, 0xE8FC, 0x9A02)  # ldrd r9, r10, [r12], #8
    data(2, 0xFB51, 0xF119)  # smmulr r1, r1, r9
    data(2, 0xEB11, 0x71E1)  # adds r1, r1, r1, asr #31
    data(2, 0xFA51, 0xF10A)  # asrs r1, r1, r10
    data(2, 0xEB41, 0x0108)  # adc r1, r1, r8
    data(2, 0xF301, 0x0107)  # ssat r1, #8, r1
    data(2, 0xE8FC, 0x9A02)  # ldrd r9, r10, [r12], #8
    data(2, 0xFB52, 0xF219)  # smmulr r2, r2, r9
    data(2, 0xEB12, 0x72E2)  # adds r2, r2, r2, asr #31
    data(2, 0xFA52, 0xF20A)  # asrs r2, r2, r10
    data(2, 0xEB42, 0x0208)  # adc r2, r2, r8
    data(2, 0xF302, 0x0207)  # ssat r2, #8, r2
    data(2, 0xE8FC, 0x9A02)  # ldrd r9, r10, [r12], #8
    data(2, 0xFB53, 0xF319)  # smmulr r3, r3, r9
    data(2, 0xEB13, 0x73E3)  # adds r3, r3, r3, asr #31
    data(2, 0xFA53, 0xF30A)  # asrs r3, r3, r10
    data(2, 0xEB43, 0x0308)  # adc r3, r3, r8
    data(2, 0xF303, 0x0307)  # ssat r3, #8, r3
    data(2, 0xF361, 0x200F)  # bfi r0, r1, #8, #8
    data(2, 0xF362, 0x4017)  # bfi r0, r2, #16, #8
    data(2, 0xF363, 0x601F)  # bfi r0, r3, #24, #8
    data(2, 0x9906)  # ldr r1, [sp] clamped
    cmp(r1, 0)
    beq(ready_3)
    data(2, 0x9A07)  # ldr r2, [sp] minimum
    data(2, 0xFAC0, 0xF102)  # ssub8 r1, r0, r2
    data(2, 0xFAA0, 0xF082)  # sel r0, r0, r2
    data(2, 0x9A08)  # ldr r2, [sp] maximum
    data(2, 0xFAC2, 0xF100)  # ssub8 r1, r2, r0
    data(2, 0xFAA0, 0xF082)  # sel r0, r0, r2
    label(ready_3)
    data(2, 0xF84B, 0x0B04)  # str r0, [r11], #4
    data(2, 0x9903)  # ldr r1, [sp] groups
    sub(r1, 1)
    data(2, 0x9103)  # str r1, [sp] groups
    bne_w(group_1)
    data(2, 0xB00A)  # add sp, #40
    data(2, 0xE8BD, 0x0F00)  # pop {r8-r11}
    mov(r0, 0)
