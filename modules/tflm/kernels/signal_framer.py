# tflm: SignalFramer
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package signal; check signal

_INPUT = const(1)
_OUTPUT = const(2)
_VALID = const(3)
_HISTORY = const(4)
_FRAMES = const(5)
_SIZE = const(6)
_STEP = const(7)
_MISSING = const(8)
_HISTORY_LENGTH = const(9)
_HISTORY_ROW = const(10)


# Units are rows. Each step outputs a frame from the start of history and new samples, with 0 for
# samples that have not arrived yet; then both advance by a step.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    size = op[_SIZE]
    step = op[_STEP]
    length = op[_HISTORY_LENGTH]
    frames = op[_FRAMES]
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2) + start * frames * step * 2)
    y = ptr16(int(arena) + (op[_OUTPUT] >> 2) + start * frames * size * 2)
    while start < stop:
        taken = ptr32(int(arena) + (op[_HISTORY] >> 2) + start * op[_HISTORY_ROW])
        history = ptr16(int(taken) + 4)
        valid = 1
        n = frames
        while n:
            complete = 1
            if taken[0] < op[_MISSING]:
                taken[0] = taken[0] + 1
                complete = 0
                valid = 0
            i = 0
            while i < size:
                v = 0
                if complete:
                    v = history[i] if i < length else x[i - length]
                y[i] = v
                i += 1
            i = 0
            while i < length:
                v = i + step
                history[i] = history[v] if v < length else x[v - length]
                i += 1
            x = ptr16(int(x) + 2 * step)
            y = ptr16(int(y) + 2 * size)
            n -= 1
        # All rows have made the same number of steps.
        ptr8(int(arena) + (op[_VALID] >> 2))[0] = valid
        start += 1
