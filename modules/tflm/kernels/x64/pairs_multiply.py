# tflm: x86-64: a matrix of int8 times a vector of int8, two rows in one multiplication
# MIT license; Copyright (c) 2026 the tflm authors

HALF = 1 << 23  # added to a sum
MAX_WEIGHT = 32895  # sum of absolute weights of a row; times 255 it is below HALF


# sums[i] = before[i] + HALF + sum (weights of row i) * (vector + 128), modulo 2**32, for `rows`
# rows, rounded up to a multiple of 16.
#
# A word of weights has the weights of two rows, w0 + (w1 << 24), as bytes with the top bit flipped
# (w' = w + 128). So are inputs (x' = x + 128):
#   sum w * x' = sum w' * x' - 128 * sum x'
# First the taps with x' > 0 are listed: x' and the distance of their weights from the weights of
# the previous tap. After a RELU many inputs are 0. Then 16 rows at a time read the list.
#
# The parameters that are in registers are addresses: `xv` of the vector, `w` of the weights
# (pack_pairs, `pitch` bytes from sixteen rows to the next), `x` of memory for the list, 8
# bytes for each of `depth` elements.
@micropython.viper
def multiply_pairs(
    xv: int,
    w: ptr32,
    x: ptr32,
    depth: int,
    pitch: int,
    rows: int,
    before: ptr32,
    sums: ptr32,
):
    filters = int(w)
    taps = int(x)
    p = ptr8(xv)
    total = 0
    distance = 0
    while depth:
        xv = p[0] ^ 0x80
        p = ptr8(int(p) + 1)
        if xv:
            x[0] = xv
            x[1] = distance
            x = ptr32(int(x) + 8)
            total += xv
            distance = 0
        distance += 32
        depth -= 1
    count = (int(x) - taps) >> 3
    mask = 0xFFFFFF
    half = 1 << 23
    half = half + (half << 24) - ((total << 7) + (total << 31))
    while rows > 0:
        w = ptr32(filters)
        x = ptr32(taps)
        a0 = half
        a1 = half
        a2 = half
        a3 = half
        a4 = half
        a5 = half
        a6 = half
        a7 = half
        n = count
        while n:
            xv = x[0]
            w = ptr32(int(w) + x[1])
            a0 = w[0] * xv + a0
            a1 = w[1] * xv + a1
            a2 = w[2] * xv + a2
            a3 = w[3] * xv + a3
            a4 = w[4] * xv + a4
            a5 = w[5] * xv + a5
            a6 = w[6] * xv + a6
            a7 = w[7] * xv + a7
            x = ptr32(int(x) + 8)
            n -= 1
        sums[0] = (a0 & mask) + before[0]
        sums[1] = (a0 >> 24 & mask) + before[1]
        sums[2] = (a1 & mask) + before[2]
        sums[3] = (a1 >> 24 & mask) + before[3]
        sums[4] = (a2 & mask) + before[4]
        sums[5] = (a2 >> 24 & mask) + before[5]
        sums[6] = (a3 & mask) + before[6]
        sums[7] = (a3 >> 24 & mask) + before[7]
        sums[8] = (a4 & mask) + before[8]
        sums[9] = (a4 >> 24 & mask) + before[9]
        sums[10] = (a5 & mask) + before[10]
        sums[11] = (a5 >> 24 & mask) + before[11]
        sums[12] = (a6 & mask) + before[12]
        sums[13] = (a6 >> 24 & mask) + before[13]
        sums[14] = (a7 & mask) + before[14]
        sums[15] = (a7 >> 24 & mask) + before[15]
        before = ptr32(int(before) + 64)
        sums = ptr32(int(sums) + 64)
        filters += pitch
        rows -= 16


# Pack `depth` weights of up to 16 contiguous channels: 8 words a tap, each with the weights of
# channels 2i and 2i+1 with their top bits flipped, w0 + (w1 << 24).
@micropython.viper
def pack_pairs(target: int, weights: int, depth: int, channels: int):
    c = 0
    while c < 16:
        p = ptr8(target + (c >> 1 << 2) + (c & 1) * 3)
        w = ptr8(weights + c * depth)
        k = depth
        while k:
            v = 0x80
            if c < channels:
                v = w[0] ^ 0x80
                w = ptr8(int(w) + 1)
            p[0] = v
            p = ptr8(int(p) + 32)
            k -= 1
        c += 1


# Pack all rows of a matrix of `depth` columns for multiply_pairs(), 16 rows at a time.
def pack_rows(target, weights, rows, depth):
    for row in range(0, rows, 16):
        pack_pairs(target + 2 * depth * row, weights + depth * row, depth, min(16, rows - row))
