# tflm: one multiplication that replaces TFLM's two roundings, for the vector unit of the ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors

# The kernels compute an output as ((q * a + d) * p) >> 32 >> s, limited to int8, of a sum a
# (without bias). fold() finds p and d for which this is TFLM's output for all sums of a channel.
# The output's zero point is -128: TFLM rounds halves away from zero, so that outputs on both sides
# of the zero point are not one line.

SCALE_BITS = 12  # of DEPTHWISE_CONV_2D: q is a power of 2, and s has the same number of bits
_MAX_SCALE_BITS = 12
_MAX_SHIFT = 31
_NEIGHBOURS = (0, 1, -1, 2, -2, 3, -3)  # differences of p to try
_MAX = 1 << 31


# Return (d, p, -1 - s, q) of FOLDED, or None. Large q and p are the most precise.
def folded(channel, zero_point):
    lowest, highest = _range(channel, zero_point)
    largest = max(abs(lowest), abs(highest)) + (256 << channel.shift)
    bits = _MAX_SCALE_BITS
    while bits and largest << bits >= _MAX:
        bits -= 1
    shift = min(_MAX_SHIFT, max(0, channel.shift + bits - 1))
    numbers = fold(channel, zero_point, bits, shift)
    return (numbers[0], numbers[1], -1 - shift, 1 << bits) if numbers else None


# Return (d, p) of FOLDED for q = 2**bits, or None.
def fold(channel, zero_point, bits, shift):
    lowest, highest = _range(channel, zero_point)
    steps = _steps(channel, lowest, highest)
    if lowest == highest:  # a constant output, whose bias may be too large for the rest
        k = -128 if steps[1] is None else steps[1]
        return (2 * k + 1) << (1 + shift), _MAX >> 1
    left = 1 + shift - channel.shift - bits
    middle = channel.multiplier << left if left >= 0 else channel.multiplier >> 0 - left
    for p in [middle + i for i in _NEIGHBOURS]:
        if 0 < p < _MAX:
            d = _offset(steps, 1 << bits, p, 32 + shift, lowest, highest)
            if d is not None:
                return d + (channel.bias << bits), p
    return None


# Return (lowest, highest) sum of a channel, with its bias, for any inputs.
def _range(channel, zero_point):
    total, above = sum(channel.row), sum([w for w in channel.row if w > 0])
    low, high = -128 - zero_point, 127 - zero_point
    below = total - above
    bias = channel.bias + zero_point * total
    return bias + above * low + below * high, bias + above * high + below * low


# Return the steps between outputs: [(output above -128, smallest sum of this output)] of those
# that sums reach, first the two at which most factors fail; the last output whose sums are all
# that exist or None; the first output that no sum reaches or None. See prepare/folding.py.
def _steps(channel, lowest, highest):
    multiplier, shift = channel.multiplier, channel.shift
    reached, rests, below, above = [], [], None, None
    if not multiplier:
        return reached, below, -127
    exact = ((((1 << shift) + 1) >> 1) << 31) - (1 << 30)
    for k in range(-127, 128):
        at = 0 - ((0 - exact) // multiplier)
        if at > highest:
            above = k
            break
        if at <= lowest:
            below = k
        else:
            reached.append((k, at))
            rests.append(at * multiplier - exact)
        exact += 1 << (31 + shift)
    if reached:
        hardest = [reached[rests.index(min(rests))], reached[rests.index(max(rests))]]
        reached = hardest + reached
    return reached, below, above


# Return a d with which ((q * a + d) * p) >> bits has these steps for all sums a, or None: each
# step has q * at + d >= c > q * (at - 1) + d, where c = k * 2**bits / p, rounded up.
def _offset(steps, q, p, bits, lowest, highest):
    reached, below, above = steps
    low, high = 0 - _MAX - q * lowest, _MAX - 1 - q * highest
    if below is not None:
        low = max(low, 0 - (0 - below << bits) // p - q * lowest)
    if above is not None:
        high = min(high, 0 - (0 - above << bits) // p - q * highest - 1)
    for k, at in reached:
        d = 0 - (0 - k << bits) // p - q * at
        low = max(low, d)
        high = min(high, d + q - 1)
        if low > high:
            return None
    return low if low <= high else None
