/* Exceptions of the emulated Xtensa: register windows that overflow and underflow, and faults.
   MIT license; Copyright (c) 2026 the tflm authors */

/* A call by 4, 8 or 12 registers leaves a0..a3, a0..a7 or a0..a11 of the caller in the register
   file. When the file is full they go to the stack: the first four below the callee's stack
   pointer, the others below the caller's own frame, which is found 12 bytes below its pointer. */

    /* Move a register to its place below the base register, or back. */
    .macro spill register, base, offset
    s32e \register, \base, \offset
    .endm
    .macro fill register, base, offset
    l32e \register, \base, \offset
    .endm

    .section .vectors, "ax"
    .begin no-transform

    .org 0x000                      /* overflow of 4 */
overflow4:
    spill a0, a5, -16
    spill a1, a5, -12
    spill a2, a5, -8
    spill a3, a5, -4
    rfwo

    .org 0x040                      /* underflow of 4 */
underflow4:
    fill a0, a5, -16
    fill a1, a5, -12
    fill a2, a5, -8
    fill a3, a5, -4
    rfwu

    .org 0x080                      /* overflow of 8 */
overflow8:
    spill a0, a9, -16
    fill a0, a1, -12                /* the caller's frame */
    spill a1, a9, -12
    spill a2, a9, -8
    spill a3, a9, -4
    spill a4, a0, -32
    spill a5, a0, -28
    spill a6, a0, -24
    spill a7, a0, -20
    rfwo

    .org 0x0c0                      /* underflow of 8 */
underflow8:
    fill a0, a9, -16
    fill a1, a9, -12
    fill a2, a9, -8
    fill a7, a1, -12
    fill a3, a9, -4
    fill a4, a7, -32
    fill a5, a7, -28
    fill a6, a7, -24
    fill a7, a7, -20
    rfwu

    .org 0x100                      /* overflow of 12 */
overflow12:
    spill a0, a13, -16
    fill a0, a1, -12
    spill a1, a13, -12
    spill a2, a13, -8
    spill a3, a13, -4
    spill a4, a0, -48
    spill a5, a0, -44
    spill a6, a0, -40
    spill a7, a0, -36
    spill a8, a0, -32
    spill a9, a0, -28
    spill a10, a0, -24
    spill a11, a0, -20
    rfwo

    .org 0x140                      /* underflow of 12 */
underflow12:
    fill a0, a13, -16
    fill a1, a13, -12
    fill a2, a13, -8
    fill a11, a1, -12
    fill a3, a13, -4
    fill a4, a11, -48
    fill a5, a11, -44
    fill a6, a11, -40
    fill a7, a11, -36
    fill a8, a11, -32
    fill a9, a11, -28
    fill a10, a11, -24
    fill a11, a11, -20
    rfwu

    /* MOVSP raises an exception when its caller's window is on the stack: go back to that window
       and let the underflow that fits its last call bring it in; then MOVSP runs again. */
    .org 0x180
movsp:
    rsr.windowbase a0
    rotw -1
    rsr.ps a2
    extui a3, a2, 8, 4              /* PS.OWB, to become the base before the rotation */
    xor a3, a3, a4
    rsr.excsave1 a4                 /* a0 of the interrupted function: its call's size on top */
    slli a3, a3, 8
    xor a2, a2, a3
    wsr.ps a2
    rsync
    bbsi a4, 31, 1f
    j underflow4
1:
    rotw -1
    bbsi a8, 30, 1f
    j underflow8
1:
    rotw -1
    j underflow12

    .org 0x300                      /* exceptions of the kernel and of users */
    wsr.excsave1 a0
    rsr.exccause a0
    beqi a0, 5, 1f                  /* 5: MOVSP */
    j fault
1:
    j movsp
    .org 0x340
    wsr.excsave1 a0
    rsr.exccause a0
    beqi a0, 5, 1f
    j fault
1:
    j movsp

    .org 0x3c0                      /* an exception within an exception */
    j fault
    .org 0x3d0
fault:
    j report
    .org 0x400
    .end no-transform

    /* Report the cause and stop qemu with exit code 100 + cause. a2: simcall's number. */
    .text
    .align 4
report:
    movi a1, _estack - 4096         /* whatever the stack was */
    movi a2, 0x40000                /* windows on, exceptions as usual */
    wsr.ps a2
    rsync
    movi a2, 0
    wsr.windowbase a2
    rsync
    movi a2, 1
    wsr.windowstart a2
    rsync
    movi a1, _estack - 4096
    movi a0, 0
    rsr.exccause a6
    rsr.epc1 a7
    rsr.excvaddr a8
    mov a10, a6
    mov a11, a7
    mov a12, a8
    call8 fault_report
