/* setjmp and longjmp with register windows; the buffer has 17 words.
   MIT license; Copyright (c) 2026 the tflm authors */

/* Words 0..3: a0..a3 of the caller of setjmp, which are below our stack pointer after the spill.
   Words 4..11: the spilled registers among its a4..a11. Words 12..15: a0..a3 of the caller's
   caller, below the caller's stack pointer. Word 16: the return address. */

    .text
    .align 4
    .global setjmp
    .type setjmp, @function
setjmp:
    entry sp, 32
    movi a10, 8
    call8 spill_windows             /* all windows but ours are on the stack now */
    addi a5, a1, -16
    l32i a3, a5, 0
    l32i a4, a5, 4
    s32i a3, a2, 0
    s32i a4, a2, 4
    l32i a3, a5, 8
    l32i a4, a5, 12
    s32i a3, a2, 8
    s32i a4, a2, 12
    extui a3, a0, 30, 2             /* the call's size in windows: 1, 2 or 3 */
    blti a3, 2, 2f
    l32i a7, a1, 20                 /* end of the caller's extra registers */
    slli a4, a3, 4
    sub a5, a7, a4
    addi a6, a2, 16
    addi a7, a7, -16
1:
    l32i a3, a5, 0
    l32i a4, a5, 4
    s32i a3, a6, 0
    s32i a4, a6, 4
    addi a5, a5, 8
    addi a6, a6, 8
    blt a5, a7, 1b
2:
    l32i a3, a1, 16
    l32i a4, a1, 20
    s32i a3, a2, 48
    s32i a4, a2, 52
    l32i a3, a1, 24
    l32i a4, a1, 28
    s32i a3, a2, 56
    s32i a4, a2, 60
    s32i a0, a2, 64
    movi a2, 0
    retw

    /* The other way round: only our window is left in the register file, so that returning
       brings the caller's from the stack, where the buffer's words are put before. */
    .align 4
    .global longjmp
    .type longjmp, @function
longjmp:
    entry sp, 16
    rsr.windowbase a5
    movi a4, 1
    ssl a5
    sll a4, a4
    wsr.windowstart a4
    rsync
    l32i a0, a2, 64
    addi a7, a1, -16
    l32i a4, a2, 0
    l32i a5, a2, 4
    s32i a4, a7, 0
    s32i a5, a7, 4
    l32i a4, a2, 8
    l32i a5, a2, 12
    s32i a4, a7, 8
    s32i a5, a7, 12
    extui a7, a0, 30, 2
    blti a7, 2, 2f
    l32i a8, a2, 52
    slli a4, a7, 4
    sub a6, a8, a4
    addi a5, a2, 16
    addi a8, a8, -16
1:
    l32i a7, a5, 0
    l32i a4, a5, 4
    s32i a7, a6, 0
    s32i a4, a6, 4
    addi a5, a5, 8
    addi a6, a6, 8
    blt a6, a8, 1b
2:
    l32i a7, a2, 4                  /* the caller's stack pointer */
    addi a7, a7, -16
    l32i a4, a2, 48
    l32i a5, a2, 52
    s32i a4, a7, 0
    s32i a5, a7, 4
    l32i a4, a2, 56
    l32i a5, a2, 60
    s32i a4, a7, 8
    s32i a5, a7, 12
    movi a2, 1
    movnez a2, a3, a3
    retw
