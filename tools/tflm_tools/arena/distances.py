# tflm_tools: Distances: how near to its input an operator may write its output
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from itertools import accumulate, product
from struct import iter_unpack

from tflm.prepare.depthwise_lanes import band_rows
from tflm.prepare.pad import collapsed
from tflm.prepare.strided import STRIDED, constant_indices

from ..kernel_files import ORDERS, kernels_in_order
from ..model.schema import BuiltinOperator, option
from .windows import rows_of

# Kernels run their units in ascending order, and once the outputs of a unit are written read no
# more what only earlier units need (docs/develop/kernel-contract.md). So an output may lie over an
# input, if what unit r writes ends before the first byte that units from r on still read. What
# units go through in order stands in the head of each kernel file; others are never placed so:
# rows: of the output; so units, or what a kernel goes through in order inside its units. A PAD
# writes, and reads, the bytes of each from the first to the last.
# windows: pixels of the output, of which each has a window of the input.
# pixels: of an output that has one for each pixel of the input.
# vectors: of the output, of which each is made of the vector of the input at its place.
# channels: one by one over all rows: its bytes must lie over those of the same channel.
# planes: the same, but some rows of a channel at a time, all of them read before any is written.
# elements: each is read before it is written.
# steps: the rows of input and output that each step of a sequence has.
# blocks: items that it moves, each from its first byte on, as the loops of its record say.
# place: all that a unit reads is read before it is written, if its output lies over just that.

_PADS = (BuiltinOperator.PAD, BuiltinOperator.PADV2)


def kernels():
    """All kernels that may write over an input."""
    return set().union(*map(kernels_in_order, ORDERS))


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


# The same for one that goes by pixels.
def _by_windows(node):
    rows, columns = rows_of(node), rows_of(node, 2)
    if rows is None:
        return []
    source, target = node.inputs[0], node.outputs[0]
    lines, width = rows.batches * rows.output_rows, columns.output_rows
    input_row = source.nbytes() // (rows.batches * rows.input_rows)
    pixel, input_pixel = target.nbytes() // (lines * width), input_row // columns.input_rows
    # Where a row begins with what lies left of the input, its end, and that of the row.
    beside = columns.top // columns.stride
    ends = {min(beside, width - 1), min(beside + 1, width - 1), width - 1}
    least = []
    for line in range(lines):
        first = _first_byte(rows, input_row, line)
        behind = _first_byte(rows, input_row, line + 1) if line + 1 < lines else source.nbytes()
        for x in ends:
            needed = min(first + columns.first(x) * input_pixel, behind)
            least.append((line * width + x + 1) * pixel - needed)
    return [Distance(source, target, max(least))]


# A copy whose items ascend in the input and in the output.
def _by_blocks(node, record):
    words = dict(zip(STRIDED, record.words[1:], strict=False))
    least, loops = words["output_offset"] - words["input_offset"], []
    for turns, a, b in iter_unpack("<iii", record.table):
        if turns == 1:
            continue
        if a < sum((n - 1) * stride for n, stride, _ in loops):
            return []
        if b < words["size"] + sum((n - 1) * stride for n, _, stride in loops):
            return []
        least += (turns - 1) * max(0, b - a)
        loops.append((turns, a, b))
    return [Distance(node.inputs[0], node.outputs[0], least)]


# A PAD or PADV2: rows of the output, some of which hold a row of the input.
def _padded(node):
    source, target = node.inputs[0], node.outputs[0]
    if len(node.inputs) < 2:
        return []  # some rows of one
    numbers = constant_indices(node, node.inputs[1], "the paddings")
    *outer, (before, inside, _) = collapsed(source.shape, numbers)
    kinds = [[False] * left + [True] * rows + [False] * right for left, rows, right in outer]
    held = list(map(all, product(*kinds)))
    taken = list(accumulate(held, initial=0))
    item = source.nbytes() // source.elements()
    row = target.nbytes() // len(held)
    begins = (unit * row - taken[unit] * inside * item for unit in range(len(held)) if held[unit])
    return [Distance(source, target, before * item + max(begins))]


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


def _by_vectors(node):
    source, target = node.inputs[0], node.outputs[0]
    count = source.elements() // node.inputs[1].shape[-1]
    row, output_row = source.nbytes() // count, target.nbytes() // count
    return [Distance(source, target, _least(count, output_row, lambda unit: unit * row))]


def _by_steps(node):
    source, target = node.inputs[0], node.outputs[0]
    steps = source.elements() // source.shape[-1]
    row, output_row = source.nbytes() // steps, target.nbytes() // steps
    return [Distance(source, target, _least(steps, output_row, lambda step: step * row))]


_WAYS = {
    "pixels": _by_pixels,
    "vectors": _by_vectors,
    "windows": _by_windows,
    "place": _in_place,
    "steps": _by_steps,
    "rows": lambda node: _padded(node) if node.builtin_code in _PADS else _by_rows(node),
}


ALL_READ = "all read"  # before anything is written


def reader_of(node, records):
    """The one of a node's records that reads while the first bytes are written: distances_of().

    Those behind it see the output alone. ALL_READ: these are all that write; None: there are more
    that read.
    """
    if len(records) == 1:
        return records[0]
    if len(node.outputs) != 1 or not node.inputs or node.inputs[0] is None:
        return None
    tensors = node.inputs[0], node.outputs[0]
    reads, writes = [[r for r in records if _sees(r, tensor)] for tensor in tensors]
    if not reads or not writes:
        return None
    if records.index(reads[-1]) < records.index(writes[0]):
        return ALL_READ
    is_copy = reads[0].kernel in kernels_in_order("blocks")
    return reads[0] if is_copy and reads == writes[:1] else None


# True for a record that has a tensor among its operands.
def _sees(record, tensor):
    return tensor.index << 2 in record.words[1 : 1 + record.operands]


def distances_of(node, reader):
    """A list of Distance for a node, from what reader_of() gave; pairs not told of are apart.

    Fit for any kernel of the same name, whatever the instruction set.
    """
    target = node.outputs[0] if len(node.outputs) == 1 else None
    if target is None or not target.nbytes() or reader is None:
        return []
    if reader is ALL_READ:
        source = node.inputs[0]
        return [Distance(source, target, -source.nbytes() - target.nbytes())]
    kernel = reader.kernel
    if kernel in kernels_in_order("elements"):
        # Larger elements than the input's catch up with it at the end.
        return [
            Distance(source, target, max(0, target.nbytes() - source.nbytes()))
            for source in node.inputs
            if source is not None and source.elements() == target.elements()
        ]
    source = node.inputs[0] if node.inputs else None
    if source is None or source.is_constant() or not source.nbytes():
        return []
    if kernel in kernels_in_order("blocks"):
        return _by_blocks(node, reader)
    for way, made in _WAYS.items():
        if kernel in kernels_in_order(way):
            return made(node)
    if (
        node.builtin_code != BuiltinOperator.DEPTHWISE_CONV_2D
        or source.shape[-1] != target.shape[-1]
    ):
        return []
    rows = rows_of(node)
    if kernel in kernels_in_order("planes") and rows is not None and rows.batches == 1:
        return _by_planes(node, rows)
    if kernel in kernels_in_order("channels") | kernels_in_order("planes"):
        return _by_rows(node, source.shape[-1])
    return []
