# tflm: CUMSUM, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package rnn; check axis

from .requantize import store_int8

_INPUT = const(1)
_OUTPUT = const(2)
_ACCUMULATORS = const(3)
_ROW = const(4)
_DEPTH = const(5)
_INNER = const(6)
_EXCLUSIVE = const(7)
_REVERSE = const(8)
_BLOCK = const(9)
_ZERO_POINT = const(10)
_OUTPUT_ZERO_POINT = const(11)  # the REQUANTIZE block

_HALF = const(19)  # half of TFLM's left shift


# Units are elements in the order of the sums: line by line along the axis, from its end in
# reverse. A slice that starts within a line adds the elements before it again. As in TFLM a sum
# starts from minus the zero point and wraps around at 32 bits.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    output = base + (r[_OUTPUT] >> 2)
    zero_point = (r[_ZERO_POINT] << sign) >> sign
    offset = zero_point + 0x80
    depth = r[_DEPTH]
    inner = r[_INNER]
    line = start // depth
    done = start - line * depth
    while start < stop:
        outer = line // inner
        first = outer * (depth - 1) * inner + line
        step = inner
        if r[_REVERSE]:
            first += (depth - 1) * inner
            step = 0 - inner
        total = 0 - zero_point
        x = ptr8(source + first)
        i = done
        while i:
            total += (x[0] ^ 0x80) - offset
            x = ptr8(int(x) + step)
            i -= 1
        y = ptr8(output + first + done * step)
        left = depth - done
        if left > stop - start:
            left = stop - start
        start += left
        done = 0
        line += 1
        while left:
            count = r[_BLOCK]
            if count > left:
                count = left
            left -= count
            acc = ptr32(base + (r[_ACCUMULATORS] >> 2))
            i = count
            while i:
                v = total
                total += (x[0] ^ 0x80) - offset
                if not r[_EXCLUSIVE]:
                    v = total
                acc[0] = v << _HALF
                x = ptr8(int(x) + step)
                acc = ptr32(int(acc) + 4)
                i -= 1
            rows = r[_ACCUMULATORS] >> 2
            store_int8(op, arena, _OUTPUT_ZERO_POINT, rows, r[_ROW] >> 2, 0, count)
            row = ptr8(base + (r[_ROW] >> 2))
            while count:
                y[0] = row[0]
                row = ptr8(int(row) + 1)
                y = ptr8(int(y) + step)
                count -= 1
