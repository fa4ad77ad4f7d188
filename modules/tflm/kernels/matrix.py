# tflm: a matrix of int8 times a vector of int8 or int16: sums of products for many operators
# MIT license; Copyright (c) 2026 the tflm authors

_BLOCK = const(64)  # elements of the vector that are unpacked at a time
_WIDE = const(1 << 24)  # in `offsets`: the vector is int16
_WORDS = const(1 << 25)  # the sums are words although the vector is int16; they may wrap around

_INT16_TO_PAIRS = const(2)  # argument of start_sums


# accumulators[n] += sum (weights[n][d] - their zero point) * (vector[d] - its zero point)
#
# for `rows` rows of `depth` weights that begin `stride` weights apart. The accumulators are words
# at byte offset `acc` of the arena, followed by memory for the taps: min(64, depth) words. `x`
# (the weights) and `vector` are operand words. `offsets` is (128, int16: 32768) + the vector's
# zero point | (128 + the weights' zero point) << 16. With _WIDE each accumulator is a pair of
# words: the low 16 bits with a carry, and the upper bits, whose sum is a number of 48 bits.
#
# Bytes of weights are read unsigned with the top bit flipped (w'): 128 more than their value.
#   sum (w - its zero point) * t = sum w' * t - (128 + its zero point) * sum t
# A block has 64 taps t, so that sums stay below 2**31. The first two parameters are in registers;
# they become the sum and the tap.
@micropython.viper
def multiply(
    acc: int,
    x: ptr32,
    arena,
    rom,
    vector: int,
    depth: int,
    rows: int,
    offsets: int,
    stride: int,
):
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    f = int(x)
    f = (flash if f & 1 else base) + (f >> 2)
    source = (flash if vector & 1 else base) + (vector >> 2)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    wide = offsets & _WIDE
    offset = offsets & 0xFFFF
    weights_offset = offsets >> 16 & 0xFF
    pairs = 0 if offsets & _WORDS else wide
    accumulators = base + acc
    taps = accumulators + (rows << 3 if pairs else rows << 2)
    while depth:
        n = depth
        if n > _BLOCK:
            n = _BLOCK
        depth -= n
        # Unpack up to 64 taps.
        x = ptr32(taps)
        total = 0
        k = n
        if wide:
            h = ptr16(source)
            source += n << 1
            while k:
                acc = (h[0] ^ 0x8000) - offset
                x[0] = acc
                total += acc
                h = ptr16(int(h) + 2)
                x = ptr32(int(x) + 4)
                k -= 1
        else:
            w = ptr8(source)
            source += n
            while k:
                acc = (w[0] ^ 0x80) - offset
                x[0] = acc
                total += acc
                w = ptr8(int(w) + 1)
                x = ptr32(int(x) + 4)
                k -= 1
        # Multiply the taps by the weights.
        total = total * weights_offset
        eights = n >> 3
        ones = n & 7
        p = ptr32(accumulators)
        row = f
        m = rows
        while m:
            acc = 0 - total
            x = ptr32(taps)
            w = ptr8(row)
            k = eights
            while k:
                acc = (w[0] ^ 0x80) * x[0] + acc
                acc = (w[1] ^ 0x80) * x[1] + acc
                acc = (w[2] ^ 0x80) * x[2] + acc
                acc = (w[3] ^ 0x80) * x[3] + acc
                acc = (w[4] ^ 0x80) * x[4] + acc
                acc = (w[5] ^ 0x80) * x[5] + acc
                acc = (w[6] ^ 0x80) * x[6] + acc
                acc = (w[7] ^ 0x80) * x[7] + acc
                w = ptr8(int(w) + 8)
                x = ptr32(int(x) + 32)
                k -= 1
            k = ones
            while k:
                acc = (w[0] ^ 0x80) * x[0] + acc
                w = ptr8(int(w) + 1)
                x = ptr32(int(x) + 4)
                k -= 1
            if pairs:
                acc = (acc << sign) >> sign
                p[0] = (acc & 0xFFFF) + p[0]
                p[1] = (acc >> 16) + p[1]
                p = ptr32(int(p) + 8)
            else:
                p[0] = acc + p[0]
                p = ptr32(int(p) + 4)
            row += stride
            m -= 1
        f += n


# Set `count` accumulators to the values of `bias` (an operand word) from element `first` on, or to
# 0 if there is no bias. `wide` is 0 for int32 to words, 1 for int64 and 2 for int16 to pairs.
@micropython.viper
def start_sums(arena, rom, scratch: int, bias: int, first: int, count: int, wide: int):
    p = ptr32(int(ptr8(arena)) + scratch)
    size = 4 << (wide & 1)
    if wide == _INT16_TO_PAIRS:
        size = 2
    b = (int(ptr8(rom)) if bias & 1 else int(ptr8(arena))) + (bias >> 2) + first * size
    while count:
        low = 0
        high = 0
        if bias != 1:
            if size == 2:
                low = (ptr16(b)[0] ^ 0x8000) - 0x8000
                high = low >> 16
            else:
                low = ptr32(b)[0]
                if size == 8:
                    high = (low >> 16 & 0xFFFF) + (ptr32(b)[1] << 16)
            b += size
        if wide:
            p[1] = high
            p[0] = low & 0xFFFF
            p = ptr32(int(p) + 8)
        else:
            p[0] = low
            p = ptr32(int(p) + 4)
        count -= 1
