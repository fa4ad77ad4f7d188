# Kernel of MUL, int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.mul import INT8

from ..language.calls import begin_eval
from ..language.macros import Int8Output, Record
from .binary import Fours, blocks

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
    result, fours = Int8Output(k, record), None
    if machine.rescale:
        minus = k.var("minus", -(offset1 << 1))

        def doubled_products(x, y):
            ones = [x.get("s8", i) for i in range(4)]
            others = [y.get("s8", i) for i in range(4)]
            for other in others:
                other -= offset2
            return [((one << 1) + minus) * other for one, other in zip(ones, others, strict=True)]

        fours = Fours(k, record, (record.table, record.shifts.field(0, 8)), doubled_products)
    output = k.var("output", arena + record.output.lsr(2) + start)
    with blocks(k, record, (op, arena, rom), start, stop) as ((x, y), steps, count):
        end = k.var("block_end", output + count)
        if fours:
            fours.write((x, y), steps, output, count)
        with k.While(lambda: output.below(end), "element"):
            one, other = x.get("s8"), y.get("s8")
            x += steps[0]
            y += steps[1]
            value = k.var("value", (one - offset1) * (other - offset2))
            result.apply(value)
            output.put("u8", value)
            output += 1
    return k.finish()
