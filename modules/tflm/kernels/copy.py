# tflm: bytes from one tensor to another
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
from micropython import const

_INPUT = const(1)
_OUTPUT = const(2)


# Units are bytes. Words at a time where both sides allow it.
@micropython.viper
def eval_bytes(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):  # noqa: F821
    word = op[_INPUT]
    source = int(rom) if word & 1 else int(arena)
    source += (word >> 2) + start
    target = int(arena) + (op[_OUTPUT] >> 2) + start
    left = stop - start
    if not (source | target) & 3:
        s = ptr32(source)  # noqa: F821
        t = ptr32(target)  # noqa: F821
        while left >= 16:
            t[0] = s[0]
            t[1] = s[1]
            t[2] = s[2]
            t[3] = s[3]
            s = ptr32(int(s) + 16)  # noqa: F821
            t = ptr32(int(t) + 16)  # noqa: F821
            left -= 16
        source = int(s)
        target = int(t)
    a = ptr8(source)  # noqa: F821
    b = ptr8(target)  # noqa: F821
    while left:
        b[0] = a[0]
        a = ptr8(int(a) + 1)  # noqa: F821
        b = ptr8(int(b) + 1)  # noqa: F821
        left -= 1
