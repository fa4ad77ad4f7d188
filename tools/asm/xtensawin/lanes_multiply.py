# Generator of the assembler kernel that multiplies lanes by a stream of weights, for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import MULTIPLY, at
from .function import Function
from .requantize import requantize

# Registers: sums of four channels; four weights, then their products; a word of the inputs.
_SUMS, _VALUES, _WORD = ("a4", "a5", "a6", "a7"), ("a8", "a9", "a10", "a11"), "a12"
_WEIGHTS, _X, _COUNT, _ROUND, _HIGH = "a2", "a3", "a13", "a14", "a15"
# Registers after the dot products, when the inputs are no longer needed.
_OUTPUT, _ZERO_POINT, _LOW = _X, _WORD, _COUNT

_ABOUT = """
Outputs of groups of four channels for pixels in lanes. The arguments are the arena, the offset of
a block of parameters in it (MULTIPLY in tools/asm/common/parameters.py), and the memory of the
stream. Addresses among the parameters are offsets in these two.
"""
SLOTS = [
    "stream",
    "lanes",
    "output",
    "lanes_end",
    "groups",
    "lanes_step",
    "output_step",
    "window",
]
SLOTS += ["output_zero_point", "activation_min", "activation_max", "group", "rows", "row_step"]
_OWN = ["weights", "row", "pixel", "row_end", "rows_left", "to", "fours", "rest"]


# Multiply a word of the inputs by the weights of four channels: eight products. The upper half of
# a product of two words, rounded, is the sum of two products of int8. The channels alternate, so
# that no instruction waits for a load or a product.
def _word(t, index):
    t.l32i(_WORD, _X, 4 * index)
    for channel, value in enumerate(_VALUES):
        t.l32i(value, _WEIGHTS, 16 * index + 4 * channel)
    for value in _VALUES:
        t.mull(value, value, _WORD)
    for value in _VALUES:
        t.add(value, value, _ROUND)
    for value in _VALUES:
        t.srai(value, value, 16)
    for total, value in zip(_SUMS, _VALUES, strict=True):
        t.add(total, total, value)


# Multiply `count` words, and advance to the words after them.
def _words(t, count):
    for index in range(count):
        _word(t, index)
    t.addi(_X, _X, 4 * count)
    t.addi(_WEIGHTS, _WEIGHTS, 16 * count)


# Unpack a group's stream of weights of one byte to lanes in scratch memory. A word of bytes
# becomes two words of lanes, for two channels. `stream` advances; `weights` is the scratch memory.
def _widen(t):
    half, flip, mask, source, to, stop, window, is_table = (f"a{i}" for i in range(2, 10))
    x, y = "a10", "a11"
    copy, weights, ready = t.new_label("copy"), t.new_label("weights"), t.new_label("ready")
    t.lanes(half, 0x80, x)
    t.slli(flip, half, 8)
    t.or_(flip, flip, half)
    t.lanes(mask, 0xFF, x)
    t.load(source, "stream")
    t.load(to, "group")
    t.store(to, "weights")
    t.load(window, "window")
    t.slli(window, window, 2)
    t.movi(is_table, 0)
    t.addi(stop, to, 16)
    t.label(copy)
    t.l32i(x, source)
    t.s32i(x, to)
    t.addi(source, source, 4)
    t.addi(to, to, 4)
    t.bne(to, stop, copy)
    t.bnez(is_table, ready)
    t.add(stop, to, window)
    t.label(weights)
    t.l32i(x, source)
    t.addi(source, source, 4)
    t.xor(x, x, flip)
    t.srli(y, x, 8)
    t.and_(x, x, mask)
    t.and_(y, y, mask)
    t.sub(x, x, half)
    t.sub(y, y, half)
    t.s32i(x, to)
    t.s32i(y, to, 4)
    t.addi(to, to, 8)
    t.bne(to, stop, weights)
    t.movi(is_table, 1)
    t.addi(stop, to, 48)
    t.j(copy)
    t.label(ready)
    t.store(source, "stream")


# Copy parameters to slots, with addresses instead of offsets. a2: arena; a3: offset; a4: memory of
# the stream.
def begin(t):
    whole = t.new_label("whole")
    t.add("a3", "a3", "a2")
    for name in SLOTS:
        t.l32i("a5", "a3", at(MULTIPLY, name))
        if name == "stream":
            t.add("a5", "a5", "a4")
        elif name in ("lanes", "output", "lanes_end"):
            t.add("a5", "a5", "a2")
        elif name == "group":
            t.beqz("a5", whole)
            t.add("a5", "a5", "a2")
            t.label(whole)
        t.store("a5", name)


def multiply():
    t = Function("multiply", _ABOUT, 3, [*SLOTS, *_OWN])
    group, narrow, pixels, pixel = map(t.new_label, ("group", "narrow", "pixels", "pixel"))
    fours, rest, summed, whole, end = map(t.new_label, ("fours", "rest", "summed", "whole", "end"))
    last = t.new_label("last_row")
    begin(t)
    t.load("a5", "window")
    t.extui("a6", "a5", 4, 16)
    t.store("a6", "fours")
    t.extui("a6", "a5", 3, 1)
    t.store("a6", "rest")
    t.label(group)
    t.load("a5", "group")
    t.bnez("a5", narrow)
    t.load("a5", "stream")
    t.store("a5", "weights")
    t.j(pixels)
    t.label(narrow)
    _widen(t)
    t.label(pixels)
    for name, slots in (
        ("output", ["to"]),
        ("lanes", ["row", "pixel"]),
        ("lanes_end", ["row_end"]),
        ("rows", ["rows_left"]),
    ):
        t.load("a5", name)
        for slot in slots:
            t.store("a5", slot)
    t.movi(_ROUND, 1)
    t.slli(_ROUND, _ROUND, 15)
    t.label(pixel)
    t.load(_WEIGHTS, "weights")
    t.load(_X, "pixel")
    t.load(_COUNT, "fours")
    for channel, total in enumerate(_SUMS):
        t.l32i(total, _WEIGHTS, 4 * channel)
    t.addi(_WEIGHTS, _WEIGHTS, 16)
    t.beqz(_COUNT, rest)
    t.label(fours)
    _words(t, 4)
    t.addi(_COUNT, _COUNT, -1)
    t.bnez(_COUNT, fours)
    t.label(rest)
    t.load(_COUNT, "rest")
    t.beqz(_COUNT, summed)
    _words(t, 2)
    t.label(summed)
    t.load(_OUTPUT, "to")
    t.load(_ZERO_POINT, "output_zero_point")
    t.load(_LOW, "activation_min")
    t.load(_HIGH, "activation_max")
    for channel, total in enumerate(_SUMS):
        requantize(
            t, total, _WEIGHTS, 12 * channel, _VALUES, _ZERO_POINT, _LOW, _HIGH, _OUTPUT, channel
        )
    x, y, z = _SUMS[:3]
    t.load(x, "output_step")
    t.load(y, "pixel")
    t.load(z, "lanes_step")
    t.add(_OUTPUT, _OUTPUT, x)
    t.add(y, y, z)
    t.store(_OUTPUT, "to")
    t.store(y, "pixel")
    t.load(z, "row_end")
    t.far("bltu", y, z, pixel)
    t.load(x, "rows_left")
    t.load(y, "row")
    t.addi(x, x, -1)
    t.store(x, "rows_left")
    t.beqz(x, last)
    t.load(x, "row_step")
    t.add(y, y, x)
    t.add(z, z, x)
    t.store(y, "row")
    t.store(y, "pixel")
    t.store(z, "row_end")
    t.j(pixel)
    t.label(last)
    # The next group of channels: its stream follows this one.
    t.load(x, "group")
    t.bnez(x, whole)
    t.addi(_WEIGHTS, _WEIGHTS, 48)
    t.store(_WEIGHTS, "stream")
    t.label(whole)
    t.load(x, "output")
    t.load(y, "groups")
    t.addi(x, x, 4)
    t.addi(y, y, -1)
    t.store(x, "output")
    t.store(y, "groups")
    t.beqz(y, end)
    t.j(group)
    t.label(end)
    return t.text()
