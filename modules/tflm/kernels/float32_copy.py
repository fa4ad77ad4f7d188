# float32 elements copied, or one element repeated
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words are explained in float32.py.

from .machine_code import use_machine_code


# dst = a for contiguous elements; a_step 0 fills dst with the element at a.
@micropython.viper
def copy(arena, rom, dst: int, a: int, n: int, a_step: int):
    base = int(ptr8(arena))
    p_dst = ptr32(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + (int(ptr8(rom)) - base) * (a & 1))
    a_step = a_step << 2
    while n:
        p_dst[0] = p_a[0]
        p_dst = ptr32(int(p_dst) + 4)
        p_a = ptr32(int(p_a) + a_step)
        n -= 1


use_machine_code(globals(), "float32")
