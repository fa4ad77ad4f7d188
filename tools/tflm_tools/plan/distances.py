# tflm_tools: Distances: how near to its input an operator may write its output
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from itertools import accumulate, product

from tflm.prepare.depthwise_lanes import band_rows
from tflm.prepare.pad import collapsed
from tflm.prepare.strided import constant_indices, merged, strides_of
from tflm.prepare.strided_slice import parts_of

from ..kernel_files import ORDERS, in_order
from ..model.schema import BuiltinOperator, option
from .windows import rows_of

# Kernels run their units in ascending order, and once the outputs of a unit are written read no
# more what only earlier units need (docs/architecture.md). So an output may lie over an input,
# if what unit r writes ends before the first byte that units from r on still read. What units go
# through in order stands in the head of each kernel file; others are never placed so:
# rows: of the output; so units, or what a kernel goes through in order inside its units.
# pixels: of an output that has one for each pixel of the input.
# channels: one by one over all rows: its bytes must lie over those of the same channel.
# planes: the same, but some rows of a channel at a time, all of them read before any is written.
# elements: each is read before it is written.
# steps: the rows of input and output that each step of a sequence has.
# blocks: items that it moves, in the order of the output; those of the input ascend with them
# where the operator says so.
# place: all that a unit reads is read before it is written, if its output lies over just that.

_PADS = (BuiltinOperator.PAD, BuiltinOperator.PADV2)


def kernels():
    """All kernels that may write over an input."""
    return set().union(*map(in_order, ORDERS))


@dataclass(frozen=True)
class Distance:
    """The input begins at least `least` bytes behind the output, by a multiple of `step`."""

    source: object  # Tensor
    target: object
    least: int
    step: int = 1


# The bytes that an output of `units` units (`size` bytes each) must begin before its input;
# `first(unit)` is the first byte of the input that this unit needs, ascending with it.
def _least(units, size, first):
    return max((unit + 1) * size - first(unit) for unit in range(units))


# The first byte of the input that row `row` (over all batches) of the output needs.
def _first_byte(rows, row_bytes, row):
    batch, y = divmod(row, rows.output_rows)
    return (batch * rows.input_rows + rows.first(y)) * row_bytes


# A convolution or pool that goes by rows.
def _by_rows(node, step=1):
    rows = rows_of(node)
    if rows is None:
        return []
    source, target = node.inputs[0], node.outputs[0]
    input_row = source.nbytes() // (rows.batches * rows.input_rows)
    output_row = target.nbytes() // (rows.batches * rows.output_rows)
    units = rows.batches * rows.output_rows
    least = _least(units, output_row, lambda row: _first_byte(rows, input_row, row))
    return [Distance(source, target, least, step)]


# True for a STRIDED_SLICE that takes elements in their order, whose record writes them in it.
def _picks_ascending(node):
    if node.builtin_code != BuiltinOperator.STRIDED_SLICE:
        return False
    parts = parts_of(node)
    if any(stride < 0 and count > 1 for _, count, stride, _ in parts):
        return False
    counts = [count for _, count, _, _ in parts]
    strides, steps = strides_of(node.inputs[0].shape), strides_of(counts)
    loops = [
        (count, stride * part[2], step)
        for count, stride, part, step in zip(counts, strides, parts, steps, strict=True)
    ]
    _, loops = merged(loops, 1)  # as emit_copy() of prepare/strided.py has them
    return all(b[2] >= a[0] * a[2] for a, b in zip(loops, loops[1:], strict=False) if b[0] > 1)


# A PAD or PADV2: rows of the output, some of which hold a row of the input.
def _padded(node):
    source, target = node.inputs[0], node.outputs[0]
    if len(node.inputs) < 2:
        return []  # some rows of one
    numbers = constant_indices(node, node.inputs[1], "the paddings")
    *outer, (_, inside, _) = collapsed(source.shape, numbers)
    kinds = [[False] * left + [True] * rows + [False] * right for left, rows, right in outer]
    taken = list(accumulate(map(all, product(*kinds)), initial=0))
    row = inside * source.nbytes() // source.elements()
    units = len(taken) - 1
    least = _least(units, target.nbytes() // units, lambda unit: taken[unit] * row)
    return [Distance(source, target, least)]


# A depthwise convolution that makes some rows of a channel's output from one plane.
def _by_planes(node, rows):
    source, target = node.inputs[0], node.outputs[0]
    step, count = source.shape[-1], rows.output_rows
    stride, width = option(node, "STRIDE_W", "i"), node.inputs[1].shape[2]
    columns = (target.shape[2] - 1) * stride + width
    band = band_rows(count, rows.reach, rows.stride, columns)
    if band >= count:  # anywhere, as far as others are left alone
        return [Distance(source, target, -source.nbytes() - target.nbytes(), step)]
    size, input_row = target.nbytes() // count, source.nbytes() // rows.input_rows
    behind = range(band, count, band)
    least = max(row * size - _first_byte(rows, input_row, row) for row in behind)
    return [Distance(source, target, least, step)]


def _by_pixels(node):
    source, target = node.inputs[0], node.outputs[0]
    size, step = target.shape[-1], source.shape[-1]
    least = _least(target.elements() // size, size, lambda pixel: pixel * step)
    return [Distance(source, target, least)]


def _in_place(node):
    source, target = node.inputs[0], node.outputs[0]
    same = source.nbytes() == target.nbytes()
    return [Distance(source, target, 0, source.nbytes())] if same else []


def _by_blocks(node):
    picks = _picks_ascending(node)
    return [Distance(node.inputs[0], node.outputs[0], 0)] if picks else []


def _by_steps(node):
    source, target = node.inputs[0], node.outputs[0]
    steps = source.elements() // source.shape[-1]
    row, output_row = source.nbytes() // steps, target.nbytes() // steps
    return [Distance(source, target, _least(steps, output_row, lambda step: step * row))]


_WAYS = {
    "pixels": _by_pixels,
    "place": _in_place,
    "blocks": _by_blocks,
    "steps": _by_steps,
    "rows": lambda node: _padded(node) if node.builtin_code in _PADS else _by_rows(node),
}


def distances_of(node, kernel):
    """A list of Distance for a node whose only record calls `kernel`; pairs not told of are apart.

    Fit for any kernel of that name, whatever the instruction set.
    """
    target = node.outputs[0] if len(node.outputs) == 1 else None
    if target is None or not target.nbytes():
        return []
    if kernel in in_order("elements"):
        # Larger elements than the input's catch up with it at the end.
        return [
            Distance(source, target, max(0, target.nbytes() - source.nbytes()))
            for source in node.inputs
            if source is not None and source.elements() == target.elements()
        ]
    source = node.inputs[0] if node.inputs else None
    if source is None or source.is_constant() or not source.nbytes():
        return []
    for way, made in _WAYS.items():
        if kernel in in_order(way):
            return made(node)
    if (
        node.builtin_code != BuiltinOperator.DEPTHWISE_CONV_2D
        or source.shape[-1] != target.shape[-1]
    ):
        return []
    rows = rows_of(node)
    if kernel in in_order("planes") and rows is not None and rows.batches == 1:
        return _by_planes(node, rows)
    if kernel in in_order("channels") | in_order("planes"):
        return _by_rows(node, source.shape[-1])
    return []
