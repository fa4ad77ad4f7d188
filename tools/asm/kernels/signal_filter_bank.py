# Kernel of SignalFilterBank in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.signal_filter_bank import LAYOUT

from ..language.calls import begin_eval
from ..language.macros import Record

_ABOUT = """
SignalFilterBank. Units are channels. op: LAYOUT of prepare/signal_filter_bank.py.
"""


# A channel's sum of 64 bits in four words: sums of the lower and the upper halves of the products
# with the lower and the upper half of an energy. A channel has less than 65536 products, so that
# no word overflows.
class _Sum:
    def __init__(self, k):
        self._k = k
        self._words = k.vars("low low_carry middle high", 0)
        for word in self._words:
            word.is_total = True

    def add(self, energy, weight):
        products = energy.field(0, 16) * weight, energy.lsr(16) * weight
        low, low_carry, middle, high = self._words
        for product, lower, upper in zip(products, (low, middle), (low_carry, high), strict=True):
            lower += product.field(0, 16)
            upper += product >> 16

    def words(self):
        """Return the lower and the upper word of the sum."""
        low, low_carry, middle, high = self._words
        sum_ = low.lsr(16) + low_carry.field(0, 16) + middle.field(0, 16)
        carry = self._k.var("carry", sum_)
        upper = high + (low_carry >> 16) + middle.lsr(16) + carry.lsr(16)
        return (carry << 16) + low.field(0, 16), upper


# Steps, for each channel:
# 1. Its band's energies times unweights, then the next band's energies times weights. A band that
#    exceeds the tensors is cut off at their ends.
# 2. The sum.
def eval_uint32(machine):
    k, start, stop = begin_eval("eval_uint32", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, LAYOUT)
    operands = [record.operand(name, arena, rom) for name in LAYOUT[:7]]
    energies, next_weights, first_weights, starts, weight_starts, widths, output = operands
    bins, size = record.bins, record.weights_size
    output += start << 3
    end = k.var("end", output + (stop - start << 3))
    at = k.var("at", start << 1)
    with k.While(lambda: output != end, "channel"):
        total, weights = _Sum(k), k.var("weights", first_weights)
        bands_end = k.var("bands_end", at + 4)
        with k.loop("band", times=2) as bands:
            first, first_weight = starts.get("s16", at), weight_starts.get("s16", at)
            count = k.var(
                "count", widths.get("s16", at).min(bins - first).min(size - first_weight)
            )
            cut = k.new_label("no_bins")
            for value in (first, first_weight, count):
                k.branch(value < 0, cut)
            x, w = k.var("x", energies + (first << 2)), k.var("w", weights + (first_weight << 1))
            with k.repeat(count, "bin", times=16):
                energy, weight = k.reg("energy"), w.get("s16")
                x.next(energy)
                w += 2
                total.add(energy, weight)
            k.label(cut)
            weights.set(next_weights)
            at += 2
            bands.repeat_if(at != bands_end)
        at -= 2
        output.put_next(*total.words())
    return k.finish()
