# Generator of the kernels of float32 operators with int8 weights, for Cortex-M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..armv6m import hybrid_sums
from ..armv7em.thumb_dsp import ThumbDsp
from ..common.thumb import LR, R4, R5, R6, R7, R12
from ..common.thumb_window import ROWS, SUMS


# Add the products of R4 inputs from R7 on, four at a time, then one. r4: number of inputs left;
# r12, r6: inputs 0 and 2, 1 and 3; r5, lr: weights 0 and 2, 1 and 3 of a row, and the next row's,
# which are loaded before the last product.
def _taps(t, rows):
    fours, few, tap, done = map(t.new_label, ("fours", "few", "tap", "taps_done"))
    t.sub(R4, 4)
    t.branch("lt", few)
    t.label(fours)
    t.load(R6, "zero_points")
    t.ldr_next(R5, R7)
    t.ldr_next(LR, ROWS[0])
    t.sxtab16(R12, R6, R5)
    t.sxtab16(R6, R6, R5, 8)
    low, high = R5, LR
    for row, total in enumerate(SUMS[:rows]):
        t.sxtb16(low, high)
        t.sxtb16(high, high, 8)
        t.smlad(total, low, R12)
        if row + 1 < rows:
            t.ldr_next(low, ROWS[row + 1])
        t.smlad(total, high, R6)
        low, high = high, low
    t.sub(R4, 4)
    t.branch("ge", fours)
    t.label(few)
    t.add(R4, 4)
    t.branch("eq", done)
    t.label(tap)
    t.ldrsb_next(R6, R7)
    t.load(R5, "zero_points")
    t.add_wide(R6, R6, R5)
    for row, total in zip(ROWS[:rows], SUMS, strict=False):
        t.ldrsb_next(R5, row)
        t.smla("bb", total, R5, R6)
    t.sub(R4, 1)
    t.branch("ne", tap)
    t.label(done)


# Store the negative zero point in R12 twice, as halfwords.
def _begin_taps(t):
    t.pkhbt(R5, R12, R12)
    t.store(R5, "zero_points")


def sums():
    return hybrid_sums.sums(ThumbDsp, _taps, _begin_taps, ("zero_points",))
