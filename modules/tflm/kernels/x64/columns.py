# tflm: x86-64: records of columns_run.py for DEPTHWISE_CONV_2D whose window is a line of pixels
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import address_of, new_record


# Return a record for `sizes`: (units a pixel, channels, taps, bytes from one tap to the next,
# bytes from one window to the next), or None if it takes more than `max_bytes` or the channels are
# not a multiple of four. `operands`: words of input and output; `limits`: zero point, lowest and
# highest value of the output. `channel(i)` gives (address of the weights, bytes from one to the
# next, bias, zero point of input values + 128, multiplier, right shift).
def column_record(units, operands, sizes, limits, channel, max_bytes):
    channels, taps = sizes[1:3]
    if channels & 3 or not taps:
        return None
    fields = [units] + operands + list(sizes) + limits
    # Sizes of the sums, constants and weights.
    bound, offsets = new_record(
        fields, (4 * channels, 12 * channels, 4 * channels * taps), max_bytes
    )
    if bound is None:
        return None
    sums, constants, weights = [address_of(bound) + offset for offset in offsets]
    for i in range(channels):
        to = weights + 16 * taps * (i >> 2) + 4 * (i & 3)
        _fill(constants + 12 * i, to, taps, *channel(i))
    return bound


# Write the constants and the weights of a channel.
@micropython.viper
def _fill(
    out: int,
    to: int,
    taps: int,
    weights: int,
    step: int,
    bias: int,
    zero_point: int,
    multiplier: int,
    shift: int,
):
    w = ptr8(weights)
    p = ptr32(to)
    while taps:
        v = (w[0] ^ 0x80) - 0x80
        p[0] = v
        bias -= zero_point * v
        w = ptr8(int(w) + step)
        p = ptr32(int(p) + 16)
        taps -= 1
    p = ptr32(out)
    p[0] = bias
    p[1] = multiplier
    p[2] = shift
