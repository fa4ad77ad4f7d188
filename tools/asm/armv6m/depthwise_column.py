# Generator of the assembler kernel of DEPTHWISE_CONV_2D whose window is a line of pixels
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.depthwise_column import COLUMN

from ..common.parameters import DEPTHWISE_COLUMN, at
from ..common.record import word_of
from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb
from .requantize import requantize_by

_ABOUT = """
Channels of a depthwise convolution whose window is a line of pixels. `r0` is the address of a
block of parameters (DEPTHWISE_COLUMN in tools/asm/common/parameters.py), `r1` the address of the
record (COLUMN in prepare/depthwise_column.py).
"""
_UNROLLED = 4
_TAP_BYTES = 12  # of code for a tap
_PAIR_BYTES = 18  # of code for a tap of two pixels


_RECORD = ("taps", "tap_step", "pixels", "pixel_step", "channel_bytes", "output_zero_point")
_OWN = "source", "output", "channels", "output_channels", "jump", "pair_jump", "left", "out"


# Pixels are computed in pairs that share the load of each weight; an odd last pixel is computed
# alone.
#
# r0: sum; r1: an input; r2: its weight; r3: from a tap to the second pixel of the next tap; r4:
# minus the number of taps left; r5: from a tap to the next one; r6: one tap before the next one;
# r7: end of the weights; r8: the channel's stream; r9, r10: limits of the output; r11: window;
# r12: sum of the second pixel; lr: multiplier.
def depthwise_column():
    t = Thumb("depthwise_column", _ABOUT, arguments=2, slots=_RECORD + _OWN)
    for name in ("source", "output", "channels"):
        t.ldr(R2, R0, at(DEPTHWISE_COLUMN, name))
        t.store(R2, name)
    t.ldr(R2, R0, at(DEPTHWISE_COLUMN, "stream"))
    t.mov(R8, R2)
    for name in (*_RECORD, "output_channels"):
        t.ldr(R2, R1, word_of(COLUMN, name))
        t.store(R2, name)
    for name, register in (("activation_min", R9), ("activation_max", R10)):
        t.ldr(R2, R1, word_of(COLUMN, name))
        t.mov(register, R2)
    t.note("taps that the first pass of the loop skips")
    t.load(R1, "taps")
    t.two("neg", R1, R1)
    t.mov(R2, _UNROLLED - 1)
    t.two("and_", R1, R2)
    for slot, size in (("jump", _TAP_BYTES), ("pair_jump", _PAIR_BYTES)):
        t.mov(R2, size)
        t.mul(R2, R1)
        t.store(R2, slot)
    channel, pixel, single, done = map(t.new_label, ("channel", "pixel", "single", "channel_done"))
    t.label(channel)
    t.load(R1, "source")
    t.mov(R11, R1)
    t.add(R1, 1)
    t.store(R1, "source")
    t.load(R1, "output")
    t.store(R1, "out")
    t.add(R1, 1)
    t.store(R1, "output")
    t.load(R1, "pixels")
    t.store(R1, "left")
    t.label(pixel)
    t.load(R1, "left")
    t.cmp(R1, 2)
    t.branch_far("lt", single)
    t.sub(R1, 2)
    t.store(R1, "left")
    _channel(t)
    _pair_sums(t)
    _put(t)
    _next_pixel(t)
    t.mov(R0, R12)
    _put(t)
    t.load(R2, "left")
    t.cmp(R2, 0)
    t.branch_far("eq", done)
    _next_pixel(t)
    t.load(R2, "pixel_step")
    t.add(R11, R2)
    t.add(R11, R2)
    t.b(pixel)
    t.label(single)
    _channel(t)
    _sum(t)
    _put(t)
    t.label(done)
    t.load(R1, "channel_bytes")
    t.add(R8, R1)
    t.load(R1, "channels")
    t.sub(R1, 1)
    t.store(R1, "channels")
    t.branch_far("ne", channel)
    return t.text()


# Load the stream, the multiplier and the limits of a channel.
def _channel(t):
    t.mov(R7, R8)
    t.ldm(R7, R0, R1)
    t.mov(LR, R1)
    t.load(R1, "taps")
    t.add(R7, R1)
    t.two("neg", R4, R1)
    t.load(R5, "tap_step")
    t.mov(R6, R11)
    t.sub(R6, R5)


# Add the taps of one window to R0.
def _sum(t):
    t.load(R1, "jump")
    t.jump_forward(R1)
    loop = t.new_label("taps")
    t.label(loop)
    for _ in range(_UNROLLED):
        begin = t.position()
        t.ldrsb_at(R1, R6, R5)
        t.add(R6, R5)
        t.ldrsb_at(R2, R7, R4)
        t.mul(R1, R2)
        t.add(R0, R1)
        t.add(R4, 1)
        assert t.position() - begin == _TAP_BYTES
    t.branch("ne", loop)


# Compute the sums of two windows that are `pixel_step` apart in R0 and R12.
def _pair_sums(t):
    t.mov(R12, R0)
    t.load(R3, "pixel_step")
    t.add(R3, R5)
    t.load(R1, "pair_jump")
    t.jump_forward(R1)
    loop = t.new_label("pair_taps")
    t.label(loop)
    for _ in range(_UNROLLED):
        begin = t.position()
        t.ldrsb_at(R2, R7, R4)
        t.ldrsb_at(R1, R6, R5)
        t.mul(R1, R2)
        t.add(R0, R1)
        t.ldrsb_at(R1, R6, R3)
        t.mul(R1, R2)
        t.add(R12, R1)
        t.add(R6, R5)
        t.add(R4, 1)
        assert t.position() - begin == _PAIR_BYTES
    t.branch("ne", loop)


# Requantize the sum in R0 and store the output.
def _put(t):
    t.ldrb(R4, R7)
    t.mov(R3, LR)
    t.lsl(R2, R3, 16)
    t.lsr(R2, R2, 16)
    t.lsr(R3, R3, 16)
    t.load(R6, "output_zero_point")
    requantize_by(t)
    t.load(R1, "out")
    t.strb(R0, R1)


# Advance to the next pixel. R1 is the address of the last output.
def _next_pixel(t):
    t.load(R2, "output_channels")
    t.add(R1, R2)
    t.store(R1, "out")
