# The code for one pixel in the kernels for the vector unit of the ESP32-S3: FULLY_CONNECTED
# MIT license; Copyright (c) 2026 the tflm authors

from ..encoders.pie import VECTOR
from .pie_outputs import BIAS, FACTOR, HALF, MORE, OUTPUT, SPARE, SUM, twice

_X, _INPUTS, _SHIFT, _CHANNELS, _PAIRS, _ODD, _W = "a2", "a4", "a5", "a9", "a10", "a11", "a15"


# All channels of one pixel. _W advances through the whole stream.
def only_pixel(t, end):
    names = "only_channel", "folded", "next"
    channel, is_folded, next_channel = map(t.new_label, names)
    for register, slot in ((_INPUTS, "inputs"), (OUTPUT, "output"), (_W, "stream"),
                           (_CHANNELS, "channels"), (SPARE, "vectors")):  # fmt: skip
        t.load(register, slot)
    t.srli(_PAIRS, SPARE, 1)
    t.extui(_ODD, SPARE, 0, 1)
    t.label(channel)
    t.mov(_X, _INPUTS)
    t.zero_accx()
    t.vld_ip("q0", _X, VECTOR)
    t.vld_ip("q1", _W, VECTOR)
    t.add_products(_X, _W, _ODD, _PAIRS)
    # The vector after the weights, which is loaded already, has the numbers.
    t.addi(_W, _W, -VECTOR)
    t.l32i(_SHIFT, _W, 8)
    t.l32i(BIAS, _W, 0)
    t.rur(SUM, "accx_0")
    t.l32i(FACTOR, _W, 4)
    t.l32i(HALF, _W, 12)
    t.addi(_W, _W, VECTOR)
    t.bltz(_SHIFT, is_folded)
    t.ssr(_SHIFT)
    twice(t)
    t.s8i(SUM, OUTPUT, 0)
    t.j(next_channel)
    t.label(is_folded)
    t.movi(SPARE, -1)
    t.mull(SUM, SUM, HALF)
    t.sub(SPARE, SPARE, _SHIFT)
    t.ssr(SPARE)
    t.add(SUM, SUM, BIAS)
    t.mulsh(SUM, SUM, FACTOR)
    t.sra(SUM, SUM)
    t.clamps(SUM, SUM, MORE)
    t.s8i(SUM, OUTPUT, 0)
    t.label(next_channel)
    t.addi(OUTPUT, OUTPUT, 1)
    t.addi(_CHANNELS, _CHANNELS, -1)
    t.bnez(_CHANNELS, channel)
    t.j(end)
