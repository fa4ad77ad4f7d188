# Generator of the assembler kernel of FULLY_CONNECTED for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from .requantize import clamp, join_four, requantize, skip_clamp
from .thumb_dsp import ThumbDsp

# Words of the parameter block.
CONNECT = (
    "stream",
    "input",  # address of whole words
    "output",
    "groups",
    "weights",
    "zero_point",
    "clamped",
    "minimum",
    "maximum",
)

_SUMS = R0, R1, R2, R3  # of four channels

_CONNECT = """
Outputs of groups of four channels for one row of inputs. `r0` is the address of a block of
parameters (CONNECT in tools/asm/armv7em/fully_connected.py).
"""


# r0..r3: sums, r4, r5: inputs, r6..r9: weights, r11: output, r12: stream, lr: inputs.
def connect():
    t = ThumbDsp("connect", _CONNECT, slots=[*CONNECT, "weights_end"])
    t.load_parameters(CONNECT, CONNECT)
    t.load(R11, "output")
    t.load(R12, "stream")
    group, quad = t.new_label("group"), t.new_label("quad")
    t.label(group)
    t.load(LR, "input")
    t.add_number(R12, R12, 4)
    t.ldm_wide(R12, R0, R1, R2, R3)
    t.load(R4, "weights")
    t.add(R4, R12)
    t.store(R4, "weights_end")
    t.label(quad)
    for _ in range(2):
        t.ldr_next(R4, LR)
        t.sxtb16(R5, R4)
        t.sxtb16(R4, R4, 8)
        for x in (R5, R4):
            t.ldm_wide(R12, R6, R7, R8, R9)
            for acc, weight in zip(_SUMS, (R6, R7, R8, R9), strict=True):
                t.smlad(acc, x, weight)
    t.load(R8, "weights_end")
    t.cmp(R12, R8)
    t.branch("cc", quad)
    t.load(R8, "zero_point")
    for acc in _SUMS:
        t.ldrd_next(R9, R10, R12)
        requantize(t, acc, R9, R10, R8)
    ready = t.new_label("ready")
    join_four(t, _SUMS)
    skip_clamp(t, R1, ready)
    clamp(t, R0, R2, R1)
    t.label(ready)
    t.str_next(R0, R11)
    t.load(R1, "groups")
    t.sub(R1, 1)
    t.store(R1, "groups")
    t.branch_far("ne", group)
    return t.text()
