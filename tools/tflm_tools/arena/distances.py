# tflm_tools: distances: how near to its input an operator may write its output, or even over it
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from itertools import accumulate, product
from struct import iter_unpack

from tflm.prepare.depthwise_lanes import band_rows
from tflm.prepare.pad import collapsed
from tflm.prepare.strided import STRIDED, constant_indices

from ..bands.row_windows import sliding_rows_of
from ..kernel_files import ORDERS, kernels_in_order
from ..model.schema import BuiltinOperator, option

# Kernels run their units in ascending order. Once they have written the outputs of a unit, they no
# longer read input that only earlier units need (docs/develop/kernel-contract.md). So an output
# may overlap an input if the bytes that units 0..r write end before the first byte that units from
# r+1 on read. The head of each kernel file states what its units ascend in; other kernels never
# overlap: rows: rows of the output. Units are rows, or the kernel goes through rows inside its
#   units. A PAD writes and reads the bytes of each row from the first to the last.
# windows: pixels of the output, each of which reads a window of the input.
# pixels: pixels of the output, each of which reads the same pixel of the input.
# vectors: vectors of the output, each of which reads the same vector of the input.
# channels: channels over all rows; a channel's output may overlap only the same channel's input.
# planes: as channels, but some rows of a channel at a time, which are read before any is written.
# elements: each element is read before it is written.
# steps: the rows of input and output of each step of a sequence.
# blocks: items that are copied, in the order of the loops in the record.
# place: all that a unit reads is read before it is written, if its output overlaps just that.

# With an FPU, CONV_2D of float32 computes up to _TILE_PIXELS pixels and _TILE_CHANNELS channels at
# once. If it has more channels, a tile must write none of the input that its later channels read.
_TILE_PIXELS = _TILE_CHANNELS = 4
_PADS = (BuiltinOperator.PAD, BuiltinOperator.PADV2)


def kernels():
    """Return all kernels whose output may overlap an input."""
    return set().union(*map(kernels_in_order, ORDERS))


@dataclass(frozen=True)
class Distance:
    """The offset of `source` minus the offset of `target`, in bytes, is at least `min_bytes`.

    It is also a multiple of `step`, unless the two do not overlap at all.
    """

    source: object  # Tensor that is read
    target: object  # Tensor that is written
    min_bytes: int
    step: int = 1


# The min_bytes of an operator whose units write `unit_bytes` each; first_byte(unit) is the first
# byte of the input that the unit reads, and ascends with it.
def _min_bytes(units, unit_bytes, first_byte):
    return max((unit + 1) * unit_bytes - first_byte(unit) for unit in range(units))


# The first byte of the input that row `row` (over all batches) of the output reads.
def _first_byte(rows, row_bytes, row):
    batch, y = divmod(row, rows.output_rows)
    return (batch * rows.input_rows + rows.first(y)) * row_bytes


# A convolution or pool that goes by rows.
def _by_rows(node, step=1):
    rows = sliding_rows_of(node)
    if rows is None:
        return []
    source, target = node.inputs[0], node.outputs[0]
    input_row = source.nbytes() // (rows.batches * rows.input_rows)
    output_row = target.nbytes() // (rows.batches * rows.output_rows)
    units = rows.batches * rows.output_rows
    min_bytes = _min_bytes(units, output_row, lambda row: _first_byte(rows, input_row, row))
    return [Distance(source, target, min_bytes, step)]


# A convolution or pool that goes by pixels, each of which has a window, or by tiles of pixels.
def _by_windows(node, tile=1):
    rows, columns = sliding_rows_of(node), sliding_rows_of(node, 2)
    if rows is None:
        return []
    source, target = node.inputs[0], node.outputs[0]
    lines, width = rows.batches * rows.output_rows, columns.output_rows
    input_row = source.nbytes() // (rows.batches * rows.input_rows)
    pixel, input_pixel = target.nbytes() // (lines * width), input_row // columns.input_rows
    # The distance is largest at the last pixel whose window begins left of the input, at the
    # pixel after it, at the last pixel of a row, or at the first pixel of its last tile.
    left = columns.padding_before // columns.stride
    worst_columns = {min(x, width - 1) for x in (left, left + 1, width - 1, max(0, width - tile))}
    distances = []
    for line in range(lines):
        first = _first_byte(rows, input_row, line)
        is_last = line + 1 == lines
        end = source.nbytes() if is_last else _first_byte(rows, input_row, line + 1)
        for x in worst_columns:
            needed = min(first + columns.first(x) * input_pixel, end)
            distances.append((line * width + min(x + tile, width)) * pixel - needed)
    return [Distance(source, target, max(distances))]


# A copy whose items ascend in the input and in the output.
def _by_blocks(node, record):
    words = dict(zip(STRIDED, record.words[1:], strict=False))
    min_bytes, loops = words["output_offset"] - words["input_offset"], []
    for count, input_stride, output_stride in iter_unpack("<iii", record.table):
        if count == 1:
            continue
        if input_stride < sum((n - 1) * stride for n, stride, _ in loops):
            return []
        if output_stride < words["size"] + sum((n - 1) * stride for n, _, stride in loops):
            return []
        min_bytes += (count - 1) * max(0, output_stride - input_stride)
        loops.append((count, input_stride, output_stride))
    return [Distance(node.inputs[0], node.outputs[0], min_bytes)]


# A PAD or PADV2: some rows of the output hold a row of the input.
def _by_padded_rows(node):
    source, target = node.inputs[0], node.outputs[0]
    if len(node.inputs) < 2:
        return []  # a PaddedRows
    numbers = constant_indices(node, node.inputs[1], "the paddings")
    *outer, (before, inside, _) = collapsed(source.shape, numbers)
    kinds = [[False] * left + [True] * rows + [False] * right for left, rows, right in outer]
    has_input = list(map(all, product(*kinds)))
    input_rows_before = list(accumulate(has_input, initial=0))
    item = source.nbytes() // source.elements()
    row = target.nbytes() // len(has_input)
    distances = (
        unit * row - input_rows_before[unit] * inside * item
        for unit in range(len(has_input))
        if has_input[unit]
    )
    return [Distance(source, target, before * item + max(distances))]


# A depthwise convolution that computes some rows of a channel's output from one plane.
def _by_planes(node, rows):
    source, target = node.inputs[0], node.outputs[0]
    step, count = source.shape[-1], rows.output_rows
    stride, width = option(node, "STRIDE_W", "i"), node.inputs[1].shape[2]
    columns = (target.shape[2] - 1) * stride + width
    band = band_rows(count, rows.window, rows.stride, columns)
    if band >= count:  # anywhere, as long as other channels are not touched
        return [Distance(source, target, -source.nbytes() - target.nbytes(), step)]
    output_row, input_row = target.nbytes() // count, source.nbytes() // rows.input_rows
    later_bands = range(band, count, band)
    min_bytes = max(row * output_row - _first_byte(rows, input_row, row) for row in later_bands)
    return [Distance(source, target, min_bytes, step)]


def _by_pixels(node):
    source, target = node.inputs[0], node.outputs[0]
    size = target.shape[-1]
    pixels = target.elements() // size
    input_size = source.elements() // pixels
    return [Distance(source, target, _min_bytes(pixels, size, lambda pixel: pixel * input_size))]


def _in_place(node):
    source, target = node.inputs[0], node.outputs[0]
    same_size = source.nbytes() == target.nbytes()
    return [Distance(source, target, 0, source.nbytes())] if same_size else []


def _by_vectors(node):
    source, target = node.inputs[0], node.outputs[0]
    count = source.elements() // node.inputs[1].shape[-1]
    row, output_row = source.nbytes() // count, target.nbytes() // count
    return [Distance(source, target, _min_bytes(count, output_row, lambda unit: unit * row))]


def _by_steps(node):
    source, target = node.inputs[0], node.outputs[0]
    steps = source.elements() // source.shape[-1]
    row, output_row = source.nbytes() // steps, target.nbytes() // steps
    return [Distance(source, target, _min_bytes(steps, output_row, lambda step: step * row))]


_DISTANCES_BY_ORDER = {
    "pixels": _by_pixels,
    "vectors": _by_vectors,
    "windows": _by_windows,
    "place": _in_place,
    "steps": _by_steps,
    "rows": lambda node: _by_padded_rows(node) if node.builtin_code in _PADS else _by_rows(node),
}


ALL_READ = "all read"  # before anything is written


def reading_record(node, records):
    """Return the record of a node that reads the input while the first output bytes are written.

    Later records may read the output only. Returns ALL_READ if all records that read come before
    those that write, None if several records read while others write. For distances_of().
    """
    if len(records) == 1:
        return records[0]
    if len(node.outputs) != 1 or not node.inputs or node.inputs[0] is None:
        return None
    tensors = node.inputs[0], node.outputs[0]
    reads, writes = [[r for r in records if _names(r, tensor)] for tensor in tensors]
    if not reads or not writes:
        return None
    if records.index(reads[-1]) < records.index(writes[0]):
        return ALL_READ
    is_copy = reads[0].kernel in kernels_in_order("blocks")
    return reads[0] if is_copy and reads == writes[:1] else None


# True for a record that has a tensor among its operands.
def _names(record, tensor):
    return tensor.index << 2 in record.words[1 : 1 + record.operands]


def distances_of(node, reader, packing=None):
    """Return a list of Distance for a node; inputs without one must not overlap the output.

    reader: what reading_record() returned. packing: of the target. The result holds for all
    kernels of the same name, whatever the instruction set; kernels of the target are faster with
    it than with a smaller distance.
    """
    target = node.outputs[0] if len(node.outputs) == 1 else None
    if target is None or not target.nbytes() or reader is None:
        return []
    if reader is ALL_READ:
        source = node.inputs[0]
        return [Distance(source, target, -source.nbytes() - target.nbytes())]
    kernel = reader.kernel
    if kernel in kernels_in_order("elements"):
        # Output elements that are larger than input elements catch up with them at the end.
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
    has_tiles = kernel == "conv_float.eval_float32" and packing == "dsp"
    if has_tiles and target.shape[-1] > _TILE_CHANNELS:
        return _by_windows(node, _TILE_PIXELS)
    for order, distances in _DISTANCES_BY_ORDER.items():
        if kernel in kernels_in_order(order):
            return distances(node)
    if (
        node.builtin_code != BuiltinOperator.DEPTHWISE_CONV_2D
        or source.shape[-1] != target.shape[-1]
    ):
        return []
    rows = sliding_rows_of(node)
    if kernel in kernels_in_order("planes") and rows is not None and rows.batches == 1:
        return _by_planes(node, rows)
    if kernel in kernels_in_order("channels") | kernels_in_order("planes"):
        return _by_rows(node, source.shape[-1])
    return []
