# Kernel of FULLY_CONNECTED, int8, with the DSP extension, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_dsp import FULLY_CONNECTED

from ..language.calls import begin_eval
from ..language.macros import Record
from .conv_dsp import copy
from .outputs_dsp import clamp, join, multiply_add, requantize, unpack

_ABOUT = """
FULLY_CONNECTED, int8, with weights as halfwords (prepare/dsp.py). Units are groups of four output
channels. op: FULLY_CONNECTED of prepare/conv_dsp.py.
"""
_GROUP = 4
_GROUP_NUMBERS = 52  # bytes of a group besides its weights
_TAPS = 128  # offset in the scratch buffer of the inputs, rounded up to whole passes
_EACH_BYTE = 0x01010101


def eval_int8(machine):
    k, start, stop = begin_eval("eval_int8", _ABOUT, machine)
    op, arena, rom, *_ = k.arguments
    r = Record(k, op, FULLY_CONNECTED)
    depth, weights = r.depth, k.var("weights", r.depth_words << 4)
    stream = r.operand("stream", arena, rom)
    stream += start * (weights + _GROUP_NUMBERS)
    source, first = r.operand("input", arena, rom), k.var("first", start << 2)
    to = r.operand("output", arena, rom)
    to += first
    zero_point, low, high = r.output_zero_point, r.activation_min, r.activation_max
    clamped = k.var("clamped", (low + 128) | (high - 127))
    for limit in (low, high):
        limit.set(limit.field(0, 8) * k.const(_EACH_BYTE))
    channels, batches = r.output_channels, r.batches
    with k.loop("batch", times=1) as batch:
        inputs = k.var("inputs", source)
        # The elements that fill up the last pass have a weight of 0, but must be in the arena.
        with k.If(depth != weights.lsr(3)):
            inputs.set(r.operand("scratch", arena, rom) + _TAPS)
            copy(k, k.var("taps", inputs), source, depth)
        at, output = k.var("at", stream), k.var("output", to)
        left = k.var("channels_left", channels.min(stop << 2) - first)
        with k.loop("group") as group:
            word = _outputs(k, at, k.var("x", inputs), weights, zero_point)
            with k.If(clamped != 0):
                clamp(k, word, low, high)
            with k.If(left < _GROUP):
                with k.loop("rest", times=2) as rest:
                    output.put("u8", word)
                    output += 1
                    word >>= 8
                    left -= 1
                    rest.repeat_if(left != 0)
                group.leave()
            output.put_next(word)
            left -= _GROUP
            group.repeat_if(left != 0)
        source += depth
        to += channels
        batches -= 1
        batch.repeat_if(batches != 0)
    return k.finish()


# The outputs of a group as the bytes of a word; `at`, the address of its stream, advances.
def _outputs(k, at, x, weights, zero_point):
    sums = k.vars("sum0 sum1 sum2 sum3")
    for i, total in enumerate(sums):
        at.get("w", 4 + 4 * i, total)
    at += 4 + 4 * _GROUP
    end = k.var("weights_end", at + weights)
    with k.loop("quad", times=32) as quad:
        for _ in range(2):
            for pair in unpack(k, x.next(k.reg())):
                words = at.next(*[k.reg() for _ in sums])
                for total, word in zip(sums, words, strict=True):
                    multiply_add(k, total, pair, word)
        quad.repeat_if(at.below(end))
    for total in sums:
        multiplier, shift = at.next(k.reg(), k.reg())
        requantize(k, [total], multiplier, shift, zero_point)
    join(k, sums)
    return sums[0]
