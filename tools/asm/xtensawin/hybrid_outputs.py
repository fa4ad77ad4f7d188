# Generator of the outputs of float32 operators with int8 weights, for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from .channels_float import ARGUMENTS, limited, operand, word_of
from .fpu import Fpu

_ABOUT = """
Converts int32 in the place of the outputs `start` to `stop` - 1 to float32, multiplies them by the
scales of the weights and of the input, adds the bias and limits the results. `op` is the record
(HYBRID in prepare/hybrid.py).
"""
_SLOTS = ("no_bias", "scales", "weight_scales", "bias", "output", "start", "stop")
_TO, _SCALE, _SCALE_STEP, _BIAS, _BIAS_STEP = "a4", "a5", "a6", "a7", "a8"
_PIXEL, _CHANNEL, _COUNT, _CHANNELS = "a9", "a10", "a11", "a12"


# Steps:
# 1. Find the addresses of the operands.
# 2. For each pixel, whose batch has a scale: the outputs of its channels. A bias of -0.0, which
#    changes no number, stands for a missing one.
def finish():
    t = Fpu("finish", _ABOUT, ARGUMENTS, _SLOTS)
    word = {name: word_of(HYBRID, name) for name in HYBRID}
    pixel, unbiased, outputs_end, end = map(
        t.new_label, ("pixel", "unbiased", "outputs_end", "end")
    )
    record = "a2"
    t.store("a5", "start")
    t.store("a6", "stop")
    for name in ("scales", "weight_scales", "bias", "output"):
        operand(t, HYBRID, name, (record, "a3", "a4", "a7", "a8"))
    t.movi("a7", 1)
    t.slli("a7", "a7", 31)
    t.store("a7", "no_bias")
    t.l32i(_CHANNELS, record, word["output_channels"])
    t.quou(_PIXEL, "a5", _CHANNELS)
    t.mull(_CHANNEL, _PIXEL, _CHANNELS)
    t.sub(_CHANNEL, "a5", _CHANNEL)
    t.load(_TO, "output")
    t.addx4(_TO, "a5", _TO)
    t.l32i(_SCALE_STEP, record, word["per_channel"])
    t.slli(_SCALE_STEP, _SCALE_STEP, 2)
    t.lsi("f1", record, word["activation_min"])
    t.lsi("f2", record, word["activation_max"])
    t.label(pixel)
    t.load("a13", "start")
    t.load("a14", "stop")
    t.far("bge", "a13", "a14", end)
    t.sub(_COUNT, _CHANNELS, _CHANNEL)
    t.sub("a14", "a14", "a13")
    t.min(_COUNT, _COUNT, "a14")
    t.add("a13", "a13", _COUNT)
    t.store("a13", "start")
    t.l32i("a13", record, word["output_height"])
    t.l32i("a14", record, word["output_width"])
    t.mull("a13", "a13", "a14")
    t.quou("a13", _PIXEL, "a13")
    t.load("a14", "scales")
    t.addx4("a14", "a13", "a14")
    t.lsi("f0", "a14")
    t.addi(_PIXEL, _PIXEL, 1)
    t.load(_SCALE, "weight_scales")
    t.mull("a13", _CHANNEL, _SCALE_STEP)
    t.add(_SCALE, _SCALE, "a13")
    t.load("a13", "bias")
    t.mov(_BIAS, "a1")  # `no_bias` is the first word of the frame
    t.movi(_BIAS_STEP, 0)
    t.beqz("a13", unbiased)
    t.addx4(_BIAS, _CHANNEL, "a13")
    t.movi(_BIAS_STEP, 4)
    t.label(unbiased)
    t.loopnez(_COUNT, outputs_end)
    t.l32i("a13", _TO)
    t.lsi("f4", _SCALE)
    t.float_s("f3", "a13")
    t.add(_SCALE, _SCALE, _SCALE_STEP)
    t.mul_s("f3", "f3", "f4")
    t.lsi("f5", _BIAS)
    t.mul_s("f3", "f3", "f0")
    t.add(_BIAS, _BIAS, _BIAS_STEP)
    t.add_s("f3", "f3", "f5")
    limited(t, "f3", "f1", "f2")
    t.ssi("f3", _TO)
    t.addi(_TO, _TO, 4)
    t.label(outputs_end)
    t.movi(_CHANNEL, 0)
    t.j(pixel)
    t.label(end)
    return t.text()
