# Generator of the kernel of FULLY_CONNECTED, float32, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.fully_connected_float import LAYOUT

from ..common.record import word_of
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from .channels_float import clamp_outputs, multiply_pixel, operand
from .thumb_vfp import ThumbVfp

_CONNECT = """
Outputs of a FULLY_CONNECTED. `r0` is the record, `r1` the arena, `r2` the model, `r3` the first
unit. The word of the first output contains the unit where the kernel stops.
"""

_SLOTS = ("record", "input", "weights", "bias", "output", "first", "stop", "row")


# Steps:
# 1. Find the addresses of the operands.
# 2. For each vector of inputs: four channels at a time, and the last channel again if there are
#    fewer: sums, bias, outputs.
# 3. Limit the outputs to the range of the activation.
#
# r7: channel, r8: bytes of a channel's weights, r9: units left, r10: address of the next output,
# r11: end of the channels of this vector, r12: spare
def connect():
    t = ThumbVfp("connect", _CONNECT, slots=_SLOTS)
    t.store(R0, "record")
    t.move(R12, R0)
    t.move(R11, R1)
    t.move(R10, R2)
    for name in ("input", "weights", "bias", "output"):
        operand(t, LAYOUT, name, R12, R11, R10, R4, R5)
    t.load(R4, "output")
    t.add_wide(R10, R4, R3, "lsl", 2)
    t.store(R10, "first")
    t.ldr_wide(R9, R10)
    t.add_wide(R4, R4, R9, "lsl", 2)
    t.store(R4, "stop")
    t.sub_wide(R9, R9, R3)
    # The row of the inputs, and the channel in it.
    t.ldr_wide(R5, R12, word_of(LAYOUT, "channels"))
    t.ldr_wide(R8, R12, word_of(LAYOUT, "depth"))
    t.sdiv(R6, R3, R5)
    t.mls(R7, R6, R5, R3)
    t.mul_wide(R6, R6, R8)
    t.shift_left(R8, R8, 2)
    t.load(R4, "input")
    t.add_wide(R4, R4, R6, "lsl", 2)
    t.store(R4, "row")
    vector, group, end, unbiased = map(t.new_label, ("vector", "group", "end", "unbiased"))
    t.label(vector)
    t.cmp_number(R9, 0)
    t.branch_far("le", end)
    t.load(R0, "record")
    t.ldr_wide(R11, R0, word_of(LAYOUT, "channels"))
    t.add_wide(R6, R7, R9)
    t.cmp(R11, R6)
    t.move_if("gt", R11, R6)
    t.sub_wide(R6, R11, R7)
    t.sub_wide(R9, R9, R6)
    t.label(group)
    # Addresses of the weights of four channels; the last channel stands for missing ones.
    t.load(R4, "weights")
    t.mla(R1, R7, R8, R4)
    t.sub_wide(R6, R11, R7)
    for i, (before, register) in enumerate(((R1, R2), (R2, R3), (R3, R4)), 2):
        t.move(register, before)
        t.cmp_number(R6, i)
        t.add_if("ge", register, before, R8)
    t.number(R5, 0)
    for i in range(4):
        t.from_core(i, R5)
    t.load(R0, "record")
    t.ldr_wide(R5, R0, word_of(LAYOUT, "depth"))
    t.load(R0, "row")
    multiply_pixel(t)
    # Bias and outputs, of one channel after the other.
    t.sub_wide(R6, R11, R7)
    t.load(R1, "bias")
    t.cmp(R1, 0)
    t.branch("eq", unbiased)
    t.add_wide(R1, R1, R7, "lsl", 2)
    for i in range(4):
        t.vldr(4, R1)
        t.vadd(i, i, 4)
        t.cmp_number(R6, i + 2)
        t.it("ge")
        t.add_number(R1, R1, 4)
    t.label(unbiased)
    for i in range(4):
        t.cmp_number(R6, i + 1)
        t.it("ge")
        t.vstr(i, R10)
        t.it("ge")
        t.add_number(R10, R10, 4)
    t.add_number(R7, R7, 4)
    t.cmp(R7, R11)
    t.branch_far("lt", group)
    t.number(R7, 0)
    t.load(R0, "row")
    t.add_wide(R0, R0, R8)
    t.store(R0, "row")
    t.b(vector)
    t.label(end)
    t.load(R0, "record")
    t.load(R1, "first")
    t.load(R2, "stop")
    clamp_outputs(t, LAYOUT, R0, R1, R2)
    return t.text()
