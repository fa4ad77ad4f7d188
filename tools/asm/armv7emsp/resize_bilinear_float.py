# Generator of the kernel of RESIZE_BILINEAR, float32, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from .thumb_vfp import ThumbVfp

# Words that the caller stores for pixels of one row of the output.
PARAMETERS = (
    "output",  # address of the first pixel
    "top",  # address of the upper row of the input
    "bottom",  # address of the lower row of the input
    "position",  # address of the first weight of the first pixel's column
    "positions",  # bytes from one list of the columns' positions to the next
    "pixels",
    "depth",
    "top_weight",
    "bottom_weight",
)

_BLEND = """
Pixels of a row of a RESIZE_BILINEAR. `r1` is the arena, `r3` the offset of the words PARAMETERS.
"""

# Registers of the FPU: weights of the rows and columns, 0.0, inputs, the sum.
_TOP, _BOTTOM, _LEFT, _RIGHT, _ZERO, _SUM = 0, 1, 2, 3, 4, 9
_INPUTS = 5


# r0: address of the output, r2: position, r3: pixels left, r4: bytes of a pixel, r5: bytes from
# one list of positions to the next, r6 to r9: addresses of the inputs, r10: upper row, r11: lower
# row, r12: channels left.
def blend():
    t = ThumbVfp("blend", _BLEND)
    at = {name: 4 * i for i, name in enumerate(PARAMETERS)}
    pixel, channel = t.new_label("pixel"), t.new_label("channel")
    t.add(R1, R1, R3)
    t.ldr_wide(R0, R1, at["output"])
    for register, name in (
        (R10, "top"), (R11, "bottom"), (R2, "position"), (R5, "positions"), (R3, "pixels"),
        (R4, "depth"),
    ):  # fmt: skip
        t.ldr_wide(register, R1, at[name])
    t.vldr(_TOP, R1, at["top_weight"])
    t.vldr(_BOTTOM, R1, at["bottom_weight"])
    t.shift_left(R4, R4, 2)
    t.number(R6, 0)
    t.from_core(_ZERO, R6)
    t.label(pixel)
    t.move(R1, R2)
    t.vldr(_LEFT, R1)
    t.add_wide(R1, R1, R5)
    t.vldr(_RIGHT, R1)
    t.add_wide(R1, R1, R5)
    t.ldr_wide(R6, R1)
    t.add_wide(R1, R1, R5)
    t.ldr_wide(R7, R1)
    t.mla(R8, R7, R4, R10)
    t.mla(R9, R7, R4, R11)
    t.mla(R7, R6, R4, R11)
    t.mla(R6, R6, R4, R10)
    t.add_number(R2, R2, 4)
    t.shift_right(R12, R4, 2)
    t.label(channel)
    for i, (register, row) in enumerate(
        ((R6, _TOP), (R7, _BOTTOM), (R8, _TOP), (R9, _BOTTOM)),
    ):
        t.vldm(register, _INPUTS + i)
        t.vmul(_INPUTS + i, _INPUTS + i, row)
    for i in range(4):
        t.vmul(_INPUTS + i, _INPUTS + i, _LEFT if i < 2 else _RIGHT)
    t.vadd(_SUM, _ZERO, _INPUTS)
    for i in range(1, 4):
        t.vadd(_SUM, _SUM, _INPUTS + i)
    t.vstm(R0, _SUM)
    t.subs_number(R12, 1)
    t.branch("ne", channel)
    t.subs_number(R3, 1)
    t.branch("ne", pixel)
    return t.text()
