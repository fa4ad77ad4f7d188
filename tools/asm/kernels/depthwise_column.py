# Kernel of DEPTHWISE_CONV_2D, int8, whose window is a line of pixels, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.depthwise_column import COLUMN

from ..language.calls import begin_eval
from ..language.macros import Record
from .outputs_int8 import ChannelOutputs

_ABOUT = """
DEPTHWISE_CONV_2D, int8, whose window is a line of pixels. Units are channels. op: COLUMN of
prepare/depthwise_column.py.
"""
_UNROLLED = 4
_HEAD = 8  # bytes of a channel before its weights: the bias and the multiplier


class _Column:
    """Two pixels at a time share the loads of weights; an odd last one is computed alone."""

    def __init__(self, machine):
        self.k, self.start, self.stop = begin_eval("eval_int8", _ABOUT, machine)
        k = self.k
        op, arena, rom, *_ = k.arguments
        self.record = r = Record(k, op, COLUMN)
        self.size = r.channel_bytes
        self.source = k.var("source", r.operand("input", arena, rom) + self.start)
        stream = r.operand("stream", arena, rom)
        self.stream = k.var("stream", stream + self.start * self.size)
        self.output = k.var("output", r.operand("output", arena, rom) + self.start)
        self.output_step, self.pixels, self.pixel_step = r.output_channels, r.pixels, r.pixel_step
        self.taps, self.tap_step = r.taps, r.tap_step
        self.outputs = ChannelOutputs(k, r)
        omitted = k.var("omitted", (-self.taps).field(0, 2))
        self.entries = [k.var("entry", omitted * self._tap_bytes(count)) for count in (1, 2)]

    def kernel(self):
        k = self.k
        left = k.var("channels_left", self.stop - self.start)
        with k.loop("channel") as channel:
            self.window, self.out = k.var("window", self.source), k.var("out", self.output)
            pixels, single, done = (
                k.var("pixels_left", self.pixels),
                *map(k.new_label, ("single", "channel_done")),
            )
            with k.loop("pixel") as pixel:
                k.branch(pixels < 2, single)
                self._pixels(2)
                pixels -= 2
                pixel.repeat_if(pixels != 0)
            k.goto(done)
            k.label(single)
            self._pixels(1)
            k.label(done)
            self.source += 1
            self.output += 1
            self.stream += self.size
            left -= 1
            channel.repeat_if(left != 0)
        return k.finish()

    def _pixels(self, count):
        k = self.k
        bias = self.stream[0]
        sums = [k.var("sum", bias) for _ in range(count)]
        for total in sums[1:]:
            total.is_total = True
        end = k.var("weights_end", self.stream + self.taps + _HEAD)
        self._sum_up(sums, end)
        for total in sums:
            value = k.var("value", total)
            self.outputs.split(self.stream[4], end.get("u8"))
            self.outputs.apply(value)
            self.out.put("u8", value)
            self.out += self.output_step
            self.window += self.pixel_step

    # A jump enters the unrolled loop. `x` is one tap before the next one.
    def _sum_up(self, sums, end):
        k = self.k
        x = k.var("x", self.window - self.tap_step)
        step, index = k.var("step", self.tap_step), k.var("index", -self.taps)
        steps = [step]
        if len(sums) > 1:
            steps.append(k.var("beside", step + self.pixel_step))
        copies = k.new_copies(_UNROLLED)
        k.enter(copies, self.entries[len(sums) - 1], self._tap_bytes(len(sums)))
        with k.loop("taps", times=4) as loop:
            with k.repeated(copies), k.weighted(_UNROLLED):
                weight = end.get("s8", index)
                for total, offset in zip(sums, steps, strict=True):
                    total += x.get("s8", offset) * weight
                x += step
                index += 1
            loop.repeat_if(index != 0)

    # Of machine code, for the products of `count` pixels.
    def _tap_bytes(self, count):
        return 6 + 6 * count


def eval_int8(machine):
    return _Column(machine).kernel()
