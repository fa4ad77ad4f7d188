# Generator of the sums of DEPTHWISE_CONV_2D, float32 with weights of int8, for Cortex-M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..armv6m import hybrid_depthwise
from ..armv6m.hybrid_depthwise import FOUR, SINGLE
from ..armv7em.thumb_dsp import ThumbDsp
from ..common.thumb import LR, R0, R1, R2, R3, R4, R8, R12
from ..common.thumb_int16_outputs import SUMS


# Add the products of a cell. r0: inputs, r1: weights, r12: minus the zero point in both halves.
# r2, r3: inputs 0 and 2, 1 and 3; lr, r4: weights 0 and 2, 1 and 3.
def _cell(t, kind):
    if kind == FOUR:
        t.ldr(R3, R0)
        t.sxtab16(R2, R12, R3)
        t.sxtab16(R3, R12, R3, 8)
    else:
        t.ldrb(R3, R0)
        t.sxtab16(R3, R12, R3)
    if kind == SINGLE:
        t.ldrb(R4, R1)
        t.sxtb(R4, R4)
        t.smla("bb", R8, R4, R3)
        return
    t.ldr(R4, R1)
    t.sxtb16(LR, R4)
    t.sxtb16(R4, R4, 8)
    for i, total in enumerate(SUMS):
        weights, inputs = (LR, R2) if i % 2 == 0 and kind == FOUR else (R4 if i % 2 else LR, R3)
        half = "bt"[i // 2]
        t.smla(half + (half if kind == FOUR else "b"), total, weights, inputs)


def _begin_cells(t):
    t.pkhbt(R12, R12, R12)


def depthwise():
    return hybrid_depthwise.depthwise(ThumbDsp, _cell, _begin_cells)
