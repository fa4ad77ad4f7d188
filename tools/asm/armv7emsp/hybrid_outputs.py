# Generator of the outputs of float32 operators with int8 weights, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from ..common import hybrid_outputs
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from ..common.thumb_record import address, at
from .thumb_vfp import ThumbVfp


# Store the address of an operand in a register. r0: record, r1: arena, r2: model. Uses R4 to R6.
def operand(t, layout, name, register):
    t.ldr_wide(R4, R0, at(layout, name))
    address(t)
    t.move(register, R5)


# Scale `count` outputs from R0 on, in s8 and the registers after it, and store them from R1 on.
# Both advance by R8. s2: scale of the weights; s3: bias.
def _outputs(t, count):
    values = range(8, 8 + count)
    for value in values:
        t.vldr(value, R0)
        t.add_wide(R0, R0, R8)
    for value in values:
        t.to_float(value, value)
    for scale in (2, 1):
        for value in values:
            t.vmul(value, value, scale)
    for value in values:
        t.vadd(value, value, 3)
    for condition, limit in (("mi", 4), ("gt", 5)):
        for value in values:
            t.vcmp(value, limit)
            t.vmov_if(condition, value, limit)
    for value in values:
        t.vstr(value, R1)
        t.add_wide(R1, R1, R8)


# The outputs of one channel at a time. r2: channels that have one output more than r3; r4: the
# channel's first output; r5: first bias, 0 without; r6: outputs left; r7: scale of the weights;
# r8: bytes of a pixel; r9: bias; r10: channels left in the pixel; r11: channels left; r12: bytes
# from one scale to the next; s1: scale of the input; s3: bias, -0.0 without, because x + -0.0 = x;
# s4, s5: limits.
def finish():
    slots = "weight_scales", "biases", "channels", "count"
    about = f"{hybrid_outputs.ABOUT}r0: op, r1: arena, r2: model, r3: units."
    t = ThumbVfp("finish", about, slots=slots)
    names = "no_bias", "channel", "unbiased", "quads", "few", "one", "next_channel", "same"
    no_bias, channel, unbiased, quads, few, one, next_channel, same = map(t.new_label, names)
    t.shift_left(R11, R3, 22)
    t.shift_right(R11, R11, 22)
    t.store(R11, "count")
    t.shift_right(R3, R3, 10)
    t.ldr_wide(R10, R0, at(HYBRID, "output_channels"))
    t.store(R10, "channels")
    t.sdiv(R4, R3, R10)  # the pixel
    t.mls(R9, R4, R10, R3)  # the channel
    t.sub_wide(R10, R10, R9)
    t.ldr_wide(R5, R0, at(HYBRID, "output_height"))
    t.ldr_wide(R6, R0, at(HYBRID, "output_width"))
    t.mul_wide(R5, R5, R6)
    t.sdiv(R7, R4, R5)  # the batch
    operand(t, HYBRID, "scales", R8)
    t.add_wide(R8, R8, R7, "lsl", 2)
    t.vldr(1, R8)
    t.ldr_wide(R12, R0, at(HYBRID, "per_channel"))
    t.shift_left(R12, R12, 2)
    operand(t, HYBRID, "weight_scales", R7)
    t.store(R7, "weight_scales")
    t.mul_wide(R4, R12, R9)
    t.add_wide(R7, R7, R4)
    t.ldr_wide(R4, R0, at(HYBRID, "bias"))
    t.number(R5, 0)
    t.cmp(R4, 1)
    t.branch("eq", no_bias)
    address(t)
    t.label(no_bias)
    t.store(R5, "biases")
    t.add_wide(R9, R5, R9, "lsl", 2)
    for i, name in enumerate(("activation_min", "activation_max"), 4):
        t.ldr_wide(R4, R0, at(HYBRID, name))
        t.from_core(i, R4)
    operand(t, HYBRID, "output", R4)
    t.add_wide(R4, R4, R3, "lsl", 2)
    t.load(R5, "biases")
    t.number(R6, 0x8000)
    t.shift_left(R6, R6, 16)
    t.from_core(3, R6)
    t.load(R8, "channels")
    t.sdiv(R3, R11, R8)
    t.mls(R2, R3, R8, R11)
    t.cmp(R11, R8)
    t.move_if("gt", R11, R8)
    t.shift_left(R8, R8, 2)
    t.label(channel)
    t.vldr(2, R7)
    t.cmp(R5, 0)
    t.branch("eq", unbiased)
    t.vldr(3, R9)
    t.label(unbiased)
    t.move(R0, R4)
    t.move(R1, R4)
    t.add(R4, 4)
    t.move(R6, R3)
    t.cmp(R2, 0)
    t.it("gt")
    t.add_number(R6, R6, 1)
    t.sub(R2, 1)
    t.sub(R6, 4)
    t.branch("lt", few)
    t.label(quads)
    _outputs(t, 4)
    t.sub(R6, 4)
    t.branch("ge", quads)
    t.label(few)
    t.add(R6, 4)
    t.branch("eq", next_channel)
    t.label(one)
    _outputs(t, 1)
    t.sub(R6, 1)
    t.branch("ne", one)
    t.label(next_channel)
    t.add_wide(R7, R7, R12)
    t.add_number(R9, R9, 4)
    t.subs_number(R10, 1)
    t.branch("ne", same)
    t.load(R7, "weight_scales")
    t.move(R9, R5)
    t.load(R10, "channels")
    t.label(same)
    t.subs_number(R11, 1)
    t.branch_far("ne", channel)
    t.load(R0, "count")
    return t.text(returns=True)
