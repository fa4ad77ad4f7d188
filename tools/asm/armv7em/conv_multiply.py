# Generator of the assembler kernel that multiplies pairs of pixels in lanes by weights
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from .requantize import clamp, fold, join_four, requantize, skip_clamp
from .thumb_dsp import ThumbDsp

# Words of the parameter block.
MULTIPLY = (
    "stream",  # address of the first group of channels
    "lanes",  # of the first pair of pixels
    "output",  # of the first pixel and group
    "lanes_end",  # end of the lanes of the last pair
    "groups",
    "output_step",  # bytes from one pixel to the next; 0: the pair is one pixel, twice
    "skipped",  # bytes of code before the first word in the unrolled loop
    "weights",  # bytes of a group's weights
    "zero_point",
    "clamped",  # 0: the output has the full range of its type
    "minimum",  # four times in one word
    "maximum",
)
UNROLLED = 16  # words of lanes of a pixel in one pass of the inner loop
WORD_BYTES = 52  # of code for one word of lanes
TWICE_BYTES = 252  # of code that requantizes as TFLM does, rounding twice

_SUMS = R0, R1, R2, R3, R4, R5, R6, R7  # four channels of one pixel, then of the other


# Multiply one word of lanes of two pixels by the words of four channels: 16 products in 14 cycles
# of a Cortex-M33. At least one instruction separates the load of a weight from its use, because
# the use waits otherwise. R12 is one word before the weights, because only a load that advances
# its address first can have an offset, too.
def _word(t):
    t.ldrd_next(R8, R9, LR)
    t.ldr_wide(R10, R12, 4)
    t.ldr_wide(R11, R12, 8)
    for first in (0, 2):
        for channel, weight in ((first, R10), (first + 1, R11)):
            t.smlad(_SUMS[channel], R8, weight)
            t.smlad(_SUMS[4 + channel], R9, weight)
            if channel == 0:
                t.ldr_wide(R10, R12, 12)
            elif channel == 1:
                t.ldr_advance(R11, R12, 16)


_MULTIPLY = """
Outputs of groups of four channels for pairs of pixels in lanes. `r0` is the address of a block
of parameters (MULTIPLY in tools/asm/armv7em/conv_multiply.py).
"""


# Requantize with the multiplier and shift of each channel from the stream; join the outputs in R0
# and R4.
def _rounded_twice(t):
    for channel in range(4):
        t.ldrd(R10, R11, R12, 4 + 8 * channel)
        for pixel in (0, 4):
            requantize(t, _SUMS[pixel + channel], R10, R11, R8)
    t.add_number(R12, R12, 36)
    join_four(t, _SUMS[:4])
    join_four(t, _SUMS[4:])


# Make an output of a sum with one multiplication (see prepare/folding.py). Skips the words of the
# stream after the multipliers.
def _folded(t):
    for one in (0, 2):
        t.ldrd(R10, R11, R12, 4 + 4 * one)
        for pixel in (0, 4):
            for channel, multiplier in ((one, R10), (one + 1, R11)):
                fold(t, _SUMS[pixel + channel], multiplier, R8)
    join_four(t, _SUMS[:4])
    join_four(t, _SUMS[4:])
    t.add_number(R12, R12, 36)


# r0..r3: sums of one pixel; r4..r7: sums of the other; r8, r9: their inputs; r10, r11: weights;
# r12: stream, one word before the next weights; lr: lanes. Two jumps skip code: words of the
# loop's first pass, so that its last pass is a whole one, and the requantization that is not the
# group's.
def multiply():
    t = ThumbDsp("multiply", _MULTIPLY, slots=[*MULTIPLY, "out", "weights_end", "kind"])
    t.load_parameters(MULTIPLY, MULTIPLY)
    group, pair, words, twice, done = map(
        t.new_label, ("group", "pair", "words", "twice", "requantized")
    )
    t.label(group)
    t.load(LR, "lanes")
    t.load(R1, "output")
    t.store(R1, "out")
    t.add(R1, 4)
    t.store(R1, "output")
    t.load(R2, "stream")
    t.ldm(R2, R1)
    t.store(R2, "stream")
    t.cmp(R1, 0)
    t.branch("eq", twice)
    t.mov(R1, TWICE_BYTES)
    t.label(twice)
    t.store(R1, "kind")
    t.load(R1, "weights")
    t.add(R1, R2)
    t.add(R1, 12)
    t.store(R1, "weights_end")
    t.label(pair)
    t.load(R12, "stream")
    t.ldm_stay(R12, R0, R1, R2, R3)
    t.ldm_stay(R12, R4, R5, R6, R7)
    t.add_number(R12, R12, 12)
    t.load(R8, "skipped")
    t.jump_forward(R8)
    t.label(words)
    begin = t.position()
    for _ in range(UNROLLED):
        _word(t)
    assert t.position() - begin == UNROLLED * WORD_BYTES
    t.load(R8, "weights_end")
    t.cmp(R12, R8)
    t.branch_far("cc", words)
    t.load(R8, "zero_point")
    t.load(R9, "kind")
    t.jump_forward(R9)
    begin = t.position()
    _rounded_twice(t)
    skip_clamp(t, R1, done)
    clamp(t, R0, R2, R1)
    clamp(t, R4, R2, R1)
    t.b(done)
    assert t.position() - begin == TWICE_BYTES
    _folded(t)
    t.label(done)
    t.load(R9, "out")
    t.load(R10, "output_step")
    t.str_wide(R0, R9)
    t.add(R9, R10)
    t.str_wide(R4, R9)
    t.add(R9, R10)
    t.store(R9, "out")
    t.load(R8, "lanes_end")
    t.cmp(LR, R8)
    t.branch_far("cc", pair)
    t.note("next group of channels: its stream follows this one")
    t.store(R12, "stream")
    t.load(R1, "groups")
    t.sub(R1, 1)
    t.store(R1, "groups")
    t.branch_far("ne", group)
    return t.text()
