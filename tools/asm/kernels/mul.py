# Kernel of MUL, int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.mul import INT8

from ..language.calls import begin_eval
from ..language.macros import Int8Output, Record
from .binary import blocks

_ABOUT = """
MUL, int8. Units are elements. op: INT8 of prepare/mul.py.
"""


def eval_int8(machine):
    k, start, stop = begin_eval("eval_int8", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, (*INT8, "table", "shifts"))
    # The offsets are of bytes with the top bit flipped.
    offset1 = k.var("offset1", record.offset1 - 128)
    offset2 = k.var("offset2", record.offset2 - 128)
    result = Int8Output(k, record)
    output = k.var("output", arena + record.output.lsr(2) + start)
    with blocks(k, record, (op, arena, rom), start, stop) as ((x, y), steps, count):
        end = k.var("block_end", output + count)
        with k.loop("element", times=32) as element:
            one, other = x.get("s8"), y.get("s8")
            x += steps[0]
            y += steps[1]
            value = k.var("value", (one - offset1) * (other - offset2))
            result.apply(value)
            output.put("u8", value)
            output += 1
            element.repeat_if(output.below(end))
    return k.finish()
