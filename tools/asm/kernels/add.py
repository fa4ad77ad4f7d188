# Kernel of ADD and SUB, int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.add import INT8

from ..language.calls import begin_eval
from ..language.macros import Int8Output, Record, multiplier_of, rescale
from .binary import Fours, blocks
from .outputs_dsp import scale

_ABOUT = """
ADD and SUB, int8. Units are elements. op: INT8 of prepare/add.py.
"""


# Return a function that rescales an element of the second input.
def _scale_of(k, record):
    offset, right = k.var("offset2", record.offset2 - 128), record.shift
    if k.machine.rescale:
        base, multiplier = k.var("base2", -(offset << 20)), multiplier_of(k, record.multiplier)

        def scaled(element):
            value = k.var("value", (element << 20) + base)
            rescale(k, value, multiplier, right)
            return value

        return scaled
    low, high = record.multiplier.field(0, 16), record.multiplier >> 16

    def scaled_by_halves(element):
        value = element - offset
        value = k.var("value", (value * high << 5) + (value * low + 0x400 >> 11))
        with k.If(right != 0):
            value.set(((value >> 31) + value >> right - 1) + 1 >> 1)
        return value

    return scaled_by_halves


# Return a function that computes the doubled sums of four elements, with the DSP extension.
def _doubled_sums(k, record, *numbers):
    factor1, factor2, base1 = (k.var("doubled", number << 1) for number in numbers)
    base2 = k.var("doubled_base2", (128 - record.offset2) << 21)
    multiplier, right = record.multiplier, record.shift

    def sums(x, y):
        others = [y.get("s8", i) for i in range(4)]
        others = [k.var("other", (other << 21) + base2) for other in others]
        scale(k, others, multiplier, right)
        others = [other * factor2 + base1 for other in others]
        ones = [x.get("s8", i) for i in range(4)]
        return [one * factor1 + other for one, other in zip(ones, others, strict=True)]

    return sums


# As kernels/add.py, without its accumulators.
def eval_int8(machine):
    k, start, stop = begin_eval("eval_int8", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, (*INT8, "table", "shifts"))
    factor1, factor2 = record.factor1, record.factor2
    base1 = k.var("base1", (128 - record.offset1) * factor1)
    scaled = _scale_of(k, record)
    result, fours = Int8Output(k, record), None
    if machine.rescale:
        sums = _doubled_sums(k, record, factor1, factor2, base1)
        fours = Fours(k, record, (record.table, record.shifts.field(0, 8)), sums)
    output = k.var("output", arena + record.output.lsr(2) + start)
    with blocks(k, record, (op, arena, rom), start, stop) as ((x, y), steps, count):
        end = k.var("block_end", output + count)
        if fours:
            fours.write((x, y), steps, output, count)
        with k.While(lambda: output.below(end), "element"):
            other, one = y.get("s8"), x.get("s8")
            y += steps[1]
            x += steps[0]
            total = k.var("total", one * factor1 + (scaled(other) * factor2 + base1))
            result.apply(total)
            output.put("u8", total)
            output += 1
    return k.finish()
