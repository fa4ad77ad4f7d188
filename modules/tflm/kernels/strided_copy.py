# tflm: copies elements between two strided tensors: operators that only move elements
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package core; check movers; units independent; order blocks

_INPUT = const(1)
_OUTPUT = const(2)
_INPUT_OFFSET = const(3)
_OUTPUT_OFFSET = const(4)
_SIZE = const(5)
_LOOPS = const(6)
_TABLE = const(7)  # for each loop: number of turns, input stride, output stride


# Items of `size` bytes are copied from one tensor to another in nested loops. Each loop has a
# stride in both tensors; the first loop of the table is the innermost one. Units are items. The
# two innermost loops are loops here; after the second one, the next row is found by division, so
# that any number of loops is possible. Items that touch each other are copied as one. The two
# locals that are in registers, op and arena, become the source and the target.
@micropython.viper
def eval(op: ptr32, arena: ptr32, rom: ptr32, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2) + op[_INPUT_OFFSET]
    target = int(arena) + (op[_OUTPUT] >> 2) + op[_OUTPUT_OFFSET]
    size = op[_SIZE]
    loops = op[_LOOPS]
    table = int(op) + 4 * _TABLE
    turns = op[_TABLE]
    ds = (op[_TABLE + 1] << sign) >> sign
    dt = op[_TABLE + 2]
    rows = op[_TABLE + 3]
    row_ds = (op[_TABLE + 4] << sign) >> sign
    row_dt = op[_TABLE + 5]
    while start < stop:
        first = start % turns
        rest = start // turns
        row = rest % rows
        rest = rest // rows
        s = source + row * row_ds
        t = target + row * row_dt
        op = ptr32(table + 24)
        level = 2
        while level < loops:
            i = rest % op[0]
            rest = rest // op[0]
            s += i * ((op[1] << sign) >> sign)
            t += i * op[2]
            op = ptr32(int(op) + 12)
            level += 1
        # From here to the end of the second loop; one turn copies `left` items from s to t.
        while row < rows and start < stop:
            left = turns - first
            if left > stop - start:
                left = stop - start
            start += left
            row += 1
            a = s + first * ds
            b = t + first * dt
            first = 0
            s += row_ds
            t += row_dt
            op = ptr32(a)
            arena = ptr32(b)
            length = size
            if ds == size and dt == size:
                length = left * size
                left = 1
            if length == 1:
                while left >= 4:
                    ptr8(arena)[0] = ptr8(op)[0]
                    op = ptr32(int(op) + ds)
                    arena = ptr32(int(arena) + dt)
                    ptr8(arena)[0] = ptr8(op)[0]
                    op = ptr32(int(op) + ds)
                    arena = ptr32(int(arena) + dt)
                    ptr8(arena)[0] = ptr8(op)[0]
                    op = ptr32(int(op) + ds)
                    arena = ptr32(int(arena) + dt)
                    ptr8(arena)[0] = ptr8(op)[0]
                    op = ptr32(int(op) + ds)
                    arena = ptr32(int(arena) + dt)
                    left -= 4
                while left:
                    ptr8(arena)[0] = ptr8(op)[0]
                    op = ptr32(int(op) + ds)
                    arena = ptr32(int(arena) + dt)
                    left -= 1
            elif length == 2 and not (a | b | ds | dt) & 1:
                while left:
                    ptr16(arena)[0] = ptr16(op)[0]
                    op = ptr32(int(op) + ds)
                    arena = ptr32(int(arena) + dt)
                    left -= 1
            elif length == 4 and not (a | b | ds | dt) & 3:
                while left:
                    arena[0] = op[0]
                    op = ptr32(int(op) + ds)
                    arena = ptr32(int(arena) + dt)
                    left -= 1
            while left:
                op = ptr32(a)
                arena = ptr32(b)
                n = length
                if n >= 8:
                    if (a ^ b) & 3:
                        while n >= 8:
                            ptr8(arena)[0] = ptr8(op)[0]
                            ptr8(arena)[1] = ptr8(op)[1]
                            ptr8(arena)[2] = ptr8(op)[2]
                            ptr8(arena)[3] = ptr8(op)[3]
                            ptr8(arena)[4] = ptr8(op)[4]
                            ptr8(arena)[5] = ptr8(op)[5]
                            ptr8(arena)[6] = ptr8(op)[6]
                            ptr8(arena)[7] = ptr8(op)[7]
                            op = ptr32(int(op) + 8)
                            arena = ptr32(int(arena) + 8)
                            n -= 8
                    else:
                        while int(op) & 3:
                            ptr8(arena)[0] = ptr8(op)[0]
                            op = ptr32(int(op) + 1)
                            arena = ptr32(int(arena) + 1)
                            n -= 1
                        while n >= 16:
                            arena[0] = op[0]
                            arena[1] = op[1]
                            arena[2] = op[2]
                            arena[3] = op[3]
                            op = ptr32(int(op) + 16)
                            arena = ptr32(int(arena) + 16)
                            n -= 16
                        while n >= 4:
                            arena[0] = op[0]
                            op = ptr32(int(op) + 4)
                            arena = ptr32(int(arena) + 4)
                            n -= 4
                if n:
                    if n & 4:
                        ptr8(arena)[0] = ptr8(op)[0]
                        ptr8(arena)[1] = ptr8(op)[1]
                        ptr8(arena)[2] = ptr8(op)[2]
                        ptr8(arena)[3] = ptr8(op)[3]
                        op = ptr32(int(op) + 4)
                        arena = ptr32(int(arena) + 4)
                    if n & 2:
                        ptr8(arena)[0] = ptr8(op)[0]
                        ptr8(arena)[1] = ptr8(op)[1]
                        op = ptr32(int(op) + 2)
                        arena = ptr32(int(arena) + 2)
                    if n & 1:
                        ptr8(arena)[0] = ptr8(op)[0]
                a += ds
                b += dt
                left -= 1
