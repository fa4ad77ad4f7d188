# tflm: 48-bit accumulators to int32: TFLM's MultiplyByQuantizedMultiplier for int64
# MIT license; Copyright (c) 2026 the tflm authors

# Words of the block of a record.
_FACTOR = const(0)  # 15 bits
_TOTAL_SHIFT = const(1)  # 1 to 46


# (v * factor + 2**(shift - 1)) >> shift for `count` accumulators of matrix.py at byte offset
# `values` of the arena, which become contiguous words. `block` is the number of the record's word
# with the factor. If `step` is not 0, each accumulator has its own factor and shift, `step` words
# after the previous ones. The accumulator is split into parts of 16, 16 and 16 (signed) bits, so
# that their products with the factor stay below 2**31.
@micropython.viper
def rescale_wide(op, arena, block: int, values: int, count: int, step: int):
    q = ptr32(int(ptr32(op)) + 4 * block)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    x = ptr32(int(ptr8(arena)) + values)
    y = x
    while count:
        factor = q[_FACTOR]
        shift = q[_TOTAL_SHIFT]
        half = 1
        half = half << (shift - 1 & 15)
        q = ptr32(int(q) + 4 * step)
        low = x[0]
        middle = ((x[1] << sign) >> sign) + (low >> 16)
        low = (low & 0xFFFF) * factor
        high = (middle >> 16) * factor
        middle = (middle & 0xFFFF) * factor + (low >> 16)
        low = low & 0xFFFF
        high += middle >> 16
        middle = middle & 0xFFFF
        if shift > 32:
            v = high + half >> shift - 32
        elif shift > 16:
            middle += half
            high += middle >> 16
            v = (high << 32 - shift) + ((middle & 0xFFFF) >> shift - 16)
        else:
            low += half
            middle += low >> 16
            high += middle >> 16
            low = (low & 0xFFFF) >> shift
            v = (high << 32 - shift) + ((middle & 0xFFFF) << 16 - shift) + low
        y[0] = v
        x = ptr32(int(x) + 8)
        y = ptr32(int(y) + 4)
        count -= 1
