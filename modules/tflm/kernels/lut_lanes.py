# tflm: unpacks inputs to pairs of 16-bit lanes, for weights that are indices of values
# MIT license; Copyright (c) 2026 the tflm authors


# Unpack `depth` inputs to lanes, padded with zeros to a multiple of eight. `to` is the arena, `v`
# the offset of the lanes in it; `memory` holds the inputs at offset `at`. `to` and `v` are in
# registers.
@micropython.viper
def to_lanes(to: ptr32, v: int, memory: ptr8, at: int, depth: int):
    to = ptr32(int(to) + v)
    half = 0x00800080
    flip = (half << 8) + half
    mask = 0x00FF00FF
    x = ptr8(int(memory) + at)
    n = depth
    while n > 0:
        if depth & 3:  # rows that begin at any address
            k = 4 if n > 4 else n
            v = 0
            while k:
                k -= 1
                v = v << 8 | x[k]
        else:
            v = ptr32(x)[0]
        v = v ^ flip
        to[0] = (v & mask) - half
        to[1] = (v >> 8 & mask) - half
        to = ptr32(int(to) + 8)
        x = ptr8(int(x) + 4)
        n -= 4
    if depth + 3 & 4:
        to[0] = 0
        to[1] = 0
