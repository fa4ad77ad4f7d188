# tflm: SignalDelay
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package signal; check signal

_INPUT = const(1)
_OUTPUT = const(2)
_HISTORY = const(3)
_LENGTH = const(4)
_DELAY = const(5)
_HISTORY_ROW = const(6)


# Units are rows. Each sample replaces the oldest one in the row's ring. An invalid position in the
# state, which another task may have written, counts as the first.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    length = op[_LENGTH]
    delay = op[_DELAY]
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2) + start * length * 2)
    y = ptr16(int(arena) + (op[_OUTPUT] >> 2) + start * length * 2)
    while start < stop:
        position = ptr32(int(arena) + (op[_HISTORY] >> 2) + start * op[_HISTORY_ROW])
        ring = ptr16(int(position) + 4)
        oldest = position[0]
        if oldest < 0 or oldest >= delay:
            oldest = 0
        n = length
        while n:
            v = x[0]
            if delay:
                y[0] = ring[oldest]
                ring[oldest] = v
                oldest += 1
                if oldest == delay:
                    oldest = 0
            else:
                y[0] = v
            x = ptr16(int(x) + 2)
            y = ptr16(int(y) + 2)
            n -= 1
        position[0] = oldest
        start += 1
