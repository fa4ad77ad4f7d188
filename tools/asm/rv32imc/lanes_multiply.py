# Generator of the assembler kernel that multiplies lanes by a stream of weights, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import MULTIPLY, at
from .requantize import requantize
from .rv32 import Rv32

# Registers: sums of four channels of a pixel, and of the next pixel.
_SUMS = (("a3", "a4", "a5", "a6"), ("s8", "s9", "s10", "s11"))
_WEIGHTS, _X = "a0", ("a1", "a2")  # pointers to weights, and inputs of the two pixels
_WORDS, _VALUE = ("t0", "t1"), "t2"  # words of the inputs; a weight, then a product
_PRODUCT = "t3"
_OUTPUT, _LANES, _END, _GROUP = "s0", "s1", "s2", "s3"
_ROUND, _LOW, _HIGH, _ZERO_POINT = "s4", "s5", "s6", "s7"
_HALF, _ONE, _STOP, _WINDOW = "t4", "t5", "t6", "a7"

_ABOUT = """
Outputs of groups of four channels for pixels in lanes, two pixels at a time. `a0` is the arena,
`a1` the offset of a block of parameters in it (MULTIPLY in tools/asm/common/parameters.py), `a2`
the memory of the stream. Addresses among the parameters are offsets in these two.
"""


# Multiply `count` words of lanes of each pixel by the weights of four channels. The upper half of
# a product of two words, rounded, is the sum of two products of int8.
def _words(t, pixels, count):
    for index in range(count):
        for word, x in zip(_WORDS[:pixels], _X, strict=False):
            t.lw(word, x, 4 * index)
        for channel in range(4):
            t.lw(_VALUE, _WEIGHTS, 16 * index + 4 * channel)
            for pixel in range(pixels):
                t.mul(_PRODUCT, _VALUE, _WORDS[pixel])
                t.add(_PRODUCT, _PRODUCT, _ROUND)
                t.srai(_PRODUCT, _PRODUCT, 16)
                t.add(_SUMS[pixel][channel], _SUMS[pixel][channel], _PRODUCT)


# Compute the outputs of one or two pixels, which are `step` (a slot) bytes apart.
def _pixels(t, pixels):
    words, rest, last = t.new_label("words"), t.new_label("rest"), t.new_label("last")
    for channel in range(4):
        t.lw(_SUMS[0][channel], _GROUP, 4 * channel)
        if pixels == 2:
            t.mv(_SUMS[1][channel], _SUMS[0][channel])
    t.addi(_WEIGHTS, _GROUP, 16)
    t.mv(_X[0], _LANES)
    if pixels == 2:
        t.load(_PRODUCT, "lanes_step")
        t.add(_X[1], _LANES, _PRODUCT)
    t.note("the words after the last four: two or none")
    t.andi(_PRODUCT, _WINDOW, 8)
    t.add(_STOP, _LANES, _WINDOW)
    t.sub(_STOP, _STOP, _PRODUCT)
    t.branch("beq", _X[0], _STOP, rest)
    t.label(words)
    _words(t, pixels, 4)
    _advance(t, pixels, 4)
    t.branch("bne", _X[0], _STOP, words)
    t.label(rest)
    t.add(_STOP, _LANES, _WINDOW)
    t.branch("beq", _X[0], _STOP, last)
    _words(t, pixels, 2)
    _advance(t, pixels, 2)
    t.label(last)
    for pixel in range(pixels):
        for channel in range(4):
            requantize(
                t, _SUMS[pixel][channel], _WEIGHTS, 12 * channel, _HALF, _ONE, _ZERO_POINT,
                _LOW, _HIGH, _OUTPUT, channel,
            )  # fmt: skip
        t.load("t0", "output_step")
        t.add(_OUTPUT, _OUTPUT, "t0")
        t.load("t0", "lanes_step")
        t.add(_LANES, _LANES, "t0")


# Advance all pointers by `count` words.
def _advance(t, pixels, count):
    t.addi(_WEIGHTS, _WEIGHTS, 16 * count)
    for x in _X[:pixels]:
        t.addi(x, x, 4 * count)


# Unpack a group's stream of weights of one byte to lanes in scratch memory at _GROUP. A word of
# bytes becomes two words of lanes, for two channels. `stream` advances.
def _widen(t):
    copy, weights = t.new_label("copy"), t.new_label("weights")
    t.load("a0", "stream")
    t.mv("a1", _GROUP)
    t.li("t0", 0x00800080)
    t.li("t1", 0x00FF00FF)
    t.slli("t2", "t0", 8)
    t.or_("t2", "t2", "t0")
    t.li("t6", 0)
    t.addi("a2", "a1", 16)
    t.label(copy)
    t.lw("a3", "a0")
    t.sw("a3", "a1")
    t.addi("a0", "a0", 4)
    t.addi("a1", "a1", 4)
    t.branch("bne", "a1", "a2", copy)
    ready = t.new_label("ready")
    t.branch("bne", "t6", "zero", ready)
    t.slli("t6", _WINDOW, 2)
    t.add("a2", "a1", "t6")
    t.label(weights)
    t.lw("a3", "a0")
    t.xor("a3", "a3", "t2")
    t.srli("a4", "a3", 8)
    t.and_("a3", "a3", "t1")
    t.and_("a4", "a4", "t1")
    t.sub("a3", "a3", "t0")
    t.sub("a4", "a4", "t0")
    t.sw("a3", "a1")
    t.sw("a4", "a1", 4)
    t.addi("a0", "a0", 4)
    t.addi("a1", "a1", 8)
    t.branch("bne", "a1", "a2", weights)
    t.addi("a2", "a1", 48)
    t.jump(copy)
    t.label(ready)
    t.store("a0", "stream")


def multiply():
    slots = ["stream", "output", "output_step", "lanes_step", "lanes", "groups", "group", "next"]
    slots += ["lanes_end", "rows", "row_step", "row", "rows_left"]
    t = Rv32("multiply", _ABOUT, 3, slots)
    t.add("a1", "a1", "a0")
    for name in ("output_step", "lanes_step", "groups", "rows", "row_step"):
        t.lw("t0", "a1", at(MULTIPLY, name))
        t.store("t0", name)
    for name in ("output", "lanes", "lanes_end"):
        t.lw("t0", "a1", at(MULTIPLY, name))
        t.add("t0", "t0", "a0")
        t.store("t0", name)
    t.lw("t0", "a1", at(MULTIPLY, "stream"))
    t.add("t0", "t0", "a2")
    t.store("t0", "stream")
    t.lw(_WINDOW, "a1", at(MULTIPLY, "window"))
    t.lw(_ZERO_POINT, "a1", at(MULTIPLY, "output_zero_point"))
    t.lw(_LOW, "a1", at(MULTIPLY, "activation_min"))
    t.lw(_HIGH, "a1", at(MULTIPLY, "activation_max"))
    t.li(_ROUND, 0x8000)
    whole, begin = t.new_label("whole"), t.new_label("begin")
    t.lw("t0", "a1", at(MULTIPLY, "group"))
    t.branch("beq", "t0", "zero", whole)
    t.add("t0", "t0", "a0")
    t.label(whole)
    t.store("t0", "group")
    t.label(begin)
    narrow, pixels = t.new_label("narrow"), t.new_label("pixels")
    single, two, done = t.new_label("single"), t.new_label("two"), t.new_label("done")
    t.load(_GROUP, "group")
    t.branch("bne", _GROUP, "zero", narrow)
    t.load(_GROUP, "stream")
    t.jump(pixels)
    t.label(narrow)
    _widen(t)
    t.label(pixels)
    t.li(_HALF, 1 << 30)
    t.li(_ONE, 1)
    t.load(_OUTPUT, "output")
    row = t.new_label("row")
    t.load("t0", "rows")
    t.load(_END, "lanes_end")
    t.load(_LANES, "lanes")
    t.label(row)
    t.store("t0", "rows_left")
    t.store(_LANES, "row")
    t.load("t0", "lanes_step")
    t.sub(_END, _END, "t0")  # where the last pixel begins
    t.label(two)
    t.branch("bgeu", _LANES, _END, single)
    _pixels(t, 2)
    t.jump(two)
    t.label(single)
    t.load("t0", "lanes_step")
    t.add(_END, _END, "t0")
    t.branch("bgeu", _LANES, _END, done)
    _pixels(t, 1)
    t.label(done)
    t.note("next row of pixels")
    t.load("t1", "row_step")
    t.add(_END, _END, "t1")
    t.load(_LANES, "row")
    t.add(_LANES, _LANES, "t1")
    t.load("t0", "rows_left")
    t.addi("t0", "t0", -1)
    t.branch("bne", "t0", "zero", row)
    t.note("next group of channels: its stream follows this one")
    t.load("t0", "group")
    narrow = t.new_label("was_narrow")
    t.branch("bne", "t0", "zero", narrow)
    t.addi(_WEIGHTS, _WEIGHTS, 48)
    t.store(_WEIGHTS, "stream")
    t.label(narrow)
    t.load("t0", "output")
    t.addi("t0", "t0", 4)
    t.store("t0", "output")
    t.load("t0", "groups")
    t.addi("t0", "t0", -1)
    t.store("t0", "groups")
    end = t.new_label("end")
    t.branch("beq", "t0", "zero", end)
    t.jump(begin)
    t.label(end)
    return t.text()
