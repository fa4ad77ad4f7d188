# Generator of the assembler kernel of CONV_2D and FULLY_CONNECTED, int16, for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..armv6m.requantize import product
from ..common import thumb_int16
from ..common.thumb import LR, R0, R1, R2, R4, R5, R6, R7, R12
from ..common.thumb_int16_outputs import SUMS
from ..common.thumb_window import ROWS
from .thumb_dsp import ThumbDsp


# Add the products of R4 inputs from R7 on, four at a time, then one. r4: number of inputs left;
# r12, r6: inputs 0 and 2, 1 and 3; r5, lr: weights 0 and 2, 1 and 3.
def _taps(t, rows):
    fours, few, tap, done = map(t.new_label, ("fours", "few", "tap", "taps_done"))
    t.sub(R4, 4)
    t.branch("lt", few)
    t.label(fours)
    t.ldr_next(R5, R7)
    t.ldr_next(R6, R7)
    t.pkhbt(R12, R5, R6)
    t.pkhtb(R6, R6, R5)
    for row, total in zip(ROWS[:rows], SUMS, strict=False):
        t.ldr_next(LR, row)
        t.sxtb16(R5, LR)
        t.sxtb16(LR, LR, 8)
        t.smlad(total, R5, R12)
        t.smlad(total, LR, R6)
    t.sub(R4, 4)
    t.branch("ge", fours)
    t.label(few)
    t.add(R4, 4)
    t.branch("eq", done)
    t.label(tap)
    t.ldrsh_next(R6, R7)
    for row, total in zip(ROWS[:rows], SUMS, strict=False):
        t.ldrsb_next(R5, row)
        t.mla(total, R5, R6, total)
    t.sub(R4, 1)
    t.branch("ne", tap)
    t.label(done)


# The macro multiply_wide() in two instructions.
def _multiply_wide(t):
    t.umull(R4, R5, R0, R2)
    t.mla(R1, R1, R2, R5)


def windows():
    t = ThumbDsp("windows", thumb_int16.ABOUT_WINDOWS, 4, thumb_int16.WINDOW_SLOTS)
    return thumb_int16.windows(t, _taps, product, _multiply_wide)
