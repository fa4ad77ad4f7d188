# tflm: MUL, int8: for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..broadcast import expand
from .gen.mul_asm import fours, outputs, products

_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_ROW1 = const(4)
_ROW2 = const(5)
_ACCUMULATORS = const(6)
_STEP1 = const(7)
_STEP2 = const(8)
_EXPAND1 = const(9)
_EXPAND2 = const(10)
_BLOCK = const(11)
_OFFSET1 = const(12)
_OFFSET2 = const(13)
_SHIFT = const(80)  # a byte: the first one of the table

# The geometry of an input (kernels/broadcast.py).
_LEVELS = const(1)
_LENGTH = const(2)
_STRIDE = const(3)
_OUTER_STRIDE = const(5)


# The length of an input that repeats without changes, like one value for each channel; 0 for other
# inputs. `expand` is the word of the record where the input's geometry starts, or 0.
@micropython.viper
def _repeated(op, expand: int) -> int:
    if not expand:
        return 0
    g = ptr32(int(ptr32(op)) + 4 * expand)
    if g[_LEVELS] == 2 and g[_STRIDE] == 1 and not g[_OUTER_STRIDE]:
        return g[_LENGTH]
    return 0


# Units are elements.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    rows = base + (r[_ACCUMULATORS] >> 2)
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    # FIELDS in tools/asm/armv7em/mul.py, without the number of elements.
    how = (step1 & 1) << 8 | (step2 & 1) << 9
    how |= (r[_OFFSET1] & 0xFF) << 10 | (r[_OFFSET2] & 0xFF) << 18
    length1 = int(_repeated(op, r[_EXPAND1]))
    length2 = int(_repeated(op, r[_EXPAND2]))
    # If the elements of both inputs are contiguous and there is no left shift, four elements are
    # computed at once. The scratch buffer then has two addresses in place of products.
    fast = 0
    if step1 + step2 == 2 and ptr8(op)[_SHIFT] <= 32 and r[_BLOCK] > 1:
        fast = 1
    while start < stop:
        count = stop - start
        if r[_EXPAND1] and not length1 or r[_EXPAND2] and not length2:
            if count > r[_BLOCK]:
                count = r[_BLOCK]
        x = input1 + start * step1
        if length1:
            column = start - start // length1 * length1
            x = input1 + column
            if count > length1 - column:
                count = length1 - column
        y = input2 + start * step2
        if length2:
            column = start - start // length2 * length2
            y = input2 + column
            if count > length2 - column:
                count = length2 - column
        if r[_EXPAND1] and not length1:
            expand(op, arena, rom, 0, start, count)
            x = base + (r[_ROW1] >> 2)
        if r[_EXPAND2] and not length2:
            expand(op, arena, rom, 1, start, count)
            y = base + (r[_ROW2] >> 2)
        target = base + (r[_OUTPUT] >> 2) + start
        if fast and count > 3:
            count = count >> 2 << 2
            ptr32(rows)[0] = target
            ptr32(rows)[1] = x + count
            fours(op, x, y, rows)
        else:
            if count > r[_BLOCK]:  # at most 128
                count = r[_BLOCK]
            products(x, y, rows, how | count)
            outputs(op, rows, target, count)
        start += count
