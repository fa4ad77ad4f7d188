# tflm: one multiplication that does what TFLM's two roundings do, where there is one
# MIT license; Copyright (c) 2026 the tflm authors

# An output is zero point + y(a), limited to its type: y(a) = RDPOT(SRDHM(a, m), e). Where the zero
# point is the lowest output, only y above 0 counts, and there both roundings are those of one
# straight line: y >= k just when a >= T(k), where T(k) = ceil((N * 2**31 - 2**30) / m) and
# N = k * 2**e - 2**(e - 1), rounded up. At most 255 such steps decide over everything.
#
# The kernel computes f(a) = ((q * a + d) * p) >> 32, one SMMLA: weights are stored times q, the
# bias takes d. It has the same steps just when, with c(k) = ceil(k * 2**32 / p), each step has
#     q * T(k) + d >= c(k) > q * (T(k) - 1) + d,
# that is c(k) - q * T(k) <= d < c(k) - q * T(k) + q. This looks for q, p and d by trying every q.

_MOST_FACTOR = 255
_MOST_OFFSET = 1 << 23
_MOST_SUM = 1 << 31


# (p, q, d) for a multiplier and right shift, or None. Sums are `lowest`..`highest`; y is at most
# `most`; weights are up to `weight`.
def fold(multiplier, shift, lowest, highest, most, weight):
    if not multiplier or shift < 0:
        return None
    steps = _steps(multiplier, shift, lowest, highest, most)
    reach = max(abs(lowest), abs(highest)) + 1
    for q in range(1, min(_MOST_FACTOR, 32767 // max(1, weight)) + 1):
        divisor = q << shift
        p = (4 * multiplier + divisor) // (2 * divisor)  # 2 * multiplier / divisor, rounded
        if not 0 < p < 1 << 31 or q * reach + _MOST_OFFSET >= _MOST_SUM:
            continue
        d = _offset(steps, p, q, lowest)
        if d is not None:
            return p, q, d
    return None


# The steps that sums can reach, and the next one on both sides: (k * 2**32, the first sum behind
# it, None where there is none, the last one before it). At first those that most factors fail at:
# rounded up by least and by most, and the outer ones.
def _steps(multiplier, shift, lowest, highest, most):
    steps = []
    for k in range(1, most + 1):
        n = ((k << (shift + 1)) - (1 << shift) + 1) >> 1
        exact = (n << 31) - (1 << 30)
        at = 0 - ((0 - exact) // multiplier)
        if at <= lowest:
            steps = []
        steps.append((at * multiplier - exact, k, at))
        if at > highest:
            break
    by_rounding = sorted(steps)
    steps = by_rounding[:3] + by_rounding[-3:] + steps[:1] + steps[-1:] + steps
    return [
        (k << 32, max(at, lowest) if at <= highest else None, min(at, highest + 1) - 1)
        for _, k, at in steps
    ]


# A d that all steps allow, or None. This loop is most of what a fold takes.
def _offset(steps, p, q, lowest):
    low, high = 1 - _MOST_OFFSET, _MOST_OFFSET - 1
    for scaled, at, before in steps:
        first = 0 - ((0 - scaled) // p)
        if at is not None and first - q * at > low:
            low = first - q * at
        if before >= lowest and first - q * before - 1 < high:
            high = first - q * before - 1
        if low > high:
            return None
    return low
