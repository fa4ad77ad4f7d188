# tflm: ADD_N, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package more; check add_n

from .requantize import store_int8

_OUTPUT = const(1)
_ACCUMULATORS = const(2)  # scratch: sums of a block, or of all elements
_INPUT0 = const(3)  # and the other inputs after it
_INPUTS = const(11)  # number of inputs
_ACCUMULATOR_BYTES = const(12)  # from one element's accumulator to the next
_CONTINUED = const(13)  # 1: the accumulators have sums of other inputs
_CONTINUES = const(14)  # 1: another record adds more inputs and stores the sums
_OFFSET = const(15)
_BLOCK = const(16)
_OUTPUT_ZERO_POINT = const(17)  # the REQUANTIZE block


# Units are elements. TFLM multiplies the inputs by one half of 2**20, which is exact.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    offset = r[_OFFSET]
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        rows = (r[_ACCUMULATORS] >> 2) + start * r[_ACCUMULATOR_BYTES]
        acc = ptr32(base + rows)
        n = 0
        while n < count:
            acc[n] = (acc[n] if r[_CONTINUED] else 0) - offset
            n += 1
        i = 0
        while i < r[_INPUTS]:
            word = r[_INPUT0 + i]
            x = ptr8((int(ptr8(rom)) if word & 1 else base) + (word >> 2) + start)
            n = 0
            while n < count:
                acc[n] = acc[n] + (x[n] ^ 0x80)
                n += 1
            i += 1
        if not r[_CONTINUES]:
            n = 0
            while n < count:
                acc[n] = acc[n] << 19
                n += 1
            output = (r[_OUTPUT] >> 2) + start
            store_int8(op, arena, _OUTPUT_ZERO_POINT, rows, output, 0, count)
        start += count
