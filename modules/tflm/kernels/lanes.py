# tflm: dot products with weights in lanes, for boards without an assembler kernel
# MIT license; Copyright (c) 2026 the tflm authors

import micropython


# Sums of a group of four channels: `memory` holds its stream (prepare/lanes.py) at byte `stream`,
# with `size` (1 or 2) bytes a weight; the arena int8 inputs in whole quads at `taps`; the four
# int32 sums go to `sums`.
@micropython.viper
def sum_group(arena, memory, stream: int, size: int, taps: int, sums: int, quads: int):
    base = int(ptr8(arena))
    group = int(ptr8(memory)) + stream
    channel = 0
    while channel < 4:
        acc = ptr32(group)[channel]
        w = ptr16(group + 16 + 4 * channel)
        b = ptr8(group + 16 + 4 * (channel >> 1) + (channel & 1))
        x = ptr8(base + taps)
        k = quads
        while k:
            pairs = 2
            while pairs:
                if size == 1:
                    low = (b[0] ^ 0x80) - 0x80
                    high = (b[2] ^ 0x80) - 0x80
                else:
                    # The upper lane is 1 less than its weight where the lower one is negative.
                    low = w[0]
                    high = ((w[1] + (low >> 15) & 0xFFFF) ^ 0x8000) - 0x8000
                    low = (low ^ 0x8000) - 0x8000
                acc += high * ((x[0] ^ 0x80) - 0x80) + low * ((x[2] ^ 0x80) - 0x80)
                w = ptr16(int(w) + 16)
                b = ptr8(int(b) + 8)
                x = ptr8(int(x) + 1)
                pairs -= 1
            x = ptr8(int(x) + 2)
            k -= 1
        ptr32(base + sums)[channel] = acc
        channel += 1
