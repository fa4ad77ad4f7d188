# Kernel of RMS norms, int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.optimize.norm import LAYOUTS

from ..language.calls import begin_eval
from ..language.macros import ABSENT, Int8Output, Record

_ABOUT = """
RMS norm, int8. Units are rows. op: LAYOUTS of optimize/norm.py.
"""
_LAYOUT = LAYOUTS["norm.eval_int8"]
_LIMITS = "output_zero_point", "activation_min", "activation_max", "per_channel", "channels"
_BLOCK = "offset1", "offset2", *_LIMITS, "table", "shifts"
_STEP = 4 * len(_BLOCK)  # bytes from the block of a product to the next one


def eval_int8(machine):
    k, start, stop = begin_eval("eval_int8", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, _LAYOUT)
    end = k.new_label("end")
    k.branch(start >= stop, end)
    depth = record.depth
    x = k.var("x", record.operand("input", arena, rom) + start * depth)
    target = k.var("target", arena + record.output.lsr(2) + start * depth)
    with k.loop("row", times=8) as row:
        y, step = k.var("y", _factor(k, record, (arena, rom), x)), k.var("step", 0)
        at, block = k.var("at", x), k.var("block", op + record.offset("product_offset1"))
        with k.loop("product", times=2) as product:
            _multiply(k, Record(k, block, _BLOCK, first=0), (at, y, step), target, depth)
            product.leave_if(step != 0)
            product.leave_if(record.weights == ABSENT)
            y.set(record.operand("weights", arena, rom))
            step.set(1)
            at.set(target)
            block += _STEP
            product.repeat()
        x += depth
        target += depth
        start += 1
        row.repeat_if(start < stop)
    k.label(end)
    return k.finish()


# Return the address of the factor of a row: of the root that its mean selects.
def _factor(k, record, bases, x):
    squares, total = record.operand("squares", *bases), k.var("total", 0)
    at, row_end = k.var("at", x), k.var("row_end", x + record.depth)
    with k.loop("square", times=64) as square:
        total += (squares + at.get("u8")).get("u8")
        at += 1
        square.repeat_if(at.below(row_end))
    mean = k.var("mean", k.arguments[0] + record.offset("mean_zero_point"))
    Int8Output(k, Record(k, mean, _BLOCK[2:], first=0)).apply(total)
    return record.operand("roots", *bases) + total.field(0, 8)


# Write the products of elements from two addresses; the second one advances by `step`.
def _multiply(k, record, factors, target, depth):
    x, y, step = factors
    offset1 = k.var("offset1", record.offset1 - 128)
    offset2 = k.var("offset2", record.offset2 - 128)
    result = Int8Output(k, record)
    z, row_end = k.var("z", target), k.var("row_end", target + depth)
    with k.loop("element", times=64) as element:
        value = k.var("value", (x.get("s8") - offset1) * (y.get("s8") - offset2))
        x += 1
        y += step
        result.apply(value)
        z.put("u8", value)
        z += 1
        element.repeat_if(z.below(row_end))
