# tflm: SignalStacker
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package signal; check signal

_INPUT = const(1)
_OUTPUT = const(2)
_VALID = const(3)
_STACK = const(4)
_CHANNELS = const(5)
_LEFT_CONTEXT = const(6)
_FRAMES = const(7)
_STEP = const(8)


# One unit: push a frame onto the stack; the first frame is also its left context. A full stack is
# output and loses the frames of a step. Otherwise the output keeps its value, as in TFLM; before
# the first full stack TFLM's output is undefined, here it is 0. An impossible count in the state,
# which another task may have written, restarts the stack.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    channels = op[_CHANNELS]
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr16(int(arena) + (op[_OUTPUT] >> 2))
    state = ptr32(int(arena) + (op[_STACK] >> 2))
    stack = ptr16(int(state) + 4)
    count = state[0] - 1
    copies = 1
    first = 0
    if count < 0 or count >= op[_FRAMES]:
        first = 1
        count = 0
        copies += op[_LEFT_CONTEXT]
    size = channels * op[_FRAMES]
    z = ptr16(int(stack) + 2 * channels * count)
    count += copies
    while copies:
        i = 0
        while i < channels:
            z[i] = x[i]
            i += 1
        z = ptr16(int(z) + 2 * channels)
        copies -= 1
    valid = 0
    i = 0
    if count == op[_FRAMES]:
        valid = 1
        while i < size:
            y[i] = stack[i]
            i += 1
        copies = op[_STEP]
        count -= copies
        z = ptr16(int(stack) + 2 * channels * copies)
        i = 0
        while i < channels * count:
            stack[i] = z[i]
            i += 1
    elif first:
        while i < size:
            y[i] = 0
            i += 1
    ptr8(int(arena) + (op[_VALID] >> 2))[0] = valid
    state[0] = count + 1
