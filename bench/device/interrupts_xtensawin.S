/* Interrupts for the emulated Xtensa, as FreeRTOS has them on an ESP32: everything is saved, all
   windows of registers go to the stack, and somebody else uses whatever may be used.
   MIT license; Copyright (c) 2026 the tflm authors */

    .set VECTOR, 0x600001c0         /* of level 3, where VECBASE of QEMU_XTENSA is */
    .set CALLER, 64                 /* bytes of a frame that its own extra registers go to */

    .text
    .global _start
_start:
    j begin
    .align 4
    j end

    .align 4
block:                              /* a0..a15, the special registers, then these */
    .space 140
    .set PERIOD, 128
    .set CARELESS, 132
    .set COUNT, 136

    .align 4
at_handler:                         /* these 16 bytes go to the vector, the first word before it */
    .word handler
    wsr.excsave3 a0
    l32r a0, at_handler
    jx a0
    .align 4

    /* begin(ticks between two interrupts | 1 << 16 for those that lose the accumulator) */
    .literal_position
    .align 4
begin:
    entry a1, 32
    movi a3, block
    extui a4, a2, 0, 16
    s32i a4, a3, PERIOD
    extui a5, a2, 16, 1
    s32i a5, a3, CARELESS
    movi a5, 0
    s32i a5, a3, COUNT
    movi a3, at_handler
    movi a5, VECTOR - 4
    .irp at, 0, 4, 8, 12
    l32i a6, a3, \at
    s32i a6, a5, \at
    .endr
    isync
    rsr.ccount a3
    add a3, a3, a4
    wsr.ccompare1 a3
    movi a3, 1 << 10                /* the interrupt of that timer, of level 3 */
    wsr.intenable a3
    rsil a3, 0
    retw

    /* end(): how many there were */
    .align 4
end:
    entry a1, 32
    rsil a3, 15
    movi a2, 0
    wsr.intenable a2
    movi a3, block
    l32i a2, a3, COUNT
    retw

    /* Every special register that an interrupt keeps for whom it interrupts, at words of block. */
    .macro specials do
    \do sar, 64
    \do lbeg, 68
    \do lend, 72
    \do acchi, 76
    \do m0, 80
    \do m1, 84
    \do m2, 88
    \do m3, 92
    \do epc3, 96
    \do eps3, 100
    .endm
    .macro keep register, at
    rsr.\register a2
    s32i a2, a0, \at
    .endm
    .macro bring register, at
    l32i a2, a0, \at
    wsr.\register a2
    .endm

    .literal_position
    .align 4
handler:
    movi a0, block
    s32i a1, a0, 4
    s32i a2, a0, 8
    s32i a3, a0, 12
    rsr.excsave3 a2
    s32i a2, a0, 0
    specials keep
    keep lcount, 104
    keep acclo, 108
    movi a2, 0
    wsr.lcount a2
    movi a2, 0x40003                /* windows on; only levels above this one interrupt */
    wsr.ps a2
    rsync
    and a12, a12, a12               /* a register of another window: that one goes to the stack */
    rotw 3
    and a12, a12, a12
    rotw 3
    and a4, a4, a4
    rotw 2
    .irp n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    s32i a\n, a0, 4 * \n
    .endr

    /* Below the 16 bytes that windows go to, the stack is the interrupt's. */
    addi a4, a1, -16
    movi a5, 64
    movi a6, -0x5a
    loop a5, 1f
    addi a4, a4, -4
    s32i a6, a4, 0
1:
    movi a1, stack_end - CALLER
    movi a2, stack_end
    addi a3, a1, -12
    s32i a2, a3, 0
    wsr.acclo a6
    wsr.acchi a6
    .irp n, 0, 1, 2, 3
    wsr.m\n a6
    .endr
    movi a10, 8
    call8 deeper

    movi a0, block
    .irp n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    l32i a\n, a0, 4 * \n
    .endr
    movi a2, 0x40013                /* within an exception again */
    wsr.ps a2
    rsync
    specials bring
    l32i a2, a0, CARELESS
    bnez a2, 1f
    bring acclo, 108
1:
    bring lcount, 104
    l32i a2, a0, COUNT
    addi a2, a2, 1
    s32i a2, a0, COUNT
    l32i a3, a0, PERIOD
    rsr.ccount a2
    add a2, a2, a3
    wsr.ccompare1 a2
    l32i a1, a0, 4
    l32i a2, a0, 8
    l32i a3, a0, 12
    l32i a0, a0, 0
    rfi 3

    /* More calls than there are windows, each with other registers. */
    .align 4
deeper:
    entry a1, 48
    ssl a2
    movi a3, -1
    mov a4, a3
    mov a5, a3
    mov a6, a3
    mov a7, a3
    beqz a2, 1f
    addi a10, a2, -1
    call8 deeper
1:
    retw

    .align 16
    .space 4096
stack_end:
