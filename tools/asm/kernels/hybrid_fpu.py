# Function of the outputs of hybrid operators, for an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from ..language.calls import begin_units
from ..language.fpu import Fpu
from ..language.macros import ABSENT, Record

_ABOUT = """
Converts int32 in the place of the outputs to float32, multiplies them by the scales of the weights
and of the input, adds the bias and limits the results. Returns 1. Units are outputs. op: HYBRID of
prepare/hybrid.py.
"""
_NO_BIAS = -1 << 31  # -0.0, because x + -0.0 = x
_SCALE, _LOW, _HIGH = 0, 1, 2  # registers of the FPU: scale of the input, limits
_VALUES, _WEIGHT_SCALES, _BIASES = 4, 8, 12  # the first ones of up to four registers


class _Outputs:
    """counts: numbers of channels that are computed together, which hides the FPU's delays."""

    def __init__(self, machine):
        self.k, start, stop = begin_units("finish", _ABOUT, machine)
        k = self.k
        op, arena, rom, *_ = k.arguments
        self.r, self.fpu = Record(k, op, HYBRID), Fpu(k)
        self.counts = (1,) if machine.has_hardware_loops else (4, 1)
        for to, name in ((_LOW, "activation_min"), (_HIGH, "activation_max")):
            self.fpu.load(to, op, self.r.offset(name))
        self._find_constants(arena, rom)
        self.channels = self.r.output_channels
        output = self.r.operand("output", arena, rom)
        self.to = k.var("to", output + (start << 2))
        self.end = k.var("end", output + (stop << 2))
        self.input_scales = self.r.operand("scales", arena, rom)
        self.pixel = k.reg("pixel")
        k.emit("divu", [self.pixel], [start, self.channels])
        self.channel = k.var("channel", start - self.pixel * self.channels)

    # Find the scales of the weights and the biases, and the bytes from one channel to the next. A
    # single scale and a missing bias are words of the frame, one for each of `counts`.
    def _find_constants(self, arena, rom):
        k, r, size = self.k, self.r, 4 * self.counts[0]
        spare = k.reserve(2 * size)
        self.scales = r.operand("weight_scales", arena, rom)
        self.biases = r.operand("bias", arena, rom)
        self.scale_step, self.bias_step = r.per_channel << 2, k.var("bias_step", 4)
        with k.If(self.scale_step == 0):
            self._fill(spare(), self.scales[0])
            self.scales.set(spare())
        with k.If(r.bias == ABSENT):
            self._fill(spare(size), k.const(_NO_BIAS))
            self.biases.set(spare(size))
            self.bias_step.set(0)

    def _fill(self, address, value):
        for i in range(self.counts[0]):
            address[4 * i] = value

    # 1. For each pixel, whose batch has a scale: find the constants of its first channel.
    # 2. For a few channels at a time: compute the outputs.
    def kernel(self):
        k, r = self.k, self.r
        with k.loop("pixel") as loop:
            count = self.channels - self.channel
            count = k.var("count", count.min((self.end - self.to).lsr(2)))
            batch = k.reg("batch")
            k.emit("divu", [batch], [self.pixel, r.output_height * r.output_width])
            self.fpu.load(_SCALE, self.input_scales + (batch << 2))
            scale = k.var("scale", self.scales + self.channel * self.scale_step)
            bias = k.var("bias_at", self.biases + self.channel * self.bias_step)
            turns = [count] if self.counts == (1,) else [count.lsr(2), count.field(0, 2)]
            for number, at_once in zip(turns, self.counts, strict=True):
                with k.repeat(k.var("turns", number), "outputs", 16):
                    self._outputs(at_once, scale, bias)
            self.channel.set(0)
            self.pixel += 1
            loop.repeat_if(self.to != self.end)
        return k.finish(k.const(1))

    def _outputs(self, count, scale, bias):
        f, to = self.fpu, self.to
        values, scales, biases = (
            range(first, first + count) for first in (_VALUES, _WEIGHT_SCALES, _BIASES)
        )
        f.load_integers(values, to)
        for address, numbers, step in (
            (scale, scales, self.scale_step),
            (bias, biases, self.bias_step),
        ):
            f.load_words(numbers, address)
            address += step << 2 if count == 4 else step
        for value, by in zip(values, scales, strict=True):
            f.mul(value, value, by)
        for value in values:
            f.mul(value, value, _SCALE)
        for value, summand in zip(values, biases, strict=True):
            f.add(value, value, summand)
        for value in values:
            f.limit(value, _LOW, _HIGH)
        f.store_words(values, to)
        to += 4 * count


def finish_kernel(machine):
    return _Outputs(machine).kernel()
