/* Start of the emulated Xtensa: stack, windows, cleared memory, then MicroPython's main().
   MIT license; Copyright (c) 2026 the tflm authors */

    /* The core starts here, wherever the ELF file's entry is. */
    .section .reset, "ax"
    .begin no-transform
    j 1f
    .align 4
0:
    .word _start
1:
    l32r a0, 0b
    jx a0
    .end no-transform

    .text
    .align 4
    .global _start
_start:
    movi a0, 0
    movi a2, 0x60000000             /* the vectors, at the start of RAM */
    wsr.vecbase a2
    movi a2, 0
    wsr.windowbase a2
    rsync
    movi a2, 1
    wsr.windowstart a2
    rsync
    movi a2, 0x4000f                /* windows on, interrupts off */
    wsr.ps a2
    rsync
    movi a0, 0                      /* no caller */
    movi a1, _estack - 64
    movi a3, _sbss
    movi a4, _ebss
    movi a5, 0
1:
    bgeu a3, a4, 2f
    s32i a5, a3, 0
    addi a3, a3, 4
    j 1b
2:
    movi a6, 0
    movi a7, 0
    call4 main
    movi a10, 0
    mov a6, a10
    call4 exit
3:
    j 3b
