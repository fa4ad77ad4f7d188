# Kernel of BATCH_MATMUL, int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.batch_matmul import INT8

from ..language.calls import begin_eval
from ..language.macros import Int8Output, Record

_ABOUT = """
BATCH_MATMUL, int8. Units are outputs. op: INT8 of prepare/batch_matmul.py.
"""
_BLOCK = 32  # taps and sums that fit the scratch buffer


def divide(k, name, one, other):
    quotient = k.reg(name)
    k.emit("divu", [quotient], [one, other])
    return quotient


# Yield the offsets of the first elements of the left and the right matrix of a batch.
def first_elements(k, record, batch):
    last, middle = record.last_batches, record.middle_batches
    row = divide(k, "batch_row", batch, last)
    plane = divide(k, "batch_plane", row, middle)
    indices = plane, row - plane * middle, batch - row * last
    for side in ("left", "right"):
        strides = (getattr(record, f"{side}_batch_stride_{i}") for i in range(3))
        first = k.var(side, 0)
        for index, stride in zip(indices, strides, strict=True):
            first += index * stride
        yield first


# Add to each sum the products of the taps and a column. The columns begin at `y` and at the
# distances `others` from it; `step` is the distance of two elements of a column.
def _add_products(k, y, others, step, tap, taps_end, sums):
    y = k.var("element", y)
    with k.While(lambda: tap != taps_end, "tap"):
        x = tap[0]
        tap += 4
        values = [y.get("s8"), *(y.get("s8", other) for other in others[:1])]
        for i, total in enumerate(sums):
            total += values[i] * x
            if i + 2 < len(sums):
                values.append(y.get("s8", others[i + 1]))
        y += step


# Steps, for each row of outputs, or 32 neighbours in it if the depth is above 32:
# 1. Unpack up to 32 taps to scratch: left elements less their zero point, as words.
# 2. Add up the products of all columns, some columns at a time: sum x * (y - its zero point) =
#    sum x * y - zero point of y * sum x, where x are the taps.
# 3. After the last taps: the outputs. Before: the sums wait in scratch.
def eval_int8(machine):
    columns_at_once = 2 if machine.name == "armv6m" else 4
    k, start, stop = begin_eval("eval_int8", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, (*INT8, "table", "shifts"))
    result = Int8Output(k, record)
    columns, depth = record.columns, record.depth
    step, stride = record.right_depth_stride, record.right_column_stride
    left_step = record.left_depth_stride
    others = [stride]
    for _ in range(2, columns_at_once):
        others.append(k.var("column_offset", others[-1] + stride))
    group = k.var("columns_at_once", others[-1] + stride)
    left_zero_point = k.var("left_zero_point", record.left_offset - 128)
    right_zero_point = k.var("right_zero_point", record.right_offset - 128)
    left_matrices = record.operand("left", arena, rom)
    right_matrices = record.operand("right", arena, rom)
    scratch = k.var("scratch", arena + record.scratch.lsr(2))
    output = k.var("output", arena + record.output.lsr(2) + start)
    end = k.new_label("rows_end")
    k.branch(start >= stop, end)
    with k.loop("row") as rows:
        row = divide(k, "row", start, columns)
        column = k.var("column", start - row * columns)
        count = k.var("count", (columns - column).min(stop - start))
        with k.If(depth > _BLOCK):
            count.set(count.min(_BLOCK))
        start += count
        batch = divide(k, "batch", row, record.rows)
        row -= batch * record.rows
        left, right = first_elements(k, record, batch)
        left += left_matrices + row * record.left_row_stride
        right += right_matrices + column * stride
        taps = k.var("taps", scratch + (count.min(_BLOCK) << 2))
        left_to_do = k.var("depth_left", depth)
        with k.loop("block", times=1) as block:
            is_later = k.var("is_later", left_to_do - depth)
            size = k.var("size", left_to_do.min(_BLOCK))
            left_to_do -= size
            tap, total = k.var("tap", taps), k.var("total", 0)
            taps_end = k.var("taps_end", tap + (size << 2))
            with k.While(lambda: tap != taps_end, "unpack"):
                value = left.get("s8") - left_zero_point
                tap.put("w", value)
                tap += 4
                total += value
                left += left_step
            total.set(-total * right_zero_point)
            y, out = k.var("y", right), k.var("out", output)
            to_do = k.var("columns_left", count)
            for n, distance in ((columns_at_once, group), (1, stride)):
                with k.While(lambda n=n, to_do=to_do: to_do >= n, "columns"):
                    sums = [k.var("sum", total) for _ in range(n)]
                    with k.If(is_later != 0, rare=True):
                        partial = scratch + (out - output << 2)
                        for i, each in enumerate(sums):
                            each += partial[4 * i]
                    tap.set(taps)
                    _add_products(k, y, others[: n - 1], step, tap, taps_end, sums)
                    with k.If(left_to_do == 0):
                        for i, each in enumerate(sums):
                            result.apply(each)
                            out.put("u8", each, i)
                    with k.Else():
                        partial = scratch + (out - output << 2)
                        for i, each in enumerate(sums):
                            partial.put("w", each, 4 * i)
                    out += n
                    y += distance
                    to_do -= n
            right += size * step
            block.repeat_if(left_to_do != 0)
        output += count
        rows.repeat_if(start < stop)
    k.label(end)
    return k.finish()
