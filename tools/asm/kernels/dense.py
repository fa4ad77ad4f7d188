# Kernel of layers that use each weight once, with weights of one byte, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.dense import DENSE

from ..language.calls import begin_eval
from ..language.macros import Record
from .outputs_int8 import ChannelOutputs

_ABOUT = """
One output pixel of CONV_2D, or FULLY_CONNECTED, with weights that are used once. Units are groups
of four channels. op: DENSE of prepare/dense.py.
"""
_CHANNELS = 4
_GROUP_NUMBERS = 36  # bytes of a group besides its weights

# The flash cache of an RP2040 has 16 KB. Weights that are read once would evict everything else:
# code, records and the weights of small layers. Layers with more than 2 KB of weights are
# therefore read through the uncached alias of the flash, where a miss fetches one word and leaves
# the cache unchanged. Other chips, like an RP2350, lack this alias and have another mark in their
# boot ROM.
_FLASH = 0x10  # upper byte of the addresses of the flash
_ALIAS = 0x01 << 24  # added to the address: the uncached alias
_LARGE_BITS = 11  # a layer of more than 2 KB
_MARK_AT, _MARK = 0x10, 0x01754D  # the lower three bytes of a word


class _Dense:
    def __init__(self, machine):
        self.k, start, stop = begin_eval("eval_bytes", _ABOUT, machine)
        k = self.k
        op, arena, rom, *_ = k.arguments
        r = Record(k, op, DENSE)
        self.depth = depth = r.depth
        self.inputs = r.operand("input", arena, rom)
        self.inputs_end = k.var("inputs_end", self.inputs + depth)
        channels = r.output_channels
        stream = r.operand("stream", arena, rom)
        group_bytes = (depth << 2) + _GROUP_NUMBERS
        self.at = k.var("at", stream + start * group_bytes)
        if machine.name == "armv6m":
            self._read_uncached(channels * depth)
        first = k.var("first", start << 2)
        self.to = k.var("to", r.operand("output", arena, rom) + first)
        self.left = k.var("channels_left", channels.min(stop << 2) - first)
        self.kept = r.operand("scratch", arena, rom)
        self.outputs = ChannelOutputs(k, r)

    def _read_uncached(self, weights):
        k, cached = self.k, self.k.new_label("cached")
        k.branch(weights.lsr(_LARGE_BITS) == 0, cached)
        k.branch(self.at.lsr(24) != _FLASH, cached)
        mark = k.const(_MARK_AT)[0]
        k.branch(mark << 8 != k.const(_MARK << 8), cached)
        self.at += k.const(_ALIAS)
        k.label(cached)

    # 1. For each group: the sums of all products.
    # 2. The outputs of its channels.
    def kernel(self):
        k, done = self.k, self.k.new_label("done")
        with k.loop("group") as group:
            sums = self._sums()
            kept = k.var("kept", self.kept)
            kept.put_next(*sums)
            kept.set(self.kept)
            table = k.var("table", self.at)
            shifts = k.var("shifts", table[16])  # the lowest byte counts
            with k.loop("channel", times=_CHANNELS) as channel:
                value = kept.next(k.reg("value"))
                self.outputs.split(table.next(k.reg()), shifts)
                self.outputs.apply(value)
                shifts.set(shifts.lsr(8))
                self.to.put("u8", value)
                self.to += 1
                self.left -= 1
                k.branch(self.left == 0, done)
                channel.repeat_if(kept != self.kept + 4 * _CHANNELS)
            self.at.set(table + 4)
            group.repeat()
        k.label(done)
        return k.finish()

    # A word of weights is read once, because flash is slow, and its bytes are not unpacked: the
    # factor of a channel is the word shifted right to the channel's byte, with the bytes above it.
    # Each sum therefore includes 256 times the sum of the next channel, which is subtracted once
    # after the last input. Weights are stored with 128 added; this adds 128 times the sum of the
    # inputs.
    def _sums(self):
        k = self.k
        biases = self.at.next(*[k.reg() for _ in range(_CHANNELS)])
        for channel in (2, 1, 0):
            biases[channel].set(biases[channel] + (biases[channel + 1] << 8))
        totals = [k.var(f"sum{i}", bias) for i, bias in enumerate(biases)]
        of_inputs = k.var("inputs_sum", 0)
        for total in (*totals, of_inputs):
            total.is_total = True
        source = k.var("source", self.inputs)
        with k.loop("quad", times=32) as quad:
            word = source.next(k.reg())
            for element in range(4):
                value = k.reg()
                k.emit("s8", [value], [word]) if element < 3 else value.set(word)
                if element < 3:
                    word >>= 8
                if element % 2 == 0:
                    weights = self.at.next(k.reg(), k.reg())
                self._add_products(totals, weights[element % 2], value)
                of_inputs += value
            quad.repeat_if(source != self.inputs_end)
        excess = of_inputs << 7
        for total, following in zip(totals, [*totals[1:], None], strict=True):
            if following is not None:
                total -= following << 8
            total -= excess
        return totals

    def _add_products(self, totals, weights, value):
        for channel in (3, 2, 1):
            totals[channel] += weights.lsr(8 * channel) * value
        weights *= value
        totals[0] += weights


def eval_bytes(machine):
    return _Dense(machine).kernel()
