# tflm: fills a tensor with one value: FILL, ZEROS_LIKE, paddings
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package more; check movers

_VALUE = const(1)
_OUTPUT = const(2)
_SIZE = const(3)  # bytes of the value: 1, 2, 4 or 8


# Units are values. The value is repeated to fill two words; byte a & 3 of a word belongs at
# address a, because values are at multiples of their size.
@micropython.viper
def eval(op: ptr32, arena: ptr32, rom: ptr32, start: int, stop: int):
    word = op[_VALUE]
    p = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    size = op[_SIZE]
    low = p[0]
    if size == 1:
        low = low | low << 8
    else:
        low = low | p[1] << 8
    if size < 4:
        low = low | low << 16
    else:
        low = low | p[2] << 16 | p[3] << 24
    high = low
    if size == 8:
        high = p[4] | p[5] << 8 | p[6] << 16 | p[7] << 24
    arena = ptr32(int(arena) + (op[_OUTPUT] >> 2) + start * size)
    left = (stop - start) * size
    while left and int(arena) & 3:
        ptr8(arena)[0] = low >> ((int(arena) & 3) << 3)
        arena = ptr32(int(arena) + 1)
        left -= 1
    while left >= 16:
        arena[0] = low
        arena[1] = high
        arena[2] = low
        arena[3] = high
        arena = ptr32(int(arena) + 16)
        left -= 16
    while left >= 4:
        arena[0] = low
        arena = ptr32(int(arena) + 4)
        left -= 4
        word = low
        low = high
        high = word
    while left:
        ptr8(arena)[0] = low >> ((int(arena) & 3) << 3)
        arena = ptr32(int(arena) + 1)
        left -= 1
