# tflm: expands a block of an input to the shape of the output, for binary operators
# MIT license; Copyright (c) 2026 the tflm authors

_INPUT1 = const(1)
_ROW1 = const(4)
_EXPAND1 = const(9)

# The geometry: these two words, then length and stride in bytes of each level, innermost first.
_SIZE = const(0)
_LEVELS = const(1)
_LENGTH = const(2)
_STRIDE = const(3)


# Copy the input elements of outputs start..start + count - 1 from input `which` (0 or 1) to its
# row in scratch. The innermost level is a run of elements or one element repeated. The offset of
# each run follows from its number by division, except in the outermost level.
@micropython.viper
def expand(op, arena, rom, which: int, start: int, count: int):
    r = ptr32(op)
    word = r[_INPUT1 + which]
    source = int(ptr8(rom)) if word & 1 else int(ptr8(arena))
    source += word >> 2
    target = int(ptr8(arena)) + (r[_ROW1 + which] >> 2)
    g = ptr32(int(r) + 4 * r[_EXPAND1 + which])
    size = g[_SIZE]
    length = g[_LENGTH]
    step = g[_STRIDE]
    outermost = 2 * g[_LEVELS]
    run = start // length
    column = start - run * length
    while count > 0:
        at = source + column * step
        rest = run
        level = _LENGTH + 2
        while level < outermost:
            quotient = rest // g[level]
            at += (rest - quotient * g[level]) * g[level + 1]
            rest = quotient
            level += 2
        at += rest * g[level + 1]
        n = length - column
        if n > count:
            n = count
        count -= n
        run += 1
        column = 0
        if size == 1:
            x = ptr8(at)
            y = ptr8(target)
            target += n
            while n:
                y[0] = x[0]
                x = ptr8(int(x) + step)
                y = ptr8(int(y) + 1)
                n -= 1
        elif size == 2:
            x2 = ptr16(at)
            y2 = ptr16(target)
            target += n << 1
            while n:
                y2[0] = x2[0]
                x2 = ptr16(int(x2) + step)
                y2 = ptr16(int(y2) + 2)
                n -= 1
        else:
            x4 = ptr32(at)
            y4 = ptr32(target)
            target += n * size
            if size == 4:
                while n:
                    y4[0] = x4[0]
                    x4 = ptr32(int(x4) + step)
                    y4 = ptr32(int(y4) + 4)
                    n -= 1
            while n:
                y4[0] = x4[0]
                y4[1] = x4[1]
                x4 = ptr32(int(x4) + step)
                y4 = ptr32(int(y4) + 8)
                n -= 1
