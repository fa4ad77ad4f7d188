# tflm: SignalOverlapAdd
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16 float32; package signal; check signal

from .float32 import add

_INPUT = const(1)
_OUTPUT = const(2)
_SUMS = const(3)
_FRAMES = const(4)
_SIZE = const(5)
_STEP = const(6)

_ALL = const(1 | 1 << 10 | 1 << 20)


# Units are rows. Sums saturate.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    size = op[_SIZE]
    step = op[_STEP]
    frames = op[_FRAMES]
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2) + start * frames * size * 2)
    y = ptr16(int(arena) + (op[_OUTPUT] >> 2) + start * frames * step * 2)
    while start < stop:
        sums = ptr16(int(arena) + (op[_SUMS] >> 2) + start * size * 2)
        n = frames
        while n:
            i = 0
            while i < size:
                v = (x[i] ^ 0x8000) + (sums[i] ^ 0x8000) - 0x10000
                if v > 0x7FFF:
                    v = 0x7FFF
                if v < -0x8000:
                    v = -0x8000
                # Samples that are complete are output; the others move up.
                if i < step:
                    y[i] = v
                else:
                    sums[i - step] = v
                i += 1
            i -= step
            while i < size:
                sums[i] = 0
                i += 1
            x = ptr16(int(x) + 2 * size)
            y = ptr16(int(y) + 2 * step)
            n -= 1
        start += 1


# Units are rows.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    size = r[_SIZE]
    step = r[_STEP]
    frames = r[_FRAMES]
    y = ptr32(int(ptr8(arena)) + (r[_OUTPUT] >> 2) + start * frames * step * 4)
    while start < stop:
        word = r[_SUMS] + (start * size << 4)
        sums = ptr32(int(ptr8(arena)) + (word >> 2))
        n = 0
        while n < frames:
            add(arena, rom, word, word, r[_INPUT] + ((start * frames + n) * size << 4), size, _ALL)
            i = 0
            while i < size:
                v = sums[i]
                if i < step:
                    y[i] = v
                else:
                    sums[i - step] = v
                i += 1
            i -= step
            while i < size:
                sums[i] = 0
                i += 1
            y = ptr32(int(y) + 4 * step)
            n += 1
        start += 1
