# Generator of the assembler kernel that multiplies lanes by a stream of weights, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import MULTIPLY, at
from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb
from .byte_lanes import all_quads, constants, quads
from .requantize import requantize

_UNROLLED = 32  # words of lanes in one pass of the inner loop
_WORD_SHIFT = 3  # the code for a word of lanes has 4 << 3 bytes

_SUMS = R0, R1, R2, R3  # of four channels of a pixel
_X, _WEIGHTS = R4, (R5, R6)  # words of lanes
_STREAM = R7
_INPUTS, _INPUTS_END = R8, LR
_LOW, _HIGH = R9, R10  # outputs
_OUTPUT, _PASS_BYTES = R11, R12  # bytes of inputs in a pass of the inner loop


# Unpack a group's stream of weights of one byte to lanes in scratch memory. A word of bytes
# becomes two words of lanes, for two channels.
def _widen(t):
    ready = t.new_label("ready")
    t.load(R1, "group")
    t.cmp(R1, 0)
    t.branch("eq", ready)
    t.load(R0, "stream")
    t.ldm(R0, R2, R3, R4, R5)
    t.stm(R1, R2, R3, R4, R5)
    constants(t)
    t.load(R3, "weights")
    all_quads(t, R3)
    for _ in range(3):
        t.ldm(R0, R2, R3, R4, R5)
        t.stm(R1, R2, R3, R4, R5)
    t.store(R0, "next")
    t.load(R1, "group")
    t.store(R1, "stream")
    t.label(ready)


# Unpack the next block of pixels to lanes if there is a source. R1, R2: the lanes and their end.
def _unpack(t):
    whole, ready = t.new_label("whole"), t.new_label("ready")
    t.ldr(R1, R0, at(MULTIPLY, "lanes"))
    t.ldr(R2, R0, at(MULTIPLY, "lanes_end"))
    t.ldr(R3, R0, at(MULTIPLY, "source"))
    t.cmp(R3, 0)
    t.branch("eq", ready)
    t.ldr(R4, R0, at(MULTIPLY, "source_end"))
    t.sub(R4, R3)
    t.sub(R2, R1)
    t.lsr(R2, R2, 1)  # bytes of a block
    t.cmp(R2, R4)
    t.branch("ls", whole)
    t.mov(R2, R4)
    t.label(whole)
    t.add(R4, R3, R2)
    t.str(R4, R0, at(MULTIPLY, "source"))
    t.mov(R0, R3)
    t.mov(R3, R2)
    t.lsl(R2, R2, 1)
    t.add(R2, R1)
    t.store(R1, "first")
    t.store(R2, "lanes_end")
    constants(t)
    quads(t, R3)
    t.load(R1, "first")
    t.load(R2, "lanes_end")
    t.label(ready)


_MULTIPLY = """
Outputs of groups of four channels for pixels in lanes, or for whole words of bytes that become
lanes block by block. `r0` is the address of a block of parameters (MULTIPLY in
tools/asm/common/parameters.py).
"""


# Multiply one word of lanes by the words of four channels: eight products in 21 cycles. ASR leaves
# the highest dropped bit in the carry, so that ADC adds the rounded upper half.
def _word(t, index):
    t.mov(_X, _INPUTS)
    t.ldr(_X, _X, 4 * index)
    for one, other in (_SUMS[:2], _SUMS[2:]):
        t.ldm(_STREAM, *_WEIGHTS)
        for weight, acc in zip(_WEIGHTS, (one, other), strict=True):
            t.mul(weight, _X)
            t.asr(weight, weight, 16)
            t.adc(acc, weight)


# The loop is entered after `skipped` bytes of its code, so that its last pass is a whole one. The
# inputs begin that number of words before their first word.
def multiply():
    slots = ["stream", "inputs", "output", "output_step", "lanes_step", "lanes_end", "groups"]
    slots += ["first", "skipped", "window", "zero_point", "third", "group", "weights", "next"]
    slots += ["rows", "row_step", "row", "row_end", "rows_left", "parameters", "before"]
    t = Thumb("multiply", _MULTIPLY, slots=slots)
    one, two = _INPUTS, _INPUTS_END  # sums of these channels after the loop over inputs
    t.store(R0, "parameters")
    for name, register in (("activation_min", _LOW), ("activation_max", _HIGH)):
        t.ldr(R1, R0, at(MULTIPLY, name))
        t.mov(register, R1)
    for name, slot in (
        ("output_zero_point", "zero_point"),
        ("output_step", "output_step"),
        ("lanes_step", "lanes_step"),
        ("group", "group"),
        ("rows", "rows"),
        ("row_step", "row_step"),
    ):
        t.ldr(R1, R0, at(MULTIPLY, name))
        t.store(R1, slot)
    t.note("skipped = (-words % 32) words")
    t.ldr(R1, R0, at(MULTIPLY, "window"))
    t.lsl(R2, R1, 1)
    t.store(R2, "weights")
    t.two("neg", R2, R1)
    t.mov(R3, 4 * (_UNROLLED - 1))
    t.two("and_", R2, R3)
    t.store(R2, "before")
    t.add(R1, R2)
    t.store(R1, "window")
    t.lsl(R2, R2, _WORD_SHIFT)
    t.store(R2, "skipped")
    t.mov(R1, 4 * _UNROLLED)
    t.mov(_PASS_BYTES, R1)

    block = t.new_label("block")
    t.label(block)
    t.load(R0, "parameters")
    for name in ("output", "groups", "stream"):
        t.ldr(R1, R0, at(MULTIPLY, name))
        t.store(R1, name)
    _unpack(t)
    t.load(R3, "before")
    t.sub(R1, R3)
    t.store(R1, "first")
    t.sub(R2, R3)
    t.store(R2, "lanes_end")
    group, row, pixel, words = map(t.new_label, ("group", "row", "pixel", "words"))
    t.label(group)
    _widen(t)
    t.load(R1, "output")
    t.mov(_OUTPUT, R1)
    t.load(R1, "rows")
    t.load(R2, "lanes_end")
    t.load(R5, "first")
    t.label(row)
    t.store(R1, "rows_left")
    t.store(R2, "row_end")
    t.store(R5, "row")
    t.store(R5, "inputs")
    t.label(pixel)
    t.load(_STREAM, "stream")
    t.ldm(_STREAM, *_SUMS)
    t.mov(_INPUTS, R5)
    t.load(R6, "window")
    t.add(R6, R5)
    t.mov(_INPUTS_END, R6)
    t.load(R6, "skipped")
    t.jump_forward(R6)
    t.label(words)
    begin = t.position()
    for index in range(_UNROLLED):
        _word(t, index)
    assert t.position() - begin == _UNROLLED * (4 << _WORD_SHIFT)
    t.add(_INPUTS, _PASS_BYTES)
    t.cmp(_INPUTS, _INPUTS_END)
    t.branch_far("cc", words)
    t.mov(one, R1)
    t.mov(two, R2)
    t.store(R3, "third")
    t.load(R6, "zero_point")
    for channel in range(4):
        if channel == 1:
            t.mov(R0, one)
        elif channel == 2:
            t.mov(R0, two)
        elif channel == 3:
            t.load(R0, "third")
        requantize(t, _STREAM)
        t.mov(R1, _OUTPUT)
        t.strb(R0, R1, channel)
    t.note("next pixel")
    t.load(R1, "output_step")
    t.add(_OUTPUT, R1)
    t.load(R5, "inputs")
    t.load(R1, "lanes_step")
    t.add(R5, R1)
    t.store(R5, "inputs")
    t.load(R2, "row_end")
    t.cmp(R5, R2)
    t.branch_far("cc", pixel)
    t.note("next row of pixels")
    t.load(R3, "row_step")
    t.add(R2, R3)
    t.load(R5, "row")
    t.add(R5, R3)
    t.load(R1, "rows_left")
    t.sub(R1, 1)
    t.branch_far("ne", row)
    t.note("next group of channels: its stream follows this one")
    lanes_only = t.new_label("lanes_only")
    t.load(R1, "group")
    t.cmp(R1, 0)
    t.branch("eq", lanes_only)
    t.load(_STREAM, "next")
    t.label(lanes_only)
    t.store(_STREAM, "stream")
    t.load(R1, "output")
    t.add(R1, 4)
    t.store(R1, "output")
    t.load(R1, "groups")
    t.sub(R1, 1)
    t.store(R1, "groups")
    t.branch_far("ne", group)
    t.note("next block: its outputs follow this one's outputs")
    done = t.new_label("done")
    t.load(R0, "parameters")
    t.ldr(R1, R0, at(MULTIPLY, "source"))
    t.cmp(R1, 0)
    t.branch("eq", done)
    t.ldr(R2, R0, at(MULTIPLY, "source_end"))
    t.cmp(R1, R2)
    t.branch("cs", done)
    t.load(R1, "output")  # of the last group, and 4
    t.ldr(R2, R0, at(MULTIPLY, "output"))
    t.sub(R1, R2)
    t.mov(R2, _OUTPUT)
    t.sub(R2, R1)
    t.add(R2, 4)
    t.str(R2, R0, at(MULTIPLY, "output"))
    t.b(block)
    t.label(done)
    return t.text()
