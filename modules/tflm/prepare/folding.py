# tflm: one multiplication that replaces TFLM's two roundings, where possible
# MIT license; Copyright (c) 2026 the tflm authors

# An output is zero point + y(a), limited to its type: y(a) = RDPOT(SRDHM(a, m), e). If the zero
# point is the lowest output, only y above 0 matters. There both roundings together are one
# straight line: y >= k exactly if a >= T(k), with T(k) = ceil((N * 2**31 - 2**30) / m) and N = k *
# 2**e - 2**(e - 1), rounded up. At most 255 such steps determine all outputs.
#
# The kernel computes f(a) = ((q * a + d) * p) >> 32 with one SMMLA: weights are stored times q,
# and the bias includes d. It has the same steps exactly if, with c(k) = ceil(k * 2**32 / p), each
# step has
#     q * T(k) + d >= c(k) > q * (T(k) - 1) + d,
# that is c(k) - q * T(k) <= d < c(k) - q * T(k) + q. fold() searches q, p and d by trying every q.

_MAX_FACTOR = 255
_MAX_OFFSET = 1 << 23
_MAX_SUM = 1 << 31


# Return (p, q, d) for a multiplier and right shift, or None. Sums are `lowest`..`highest`, y is at
# most `most`, and weights are at most `weight`.
def fold(multiplier, shift, lowest, highest, most, weight):
    if not multiplier or shift < 0:
        return None
    steps = _steps(multiplier, shift, lowest, highest, most)
    reach = max(abs(lowest), abs(highest)) + 1
    for q in range(1, min(_MAX_FACTOR, 32767 // max(1, weight)) + 1):
        divisor = q << shift
        p = (4 * multiplier + divisor) // (2 * divisor)  # 2 * multiplier / divisor, rounded
        if not 0 < p < 1 << 31 or q * reach + _MAX_OFFSET >= _MAX_SUM:
            continue
        d = _offset(steps, p, q, lowest, highest)
        if d is not None:
            return p, q, d
    return None


# Return the steps that sums can reach: (k of the last step below all sums, or None; [(k, the first
# sum of the step)] of the steps in between; k of the first step above all sums, or None), each k
# as -k * 2**32. The steps in between begin with those at which most factors fail: the steps
# rounded up least and most, and the outer ones.
def _steps(multiplier, shift, lowest, highest, most):
    # T(k) grows by 2**(31 + shift) / m; `rest` is the amount by which it is rounded up, times m.
    each, less = divmod(1 << (31 + shift), multiplier)
    exact = ((((1 << shift) + 1) >> 1) << 31) - (1 << 30)
    at = 0 - ((0 - exact) // multiplier)
    rest = at * multiplier - exact
    below, above, steps, rests = None, None, [], []
    for k in range(1, most + 1):
        if at > highest:
            above = 0 - (k << 32)
            break
        if at <= lowest:
            below = 0 - (k << 32)
        else:
            steps.append((0 - (k << 32), at))
            rests.append(rest)
        at += each
        rest -= less
        if rest < 0:
            at += 1
            rest += multiplier
    if steps:
        hardest = [steps[rests.index(min(rests))], steps[rests.index(max(rests))]]
        steps = hardest + [steps[0], steps[-1]] + steps
    return below, steps, above


# Return a d that all steps allow, or None. Most of the time of a fold is spent in this loop.
def _offset(steps, p, q, lowest, highest):
    below, between, above = steps
    low, high = 1 - _MAX_OFFSET, _MAX_OFFSET - 1
    if below is not None:
        low = max(low, 0 - below // p - q * lowest)
    if above is not None:
        high = min(high, 0 - above // p - q * highest - 1)
    high -= q - 1
    for scaled, at in between:
        d = 0 - scaled // p - q * at
        if d > low:
            low = d
        if d < high:
            high = d
        if low - high >= q:
            return None
    return low if low - high < q else None
