# Kernel of ADD and SUB, int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.add import INT8

from ..language.calls import begin_eval
from ..language.macros import Int8Output, Record, multiplier_of, rescale
from .binary import blocks

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


# As kernels/add.py, without its accumulators.
def eval_int8(machine):
    k, start, stop = begin_eval("eval_int8", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, (*INT8, "table", "shifts"))
    factor1, factor2 = record.factor1, record.factor2
    base1 = k.var("base1", (128 - record.offset1) * factor1)
    scaled = _scale_of(k, record)
    result = Int8Output(k, record)
    output = k.var("output", arena + record.output.lsr(2) + start)
    with blocks(k, record, (op, arena, rom), start, stop) as ((x, y), steps, count):
        end = k.var("block_end", output + count)
        with k.loop("element", times=32) as element:
            other, one = y.get("s8"), x.get("s8")
            y += steps[1]
            x += steps[0]
            total = k.var("total", one * factor1 + (scaled(other) * factor2 + base1))
            result.apply(total)
            output.put("u8", total)
            output += 1
            element.repeat_if(output.below(end))
    return k.finish()
