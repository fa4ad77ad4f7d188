/* Interrupts for the emulated RV32, as FreeRTOS has them on an ESP32-C3: at each another task goes
   on, which uses all registers, and its stack.
   MIT license; Copyright (c) 2026 the tflm authors */

    .set MTIME, 0x0200bff8
    .set MTIMECMP, 0x02004000
    .set FRAME, 128

    .text
    .global _start
_start:
    .option push
    .option norvc
    j begin
    j end
    .option pop

    .align 2
period:
    .word 0
count:
    .word 0
other:                              /* the stack pointer of the task that does not run */
    .word 0

    /* Registers but sp, and where to go on, at words of a frame. */
    .macro registers do
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, \
        25, 26, 27, 28, 29, 30, 31
    \do x\n, 4 * \n(sp)
    .endr
    .endm

    /* begin(tenths of microseconds between two interrupts) */
    .align 2
begin:
    la t0, period
    sw a0, 0(t0)
    sw zero, 4(t0)
    la t1, stack_end - FRAME
    sw t1, 8(t0)
    la t2, stranger
    sw t2, 0(t1)
    la t2, handler
    csrw mtvec, t2
    li t2, MTIMECMP
    sw zero, 4(t2)
    li t3, MTIME
    lw t3, 0(t3)
    add t3, t3, a0
    sw t3, 0(t2)
    li t2, 1 << 7                   /* the timer's interrupt */
    csrw mie, t2
    csrsi mstatus, 8                /* on */
    ret

    /* end(): how many there were */
    .align 2
end:
    csrci mstatus, 8
    csrw mie, zero
    lw a0, count
    ret

    .align 2
handler:
    addi sp, sp, -FRAME
    registers sw
    csrr t0, mepc
    sw t0, 0(sp)
    addi t1, sp, -256               /* below is the interrupt's */
1:
    addi t1, t1, 4
    sw t0, -4(t1)
    bltu t1, sp, 1b
    la t0, period
    lw t1, 4(t0)
    addi t1, t1, 1
    sw t1, 4(t0)
    lw t1, 8(t0)
    sw sp, 8(t0)
    mv sp, t1
    li t1, MTIME
    lw t1, 0(t1)
    lw t2, 0(t0)
    add t1, t1, t2
    li t2, MTIMECMP
    sw t1, 0(t2)
    lw t0, 0(sp)
    csrw mepc, t0
    registers lw
    addi sp, sp, FRAME
    mret

    /* The other task. */
    .align 2
stranger:
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, \
        25, 26, 27, 28, 29, 30, 31
    li x\n, -\n
    .endr
    j stranger

    .align 4
    .space 4096
stack_end:
