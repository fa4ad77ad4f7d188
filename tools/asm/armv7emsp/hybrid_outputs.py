# Generator of the outputs of float32 operators with int8 weights, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from ..armv6m import hybrid_outputs
from ..common.thumb import R0, R3, R4, R5, R6, R7, R8, R9, R10, R11
from ..common.thumb_record import address, at
from .thumb_vfp import ThumbVfp


# Store the address of an operand in a register. r0: record, r1: arena, r2: model. Uses R4 to R6.
def operand(t, layout, name, register):
    t.ldr_wide(R4, R0, at(layout, name))
    address(t)
    t.move(register, R5)


# r4: next output; r7: next scale of the weights; r8: bytes from one to the next; r9: next bias;
# r10: channels left; r11: outputs left; s1: scale of the input; s4, s5: limits.
def finish():
    slots = "weight_scales", "biases", "channels", "count"
    t = ThumbVfp("finish", hybrid_outputs.FINISH, slots=slots)
    output, scaled, no_bias, same = map(t.new_label, ("output", "scaled", "no_bias", "same_pixel"))
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
    t.ldr_wide(R8, R0, at(HYBRID, "per_channel"))
    t.shift_left(R8, R8, 2)
    operand(t, HYBRID, "weight_scales", R7)
    t.store(R7, "weight_scales")
    t.mul_wide(R4, R8, R9)
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
    t.label(output)
    t.vldr(0, R4)
    t.to_float(0, 0)
    t.vldr(2, R7)
    t.add_wide(R7, R7, R8)
    t.vmul(0, 0, 2)
    t.vmul(0, 0, 1)
    t.cmp(R5, 0)
    t.branch("eq", scaled)
    t.vldm(R9, 3)
    t.vadd(0, 0, 3)
    t.label(scaled)
    t.vcmp(0, 4)
    t.vmov_if("mi", 0, 4)
    t.vcmp(0, 5)
    t.vmov_if("gt", 0, 5)
    t.vstm(R4, 0)
    t.subs_number(R10, 1)
    t.branch("ne", same)
    t.load(R7, "weight_scales")
    t.move(R9, R5)
    t.load(R10, "channels")
    t.label(same)
    t.subs_number(R11, 1)
    t.branch("ne", output)
    t.load(R0, "count")
    return t.text(returns=True)
