# tflm: x86-64: packs weights for the kernels whose records are rewritten
# MIT license; Copyright (c) 2026 the tflm authors


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
