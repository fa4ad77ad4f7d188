# Kernel of SQUARED_DIFFERENCE, int8 and int16, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.squared_difference import INTEGERS

from ..language.calls import begin_eval
from ..language.macros import QuantizedScale, Record
from .binary import Fours, blocks
from .outputs_dsp import scale as scale_doubled

_ABOUT = """
SQUARED_DIFFERENCE, int8 and int16. Units are elements. op: INTEGERS of
prepare/squared_difference.py.
"""


# Return an element of an input, of int16 if is_wide is not 0; the address advances.
def _element(k, address, step, is_wide):
    value = k.reg("element")
    with k.If(is_wide != 0):
        value.set(address.get("s16"))
    with k.Else():
        value.set(address.get("s8"))
    address += step
    return value


# Return a function that computes the doubled squares of four elements of int8, with the DSP
# extension. They are below 2 ** 31: the differences are below 2 ** 15.
def _doubled_squares(k, record, offsets):
    left, doubled = record.left_shift, k.var("doubled_shift", record.left_shift + 1)
    base1 = k.var("base1", 1 - (offsets[0] << left))
    base2 = k.var("base2", -(offsets[1] << doubled))
    right = k.var("right", 32 - record.shift)

    def squares(x, y):
        others = [y.get("s8", i) for i in range(4)]
        others = [k.var("other", (other << doubled) + base2) for other in others]
        scale_doubled(k, others, record.multiplier, right)
        ones = [x.get("s8", i) for i in range(4)]
        pairs = zip(ones, others, strict=True)
        values = [((one << left) + base1 >> 1) - other for one, other in pairs]
        return [(value << 1) * value for value in values]

    return squares


# As kernels/squared_difference.py, without its accumulators.
def eval_integers(machine):
    k, start, stop = begin_eval("eval_integers", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, INTEGERS)
    is_wide = k.var("is_wide", record.size - 1)
    flip = k.var("flip", k.const(0x80) << (is_wide << 3))  # the offsets include it
    offset1 = k.var("offset1", record.offset1 - flip)
    offset2 = k.var("offset2", record.offset2 - flip)
    left = record.left_shift
    scale = QuantizedScale(k, record.multiplier, record.shift)
    output_scale = QuantizedScale(k, record.output_multiplier, record.output_shift)
    zero_point = record.output_zero_point
    low, high = record.activation_min, record.activation_max
    fours = None
    if machine.rescale:
        squares = _doubled_squares(k, record, (offset1, offset2))
        fours = Fours(k, record, (record.output_multiplier, record.output_shift), squares)
    output = k.var("output", arena + record.output.lsr(2) + (start << is_wide))
    with blocks(k, record, (op, arena, rom), start, stop) as ((x, y), steps, count):
        end = k.var("block_end", output + (count << is_wide))
        if fours:
            with k.If(is_wide == 0):
                fours.write((x, y), steps, output, count)
        with k.While(lambda: output.below(end), "element", times=32):
            other = k.var("other", _element(k, y, steps[1], is_wide) - offset2 << left)
            scale.apply(other)
            value = k.var("value", _element(k, x, steps[0], is_wide) - offset1 << left)
            value.set((value + 1 >> 1) - other)
            value *= value
            output_scale.apply(value)
            value.set((value + zero_point).max(low).min(high))
            with k.If(is_wide != 0):
                output.put("u16", value)
                output += 1
            with k.Else():
                output.put("u8", value)
            output += 1
    return k.finish()
