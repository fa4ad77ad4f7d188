# Kernel of ADD and SUB, int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.add import INT8

from ..language.calls import begin_eval
from ..language.macros import Int8Output, Record
from .binary import blocks

_ABOUT = """
ADD and SUB, int8. Units are elements. op: INT8 of prepare/add.py.
"""


# As kernels/add.py, without its accumulators.
def eval_int8(machine):
    k, start, stop = begin_eval("eval_int8", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, (*INT8, "table", "shifts"))
    offset1 = k.var("offset1", record.offset1 - 128)
    offset2 = k.var("offset2", record.offset2 - 128)
    factor1, factor2 = record.factor1, record.factor2
    low, high = record.multiplier.field(0, 16), record.multiplier >> 16
    right = record.shift
    result = Int8Output(k, record)
    output = k.var("output", arena + record.output.lsr(2) + start)
    with blocks(k, record, (op, arena, rom), start, stop) as ((x, y), steps, count):
        end = k.var("block_end", output + count)
        with k.loop("element", times=32) as element:
            value = y.get("s8") - offset2
            y += steps[1]
            value = k.var("value", (value * high << 5) + (value * low + 0x400 >> 11))
            with k.If(right != 0):
                value.set(((value >> 31) + value >> right - 1) + 1 >> 1)
            total = k.var("total", (x.get("s8") - offset1) * factor1 + value * factor2)
            x += steps[0]
            result.apply(total)
            output.put("u8", total)
            output += 1
            element.repeat_if(output.below(end))
    return k.finish()
