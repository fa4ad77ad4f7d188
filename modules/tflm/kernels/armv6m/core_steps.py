# tflm: runs steps of a model on a Cortex-M without MicroPython between them
# MIT license; Copyright (c) 2026 the tflm authors

from struct import pack

_MAX_STEPS = const(32)  # as in short_steps.py


# Call functions of machine code until one returns ABORTED. r0: address of words: their number; the
# code's address, record and units of each; 0. r1, r2: arena and model. Return ABORTED or 0;
# without r0, an address in this function.
@micropython.asm_thumb
def run_steps(r0, r1, r2):
    cmp(r0, 0)
    beq(WHERE)
    mov(r4, r0)
    mov(r5, r1)
    mov(r6, r2)
    label(NEXT)
    ldr(r7, [r4, 4])
    mov(r0, r7)
    cmp(r7, 0)
    beq(END)
    ldr(r0, [r4, 8])
    ldr(r3, [r4, 12])
    mov(r1, r5)
    mov(r2, r6)
    add(r4, 12)
    data(2, 0x47B8)  # blx r7
    cmp(r0, 15)
    bne(NEXT)
    b(END)
    label(WHERE)
    mov(r0, pc)
    label(END)


# Return the address of an assembler function's machine code: a field of MicroPython's object.
@micropython.viper
def _address(function) -> int:
    return ptr32(int(id(function)))[2] | 1


# Return (steps, joints, run_steps) for run_short() of short_steps.py. joints: for each step None,
# or the words with which run_steps() runs this step and the next ones. Only steps with one slice
# and the address of a record can be run so. Return None if this firmware has other objects.
def join(steps):
    if not 0 < run_steps(0, 0, 0) - _address(run_steps) < 100:
        return None
    joints = [None] * len(steps)
    begin, words = 0, b""
    for i, (function, record, units, slice_units) in enumerate(steps):
        is_short = slice_units == 0 and isinstance(record, int)
        is_short = is_short and type(function) is type(run_steps)
        if is_short:
            words += pack("<3I", _address(function), record, units)
        if not is_short or i + 1 == len(steps) or len(words) == 12 * _MAX_STEPS:
            if len(words) > 12:
                joints[begin] = pack("<I", len(words) // 12) + words + bytes(4)
            begin, words = i + 1, b""
    return steps, joints, run_steps
