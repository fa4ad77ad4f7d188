# tflm: RESIZE_NEAREST_NEIGHBOR, all types
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package cnn; check movers; units independent

_INPUT = const(1)
_OUTPUT = const(2)
_DEPTH = const(3)  # bytes of a pixel
_WIDTH = const(4)
_HEIGHT = const(5)
_OUT_WIDTH = const(6)
_OUT_HEIGHT = const(7)
_COLUMNS = const(8)
# The input rows of the output rows as 16 bits; then, from `columns` on, the input columns.
_TABLE = const(9)


# Units are rows of the output. A pixel is copied as bytes, or as words if all pixels are
# word-aligned. The two locals that are in registers, op and arena, become the source and the
# target.
@micropython.viper
def eval(op: ptr32, arena: ptr32, rom: ptr32, start: int, stop: int):
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    depth = op[_DEPTH]
    row_bytes = op[_WIDTH] * depth
    height = op[_HEIGHT]
    out_width = op[_OUT_WIDTH]
    out_height = op[_OUT_HEIGHT]
    rows = ptr16(int(op) + 4 * _TABLE)
    columns = int(rows) + 2 * op[_COLUMNS]
    arena = ptr32(int(arena) + (op[_OUTPUT] >> 2) + start * out_width * depth)
    words = 0
    if not (source | int(arena) | depth) & 3:
        words = 1
    while start < stop:
        row = source + (start // out_height * height + rows[start % out_height]) * row_bytes
        column = ptr16(columns)
        left = out_width
        if depth == 1:
            while left:
                ptr8(arena)[0] = ptr8(row)[column[0]]
                column = ptr16(int(column) + 2)
                arena = ptr32(int(arena) + 1)
                left -= 1
        while left:
            op = ptr32(row + column[0] * depth)
            column = ptr16(int(column) + 2)
            n = depth
            if words:
                while n >= 16:
                    arena[0] = op[0]
                    arena[1] = op[1]
                    arena[2] = op[2]
                    arena[3] = op[3]
                    op = ptr32(int(op) + 16)
                    arena = ptr32(int(arena) + 16)
                    n -= 16
                while n:
                    arena[0] = op[0]
                    op = ptr32(int(op) + 4)
                    arena = ptr32(int(arena) + 4)
                    n -= 4
            if n:
                while n >= 4:
                    ptr8(arena)[0] = ptr8(op)[0]
                    ptr8(arena)[1] = ptr8(op)[1]
                    ptr8(arena)[2] = ptr8(op)[2]
                    ptr8(arena)[3] = ptr8(op)[3]
                    op = ptr32(int(op) + 4)
                    arena = ptr32(int(arena) + 4)
                    n -= 4
                if n & 2:
                    ptr8(arena)[0] = ptr8(op)[0]
                    ptr8(arena)[1] = ptr8(op)[1]
                    op = ptr32(int(op) + 2)
                    arena = ptr32(int(arena) + 2)
                if n & 1:
                    ptr8(arena)[0] = ptr8(op)[0]
                    arena = ptr32(int(arena) + 1)
            left -= 1
        start += 1
