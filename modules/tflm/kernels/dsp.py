# tflm: dot products with weights as halfwords, for boards without the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors


# Sums of a group of four channels. `memory` holds the group's stream (prepare/dsp.py) at byte
# `stream`, the arena holds int8 inputs in whole words at `taps`. TFLM's four int32 sums, which are
# the sums of the stream divided by the factor of its weights, are stored at `sums`.
@micropython.viper
def sum_group(arena, memory, stream: int, taps: int, sums: int, quads: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    base = int(ptr8(arena))
    group = ptr32(int(ptr8(memory)) + stream)
    channel = 0
    while channel < 4:
        acc = (group[1 + channel] << sign) >> sign
        w = ptr16(int(group) + 20 + 4 * channel)
        x = ptr8(base + taps)
        k = quads
        while k:
            pairs = 2
            while pairs:
                acc += ((w[0] ^ 0x8000) - 0x8000) * ((x[0] ^ 0x80) - 0x80)
                acc += ((w[1] ^ 0x8000) - 0x8000) * ((x[2] ^ 0x80) - 0x80)
                w = ptr16(int(w) + 16)
                x = ptr8(int(x) + 1)
                pairs -= 1
            x = ptr8(int(x) + 2)
            k -= 1
        acc = (acc << sign) >> sign
        tail = ptr32(int(group) + 20 + 32 * quads)
        if group[0]:
            # The factor; its upper 24 bits were added to the sum.
            k = (tail[4 + channel] << sign) >> sign
            acc -= k >> 8
            k = k & 0xFF
            if k:  # never 0 in a stream that Prepare has written
                acc = acc // k
        else:
            acc = acc >> (tail[2 * channel + 1] >> 8)
        ptr32(base + sums)[channel] = acc
        channel += 1
