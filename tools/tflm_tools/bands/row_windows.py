# tflm_tools: row windows: which rows of its input an operator reads for which rows of its output
# MIT license; Copyright (c) 2026 the tflm authors

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

from tflm.errors import ModelError
from tflm.prepare.convolution import window_of

from ..model.schema import BuiltinOperator, option

# Operators whose weights have the shape of the filter, and operators whose options state it.
_CONVOLUTIONS = (BuiltinOperator.CONV_2D, BuiltinOperator.DEPTHWISE_CONV_2D)
_POOLS = (BuiltinOperator.AVERAGE_POOL_2D, BuiltinOperator.MAX_POOL_2D)

# Fields of the options, height first.
_STRIDES = "STRIDE_H", "STRIDE_W"
_DILATIONS = "DILATION_H_FACTOR", "DILATION_W_FACTOR"
_SIDES = "FILTER_HEIGHT", "FILTER_WIDTH"

# All three classes have the same methods, where "row" is a row of the output:
# first(row), end(row): input rows first..end-1 are read for the row; both grow with the row.
# computable(available): how many output rows need only the first `available` input rows.
# rounded_up(count): the number of output rows, at least `count`, after which a band may end.
# Rows are counted along one axis: pictures with a single row are cut into columns instead.


@dataclass(frozen=True)
class SlidingRows:
    """Windows of `window` rows, `stride` rows apart, the first `padding_before` above the input.

    padding: (top, left, bottom, right) of the operator.
    alignment, input_alignment: rows of the output and of the input whose number is a multiple of
    this begin at a multiple of 4 bytes; bands begin at such rows.
    """

    batches: int
    input_rows: int
    output_rows: int
    window: int
    stride: int
    padding_before: int
    padding: tuple
    alignment: int = 1
    input_alignment: int = 1

    # Lists of first(row) and end(row), because searches ask for the same rows again and again.
    @cached_property
    def _firsts(self):
        return [min(max(start, 0), self.input_rows) for start in self._starts()]

    @cached_property
    def _ends(self):
        starts = self._starts()
        return [min(max(start + self.window, 0), self.input_rows) for start in starts]

    # Where the window of each row begins, and the window of one row more.
    def _starts(self):
        end = self.stride * (self.output_rows + 1) - self.padding_before
        return range(-self.padding_before, end, self.stride)

    # The rows at which a band may begin.
    @cached_property
    def _band_starts(self):
        firsts = enumerate(self._firsts)
        return [
            row
            for row, first in firsts
            if row % self.alignment == first % self.input_alignment == 0
        ]

    def first(self, row):
        return self._firsts[row]

    def end(self, row):
        return self._ends[row]

    def computable(self, available):
        if available >= self.input_rows:
            return self.output_rows
        rows = (available + self.padding_before - self.window) // self.stride + 1
        starts = bisect_right(self._band_starts, min(max(rows, 0), self.output_rows))
        return self._band_starts[starts - 1] if starts else 0

    def rounded_up(self, count):
        at = bisect_left(self._band_starts, count)
        return self._band_starts[at] if at < len(self._band_starts) else self.output_rows


@dataclass(frozen=True)
class UpsampledRows:
    """Windows on the output of an operator that has more output rows than input rows.

    Input row i contributes to `window` output rows from i * `stride` - `padding_before` on.
    is_block: all output rows of an input row must be computed in the same band.
    padding_beside: the padding along the other axis.
    """

    input_rows: int
    output_rows: int
    window: int
    stride: int
    padding_before: int
    padding_beside: int = 0
    is_block: bool = False

    def first(self, row):
        first = (row + self.padding_before - self.window) // self.stride + 1
        return min(max(first, 0), self.input_rows)

    def end(self, row):
        return min((row + self.padding_before) // self.stride + 1, self.input_rows)

    def computable(self, available):
        if available >= self.input_rows:
            return self.output_rows
        return min(max(available * self.stride - self.padding_before, 0), self.output_rows)

    def rounded_up(self, count):
        return -(-count // self.stride) * self.stride if self.is_block else count


@dataclass(frozen=True)
class ListedRows:
    """Input rows firsts[row]..ends[row]-1 for each output row; both tuples ascend."""

    input_rows: int
    firsts: tuple
    ends: tuple

    @property
    def output_rows(self):
        return len(self.firsts)

    def first(self, row):
        return self.firsts[row]

    def end(self, row):
        return self.ends[row]

    def computable(self, available):
        return bisect_right(self.ends, available)

    def rounded_up(self, count):
        return count


def upsampled_rows_of(node, axis):
    """Return the UpsampledRows of a TRANSPOSE_CONV along an axis, or None if there are none."""
    weights, source, target = node.inputs[1], node.inputs[2], node.outputs[0]
    sides = []
    try:
        for k in (axis, 3 - axis):
            stride, padding = option(node, _STRIDES[k - 1], "i"), option(node, "PADDING", "b")
            window = weights.shape[k]
            _, before = window_of(node, padding, target.shape[k], window, stride, 1)
            sides.append((window, stride, before))
    except (ModelError, IndexError):
        return None  # Prepare reports what is wrong
    (window, stride, before), (_, _, beside) = sides
    if window < stride:
        return None  # some output rows belong to no window
    return UpsampledRows(source.shape[axis], target.shape[axis], window, stride, before, beside)


def sliding_rows_of(node, axis=1):
    """Return the SlidingRows of a convolution or pool, or None for other nodes.

    axis: 1 for rows, 2 for columns in place of them.
    """
    if node.builtin_code not in _CONVOLUTIONS + _POOLS:
        return None
    source, target = node.inputs[0], node.outputs[0]
    if len(source.shape) != 4 or len(target.shape) != 4 or not target.elements():
        return None
    is_pool = node.builtin_code in _POOLS
    filter_sides = (
        [option(node, side, "i") for side in _SIDES] if is_pool else node.inputs[1].shape[1:3]
    )
    sides = []
    try:
        for i in (0, 1):
            stride = option(node, _STRIDES[i], "i")
            dilation = 1 if is_pool else option(node, _DILATIONS[i], "i", 1)
            size, count = source.shape[1 + i], target.shape[1 + i]
            window = (filter_sides[i] - 1) * dilation + 1
            if node.padding is None:
                padding = option(node, "PADDING", "b")
                _, before = window_of(node, padding, size, filter_sides[i], stride, dilation)
            else:
                before = node.padding[i]
            after = max(0, (count - 1) * stride - before + window - size)
            sides.append((window, stride, before, after))
    except (ModelError, IndexError):
        return None  # Prepare reports what is wrong
    (_, _, top, bottom), (_, _, left, right) = sides
    window, stride, before, _ = sides[axis - 1]
    padding = (top, left, bottom, right)
    rows = source.shape[axis], target.shape[axis]
    return SlidingRows(source.shape[0], *rows, window, stride, before, padding)
