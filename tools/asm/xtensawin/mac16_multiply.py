# Generator of the assembler kernels of CONV_2D and FULLY_CONNECTED for Xtensa with MAC16
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import MULTIPLY, at
from ..kernels import lanes_gather
from .mac16 import Mac16
from .mac16_requantize import folded, twice

_W, _X, _BIAS, _FACTOR, _OUTPUT, _PIXEL, _END = (f"a{i}" for i in range(2, 9))
_V, _U, _Y = "a9", "a10", "a11"
_ZERO_POINT, _HALF, _LOW, _HIGH = "a12", "a13", "a14", "a15"

_SLOTS = MULTIPLY[: MULTIPLY.index("source")]
_OWN = ["weights", "passes", "channels", "row", "row_end", "rows_left"]
_ABOUT = """
Outputs of groups of four channels for pixels in halfwords, with 128 added. The arguments are the
arena, the offset of a block of parameters in it (MULTIPLY in tools/asm/common/parameters.py), and
the memory of the stream (prepare/mac16.py). Addresses among the parameters are offsets in these
two.
"""


def gather():
    return lanes_gather.gather("xtensawin", is_flipped=True)


def gather_bytes():
    return lanes_gather.gather_bytes("xtensawin", is_flipped=True)


# Copy parameters to slots, with addresses instead of offsets. a2: arena; a3: offset; a4: memory of
# the stream.
def _begin(t):
    whole = t.new_label("whole")
    t.add("a3", "a3", "a2")
    for name in _SLOTS:
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


# Four products in a pass, each with a load. One word after the weights and one word after the
# inputs is also read: the first of the channel's own numbers, and the word of scratch after the
# inputs.
def _dot_product(t):
    end = t.new_label("multiplied")
    t.load(_W, "weights")
    t.load(_V, "passes")
    t.mov(_X, _PIXEL)
    t.wsr_acclo(_BIAS)
    t.ldinc("m0", _W)
    t.ldinc("m2", _X)
    t.loopnez(_V, end)
    t.mula_ldinc("ll", "m1", _W, "m0", "m2")
    t.mula_ldinc("hh", "m3", _X, "m0", "m2")
    t.mula_ldinc("ll", "m0", _W, "m1", "m3")
    t.mula_ldinc("hh", "m2", _X, "m1", "m3")
    t.label(end)
    t.rsr_acclo(_V)


# Unpack a channel whose weights have one byte, with 128 added, to halfwords of twice the value in
# scratch memory at _W. `stream` advances.
def _widen(t):
    mask, bias, sign, stop = _BIAS, _FACTOR, _OUTPUT, _END
    weights = t.new_label("weights")
    t.lanes(mask, 0xFF, _U)
    t.lanes(bias, 0x100, _U)
    t.movi(sign, 1)
    t.slli(sign, sign, 15)
    t.load(_X, "stream")
    t.load(_PIXEL, "group")
    t.load(stop, "window")
    t.mov(_W, _PIXEL)
    t.add(stop, stop, _PIXEL)
    t.label(weights)
    t.l32i(_V, _X)
    t.addi(_X, _X, 4)
    t.srli(_U, _V, 8)
    for value in (_V, _U):
        t.and_(value, value, mask)
        t.add(value, value, value)
        t.sub(value, value, bias)
        t.and_(_Y, value, sign)  # add what the lower half has borrowed
        t.addx2(value, _Y, value)
    t.s32i(_V, _PIXEL)
    t.s32i(_U, _PIXEL, 4)
    t.addi(_PIXEL, _PIXEL, 8)
    t.bne(_PIXEL, stop, weights)
    for offset in range(0, 16, 4):
        t.l32i(_V, _X, offset)
        t.s32i(_V, _PIXEL, offset)
    t.addi(_X, _X, 16)
    t.store(_X, "stream")


# Compute all pixels of all rows with `requantize`, then branch to `next_channel`.
def _pixels(t, requantize, next_channel):
    pixel = t.new_label("pixel")
    t.label(pixel)
    _dot_product(t)
    requantize()
    t.load(_U, "output_step")
    t.load(_Y, "lanes_step")
    t.s8i(_V, _OUTPUT, 0)
    t.add(_PIXEL, _PIXEL, _Y)
    t.add(_OUTPUT, _OUTPUT, _U)
    t.back("bne", _PIXEL, _END, pixel)
    t.load(_V, "rows_left")
    t.load(_U, "row_step")
    t.load(_PIXEL, "row")
    t.addi(_V, _V, -1)
    t.add(_PIXEL, _PIXEL, _U)
    t.add(_END, _END, _U)
    t.store(_V, "rows_left")
    t.store(_PIXEL, "row")
    t.beqz(_V, next_channel)
    t.j(pixel)


def multiply(mulsh=True):
    t = Mac16("multiply", _ABOUT, 3, [*_SLOTS, *_OWN], mulsh)
    channel, narrow, ready, is_folded, next_channel, end = map(
        t.new_label, ("channel", "narrow", "ready", "folded", "next_channel", "end")
    )
    _begin(t)
    for name in ("lanes", "lanes_end"):  # LDINC advances before it loads
        t.load(_V, name)
        t.addi(_V, _V, -4)
        t.store(_V, name)
    t.load(_V, "groups")
    t.slli(_V, _V, 2)
    t.store(_V, "channels")
    t.load(_V, "window")
    t.srli(_V, _V, 3)
    t.store(_V, "passes")
    t.load(_LOW, "activation_min")
    t.load(_HIGH, "activation_max")
    t.load(_ZERO_POINT, "output_zero_point")
    t.label(channel)
    t.load(_V, "group")
    t.load(_U, "window")
    t.bnez(_V, narrow)
    t.load(_W, "stream")
    t.add(_X, _W, _U)
    t.addi(_Y, _X, 16)
    t.store(_Y, "stream")
    t.j(ready)
    t.label(narrow)
    _widen(t)
    t.load(_U, "window")
    t.add(_X, _W, _U)
    t.label(ready)
    t.addi(_W, _W, -4)
    t.store(_W, "weights")
    t.l32i(_BIAS, _X, 0)
    t.l32i(_FACTOR, _X, 4)
    t.l32i(_V, _X, 8)
    t.l32i(_HALF, _X, 12)
    t.load(_U, "rows")
    t.store(_U, "rows_left")
    t.load(_OUTPUT, "output")
    t.load(_PIXEL, "lanes")
    t.load(_END, "lanes_end")
    t.store(_PIXEL, "row")
    t.bltz(_V, is_folded)
    t.ssr(_V)
    _pixels(
        t,
        lambda: twice(t, _V, _FACTOR, _HALF, _ZERO_POINT, _LOW, _HIGH, _U),
        next_channel,
    )
    t.label(is_folded)
    _pixels(t, lambda: folded(t, _V, _FACTOR, _ZERO_POINT, _U), next_channel)
    t.label(next_channel)
    t.load(_V, "output")
    t.load(_U, "channels")
    t.addi(_V, _V, 1)
    t.addi(_U, _U, -1)
    t.store(_V, "output")
    t.store(_U, "channels")
    t.beqz(_U, end)
    t.j(channel)
    t.label(end)
    return t.text()
