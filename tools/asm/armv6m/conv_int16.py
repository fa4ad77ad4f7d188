# Generator of the assembler kernel of CONV_2D and FULLY_CONNECTED, int16, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..common import thumb_int16
from ..common.thumb import R4, R5, R6, R7, Thumb
from ..common.thumb_int16_outputs import SUMS
from ..common.thumb_window import ROWS
from .requantize import product

_UNROLLED = 4


# Add the products of R4 inputs from R7 on. The rows of weights and the inputs are addressed from
# their ends, which these registers become. r4: minus the number of inputs left, r5: a weight, r6:
# an input. The first pass leaves out the taps that make the number a multiple of _UNROLLED.
def _taps(t, rows):
    taps = t.new_label("taps")
    tap_bytes = 2 * (3 + 3 * rows)
    for register in ROWS[:rows]:
        t.add(register, R4)
    t.lsl(R5, R4, 1)
    t.add(R7, R5)
    t.two("neg", R4, R4)
    t.mov(R6, _UNROLLED - 1)
    t.two("and_", R6, R4)
    t.mov(R5, tap_bytes)
    t.mul(R5, R6)
    t.jump_forward(R5)
    t.label(taps)
    for _ in range(_UNROLLED):
        begin = t.position()
        t.lsl(R6, R4, 1)
        t.ldrsh_at(R6, R7, R6)
        for row, total in zip(ROWS[:rows], SUMS, strict=False):
            t.ldrsb_at(R5, row, R4)
            t.mul(R5, R6)
            t.add(total, R5)
        t.add(R4, 1)
        assert t.position() - begin == tap_bytes
    t.branch("ne", taps)


def windows():
    t = Thumb("windows", thumb_int16.ABOUT_WINDOWS, 4, thumb_int16.WINDOW_SLOTS)
    return thumb_int16.windows(t, _taps, product)
