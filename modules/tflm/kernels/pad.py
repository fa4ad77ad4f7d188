# tflm: PAD, PADV2: a tensor in a frame of one value
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package cnn; check movers; units independent; order rows

_INPUT = const(1)
_OUTPUT = const(2)
_VALUE = const(3)
_VALUE_SIZE = const(4)
_BEFORE = const(5)
_INSIDE = const(6)
_AFTER = const(7)
_DIMENSIONS = const(8)
_TABLE = const(9)  # for each dimension: output size, input size, padding before


# Units are rows of the output. A row is padding, or it has `before` bytes of the value, a row of
# the input, and `after` bytes of the value. The value fills a word, which also gives the bytes at
# the ends: byte a & 3 of the word belongs at address a, because values are at multiples of their
# size. The two locals that are in registers, op and arena, become the source and the target.
@micropython.viper
def eval(op: ptr32, arena: ptr32, rom: ptr32, start: int, stop: int):
    base = int(arena)
    word = op[_INPUT]
    source = (int(rom) if word & 1 else base) + (word >> 2)
    word = op[_VALUE]
    p = ptr8((int(rom) if word & 1 else base) + (word >> 2))
    word = p[0]
    if op[_VALUE_SIZE] == 1:
        word = word | word << 8
    else:
        word = word | p[1] << 8
    if op[_VALUE_SIZE] == 4:
        word = word | p[2] << 16 | p[3] << 24
    else:
        word = word | word << 16
    before = op[_BEFORE]
    inside = op[_INSIDE]
    after = op[_AFTER]
    dimensions = op[_DIMENSIONS]
    table = int(op) + 4 * _TABLE
    arena = ptr32(base + (op[_OUTPUT] >> 2) + start * (before + inside + after))
    while start < stop:
        # The row of the input, if any.
        op = ptr32(table)
        rest = start
        row = 0
        weight = 1
        copied = inside
        level = 0
        while level < dimensions:
            i = rest % op[0] - op[2]
            rest = rest // op[0]
            if i < 0 or i >= op[1]:
                copied = 0
                level = dimensions
            else:
                row += i * weight
                weight = weight * op[1]
                op = ptr32(int(op) + 12)
                level += 1
        n = before + inside + after
        if copied:
            n = before
        # Two steps: padding and the row of the input, then padding.
        step = 0
        while step < 2:
            while n and int(arena) & 3:
                ptr8(arena)[0] = word >> ((int(arena) & 3) << 3)
                arena = ptr32(int(arena) + 1)
                n -= 1
            while n >= 16:
                arena[0] = word
                arena[1] = word
                arena[2] = word
                arena[3] = word
                arena = ptr32(int(arena) + 16)
                n -= 16
            while n >= 4:
                arena[0] = word
                arena = ptr32(int(arena) + 4)
                n -= 4
            while n:
                ptr8(arena)[0] = word >> ((int(arena) & 3) << 3)
                arena = ptr32(int(arena) + 1)
                n -= 1
            step += 1
            if step == 1 and copied:
                op = ptr32(source + row * inside)
                if not (int(op) ^ int(arena)) & 3:
                    while copied and int(op) & 3:
                        ptr8(arena)[0] = ptr8(op)[0]
                        op = ptr32(int(op) + 1)
                        arena = ptr32(int(arena) + 1)
                        copied -= 1
                    while copied >= 16:
                        arena[0] = op[0]
                        arena[1] = op[1]
                        arena[2] = op[2]
                        arena[3] = op[3]
                        op = ptr32(int(op) + 16)
                        arena = ptr32(int(arena) + 16)
                        copied -= 16
                while copied:
                    ptr8(arena)[0] = ptr8(op)[0]
                    op = ptr32(int(op) + 1)
                    arena = ptr32(int(arena) + 1)
                    copied -= 1
                n = after
        start += 1
