# Kernel of SVDF, int8, with a state of int8 or int16, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import pairwise

from tflm.prepare.svdf import INT8

from ..language.calls import begin_eval
from ..language.macros import ABSENT, PRODUCTS, QuantizedScale, Record, add_products

_ABOUT = """
SVDF, int8. Units are outputs, each with `rank` filters. op: INT8 of prepare/svdf.py.
"""
_FEATURES = 4  # filters whose products with the input are summed up together


# Return the sums of the inputs times the weights of `count` filters; the last filter may be there
# several times. `row` advances past these filters.
def _features(k, record, source, row, count):
    size = record.input_size
    rows = [k.var("row", row)]
    for i in range(1, _FEATURES):
        rows.append(k.var("row", rows[-1]))
        with k.If(count > i):
            rows[-1] += size
    row += size * count
    x = k.var("x", source)
    zero_point = k.var("zero_point", record.feature_offsets.field(0, 16) - 128)
    sums = [k.var("feature", 0) for _ in rows]
    ends = k.var("fours_end", x + (size & -PRODUCTS)), k.var("inputs_end", x + size)
    add_products(k, x, zero_point, rows, sums, ends)
    return sums


# Add a row's next product to `total`: an element of the state times its weight.
def _add_product(element, weights, zero_point, total, size):
    total += (element - zero_point) * weights.get(f"s{8 * size}")
    weights += size


# Move a row of the state, of `size` bytes an element, by one element, append `value`, and add the
# row's products to `total`. `state` and `weights` advance to the next row.
def _remember(k, state, weights, value, zero_point, memory_size, total, size):
    load, store = f"s{8 * size}", f"u{8 * size}"
    end = k.var("row_end", state + (memory_size - 1) * size)
    with k.While(lambda: state != end, "element", times=16):
        element = state.get(load, size)
        state.put(store, element)
        state += size
        _add_product(element, weights, zero_point, total, size)
    state.put(store, value)
    element = state.get(load)  # with its sign
    state += size
    _add_product(element, weights, zero_point, total, size)


# Steps, for up to four filters of a batch at a time:
# 1. The features: products of the input and the weights.
# 2. For each filter: append the feature to its row of the state, add the row's products.
# 3. After the last filter of an output: the output.
def eval_int8(machine):
    k, start, stop = begin_eval("eval_int8", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, INT8)
    rank, units = record.rank, record.units_in_batch
    memory_size, is_wide = record.memory_size, record.state_bits >> 4
    batch, unit = k.var("batch", start), k.var("unit", start)
    k.emit("divu", [batch], [start, units])
    unit -= batch * units
    left = k.var("left", (stop - start) * rank)
    batch_left = k.var("batch_left", (units - unit) * rank)
    source = record.operand("input", arena, rom)
    source += batch * record.input_size
    filters = k.var("filters", unit * rank)
    row = record.operand("weights_feature", arena, rom)
    row += filters * record.input_size
    bias = record.operand("bias", arena, rom)
    with k.If(record.bias == ABSENT):
        bias.set(0)
    with k.Else():
        bias += unit << 2
    times = record.operand("weights_time", arena, rom)
    times += filters * memory_size << is_wide
    state = record.operand("state", arena, rom)
    state += start * rank * memory_size << is_wide
    output = record.operand("output", arena, rom) + start
    limit = k.var("limit", (k.const(1) << record.state_bits - 1) - 1)
    lowest = k.var("lowest", -1 - limit)
    zero_point = record.state_zero_point
    scale = QuantizedScale(k, record.feature_multiplier, record.feature_shift)
    output_scale = QuantizedScale(k, record.output_multiplier, record.output_shift)
    total, rank_left = k.var("total", 0), k.var("rank_left", rank)
    with k.loop("block") as block:
        count = k.var("count", left.min(batch_left).min(_FEATURES))
        left -= count
        batch_left -= count
        features = _features(k, record, source, row, count)
        with k.loop("filter", times=_FEATURES) as each:
            value = k.var("value", features[0])
            for feature, following in pairwise(features):
                feature.set(following)
            scale.apply(value)
            # The zero point is added after the feature is clamped: it may wrap around, as in TFLM.
            value.set(value.min(limit).max(lowest) + zero_point)
            with k.If(is_wide != 0):
                _remember(k, state, times, value, zero_point, memory_size, total, 2)
            with k.Else():
                _remember(k, state, times, value, zero_point, memory_size, total, 1)
            rank_left -= 1
            with k.If(rank_left == 0):
                with k.If(bias != 0):
                    total += bias[0]
                    bias += 4
                output_scale.apply(total)
                total += record.output_zero_point
                total.set(total.max(record.activation_min).min(record.activation_max))
                output.put("u8", total)
                output += 1
                total.set(0)
                rank_left.set(rank)
            count -= 1
            each.repeat_if(count != 0)
        block.leave_if(left == 0)
        with k.If(batch_left == 0, rare=True):
            source += record.input_size
            row.set(record.operand("weights_feature", arena, rom))
            times.set(record.operand("weights_time", arena, rom))
            with k.If(bias != 0):
                bias.set(record.operand("bias", arena, rom))
            batch_left.set(units * rank)
        block.repeat()
    return k.finish()
