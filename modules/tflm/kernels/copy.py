# tflm: all bytes from one tensor to another: RESHAPE, SQUEEZE, EXPAND_DIMS
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package core; check movers; order elements

_INPUT = const(1)
_OUTPUT = const(2)


# Units are bytes. They are copied as words if both addresses allow it. The two locals that are in
# registers, op and arena, become the source and the target.
@micropython.viper
def eval_bytes(op: ptr32, arena: ptr32, rom: ptr32, start: int, stop: int):
    word = op[_INPUT]
    target = int(arena) + (op[_OUTPUT] >> 2) + start
    op = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2) + start)
    arena = ptr32(target)
    left = stop - start
    if not (int(op) | target) & 3:
        while left >= 32:
            arena[0] = op[0]
            arena[1] = op[1]
            arena[2] = op[2]
            arena[3] = op[3]
            arena[4] = op[4]
            arena[5] = op[5]
            arena[6] = op[6]
            arena[7] = op[7]
            op = ptr32(int(op) + 32)
            arena = ptr32(int(arena) + 32)
            left -= 32
    while left:
        ptr8(arena)[0] = ptr8(op)[0]
        op = ptr32(int(op) + 1)
        arena = ptr32(int(arena) + 1)
        left -= 1
