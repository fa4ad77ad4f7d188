# Kernel of BATCH_MATMUL, int16, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.batch_matmul import INT16

from ..language.calls import begin_eval
from ..language.macros import Record
from .batch_matmul import divide, first_elements
from .outputs_int16 import add_wide, rescale_wide

_ABOUT = """
BATCH_MATMUL, int16. Units are outputs. op: INT16 of prepare/batch_matmul.py.
"""
_COLUMNS = 2  # that share the inputs of the left matrix


def _add_product(t, low, high, one, other):
    t.smlal(low, high, one, other)


def _run_add_product(low, high, one, other):
    total = (high << 32) + (low & 0xFFFFFFFF) + one * other
    return total, total >> 32


# Add a product of halfwords to a number of 64 bits.
def _add(k, low, high, one, other):
    if k.machine.name == "armv7em":
        k.tile(_add_product, [], [one, other], [low, high], 4, run=_run_add_product)
    else:
        product = one * other
        add_wide(k, low, high, product, product >> 31)


# Return the sums of products of a row at x and of `count` columns, the first of them at y.
def _sum_up(k, x, y, steps, count, depth, stride):
    sums = [(k.var("low", 0), k.var("high", 0)) for _ in range(count)]
    x, y, left = k.var("x", x), k.var("y", y), k.var("depth_left", depth)
    with k.loop("tap", times=32) as tap:
        value = x.get("s16")
        for i, (low, high) in enumerate(sums):
            _add(k, low, high, value, y.get("s16", stride) if i else y.get("s16"))
        x += steps[0]
        y += steps[1]
        left -= 1
        tap.repeat_if(left != 0)
    return sums


# For each row of outputs: the sums of two columns at a time, and their outputs.
def eval_int16(machine):
    k, start, stop = begin_eval("eval_int16", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, INT16)
    columns, depth = record.columns, record.depth
    stride = k.var("stride", record.right_column_stride << 1)
    names = "left_depth_stride", "right_depth_stride"
    steps = [k.var(name, getattr(record, name) << 1) for name in names]
    left_matrices = record.operand("left", arena, rom)
    right_matrices = record.operand("right", arena, rom)
    output = k.var("output", arena + record.output.lsr(2) + (start << 1))
    factors = record.offset("pairs") + 4
    end = k.new_label("rows_end")
    k.branch(start >= stop, end)
    with k.loop("row") as rows:
        row = divide(k, "row", start, columns)
        column = k.var("column", start - row * columns)
        count = k.var("count", (columns - column).min(stop - start))
        start += count
        batch = divide(k, "batch", row, record.rows)
        row -= batch * record.rows
        left, right = first_elements(k, record, batch)
        left.set(left_matrices + (left + row * record.left_row_stride << 1))
        right.set(right_matrices + (right << 1) + column * stride)
        for at_once in (_COLUMNS, 1):
            with k.While(lambda n=at_once, count=count: count >= n, "columns"):
                sums = _sum_up(k, left, right, steps, at_once, depth, stride)
                for i, (low, high) in enumerate(sums):
                    factor, shift = k.var("factor", op[factors]), k.var("shift", op[factors + 4])
                    value = rescale_wide(k, low, high, factor, shift) + record.output_zero_point
                    value = value.max(record.activation_min).min(record.activation_max)
                    output.put("u16", value, 2 * i)
                output += 2 * at_once
                right += stride << at_once - 1
                count -= at_once
        rows.repeat_if(start < stop)
    k.label(end)
    return k.finish()
