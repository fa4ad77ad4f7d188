# tflm: runs steps of a model without MicroPython between them
# MIT license; Copyright (c) 2026 the tflm authors

_WORDS = const(4)  # of a step: the address of its machine code (or 0), record, units, 0


# Run steps until one is no machine code. r0: address of the words of the first step. r1, r2: arena
# and model. r3: number of steps, at least 1. Return how many did not run, or -1 if a step returned
# ABORTED; without r0, an address in this function.
@micropython.asm_thumb
def run_steps(r0, r1, r2, r3):
    cmp(r0, 0)
    beq(WHERE)
    mov(r4, r0)
    mov(r5, r1)
    mov(r6, r2)
    mov(r7, r3)
    label(NEXT)
    ldr(r0, [r4, 0])
    cmp(r0, 0)
    beq(END)
    mov(r12, r0)
    ldr(r0, [r4, 4])
    ldr(r3, [r4, 8])
    mov(r1, r5)
    mov(r2, r6)
    add(r4, 16)
    data(2, 0x47E0)  # blx r12
    cmp(r0, 15)  # ABORTED
    beq(END_OF_RUN)
    sub(r7, 1)
    bne(NEXT)
    label(END)
    mov(r0, r7)
    b(RETURN)
    label(END_OF_RUN)
    mov(r0, 0)
    sub(r0, 1)
    b(RETURN)
    label(WHERE)
    mov(r0, pc)
    label(RETURN)


# Return (steps, run_steps, buffer, address of the buffer) with _WORDS words for each step. The
# function of a step that gets the number of its units (slice_units is 0) is one of the assembler;
# MicroPython's object holds the address of its machine code. Return None if this firmware has
# other objects, if a model has no such steps, or if the address is no small integer.
@micropython.viper
def join(steps, address_of):
    code = ptr32(int(id(run_steps)))[2]
    distance = int(run_steps(0, 0, 0, 0)) - code
    if distance < 0 or distance > 100:
        return None
    count = int(len(steps))
    words = bytearray(4 * _WORDS * count)
    to = ptr32(words)
    is_empty = 1
    i = 0
    while i < count:
        function, record, units, slice_units = steps[i]
        if int(slice_units) == 0:
            to[0] = ptr32(int(id(function)))[2] | 1
            to[1] = int(record)
            to[2] = int(units)
            is_empty = 0
        to = ptr32(int(to) + 4 * _WORDS)
        i += 1
    words_at = address_of(words)
    if is_empty or int(words_at) >> 30:
        return None
    return steps, run_steps, words, words_at
