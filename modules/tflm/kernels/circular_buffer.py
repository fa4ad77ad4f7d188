# tflm: CIRCULAR_BUFFER
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package signal; check signal

_INPUT = const(1)
_OUTPUT = const(2)
_CYCLES = const(3)
_DEPTH = const(4)
_SLOTS = const(5)
_CYCLES_MAX = const(6)

_ABORTED = const(15)  # errors.ABORTED: the operators after this one are not run


# One unit: move the slots up and append the input. This ends the invoke, except for each
# cycles_max-th time.
@micropython.viper
def eval_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int) -> int:
    depth = op[_DEPTH]
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr8(int(arena) + (op[_OUTPUT] >> 2))
    n = depth * (op[_SLOTS] - 1)
    z = ptr8(int(y) + depth)
    while n > 0:
        y[0] = z[0]
        y = ptr8(int(y) + 1)
        z = ptr8(int(z) + 1)
        n -= 1
    i = 0
    while i < depth:
        y[i] = x[i]
        i += 1
    cycles = ptr32(int(arena) + (op[_CYCLES] >> 2))
    n = cycles[0] + 1
    if n < op[_CYCLES_MAX]:
        cycles[0] = n
        return _ABORTED
    cycles[0] = 0
    return 0
