# tflm_tools: Rows: which rows of its input an operator needs for rows of its output
# MIT license; Copyright (c) 2026 the tflm authors

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

from tflm.errors import ModelError
from tflm.prepare.convolution import window_of

from ..model.schema import BuiltinOperator, option

# Their windows are a tensor, or fields of the options.
_CONVOLUTIONS = (BuiltinOperator.CONV_2D, BuiltinOperator.DEPTHWISE_CONV_2D)
_POOLS = (BuiltinOperator.AVERAGE_POOL_2D, BuiltinOperator.MAX_POOL_2D)

# Fields of the options, height first.
_STRIDES = "STRIDE_H", "STRIDE_W"
_DILATIONS = "DILATION_H_FACTOR", "DILATION_W_FACTOR"
_SIDES = "FILTER_HEIGHT", "FILTER_WIDTH"


@dataclass(frozen=True)
class Rows:
    """Windows of `reach` rows, `stride` apart, the first of them `top` rows above the input.

    `padding` is (top, left, bottom, right), of which a node for some rows keeps left and right.
    Rows are those of an axis: where pictures have one row only, their columns stand for them.
    each, input_each: rows that begin at multiples of 4 bytes, one in so many, of output and input.
    """

    batches: int
    input_rows: int
    output_rows: int
    reach: int
    stride: int
    top: int
    padding: tuple
    each: int = 1
    input_each: int = 1

    # The first row of the input that each row of the output needs, and that behind the last one;
    # searches ask for them again and again.
    @cached_property
    def _firsts(self):
        starts = range(-self.top, self.stride * (self.output_rows + 1) - self.top, self.stride)
        return [min(max(start, 0), self.input_rows) for start in starts]

    @cached_property
    def _behinds(self):
        starts = range(-self.top, self.stride * (self.output_rows + 1) - self.top, self.stride)
        return [min(max(start + self.reach, 0), self.input_rows) for start in starts]

    # The rows at which kernels can go on in the next band.
    @cached_property
    def _begins(self):
        firsts = enumerate(self._firsts)
        return [row for row, first in firsts if row % self.each == first % self.input_each == 0]

    def first(self, row):
        """The first row of the input that row `row` of the output needs."""
        return self._firsts[row]

    def behind(self, row):
        """The row behind the last one that row `row` needs."""
        return self._behinds[row]

    def possible(self, there):
        """How many rows of the output the first `there` rows of the input are enough for."""
        if there >= self.input_rows:
            return self.output_rows
        made = (there + self.top - self.reach) // self.stride + 1
        begins = bisect_right(self._begins, min(max(made, 0), self.output_rows))
        return self._begins[begins - 1] if begins else 0

    def whole(self, count):
        """How many rows of the output are made where `count` of them are needed."""
        begins = bisect_left(self._begins, count)
        return self._begins[begins] if begins < len(self._begins) else self.output_rows


@dataclass(frozen=True)
class Spread:
    """Rows of what has more of them than its input: its windows lie on the output.

    The window of row i begins `top` rows above row i * `stride` of the output, and has `reach`
    rows. `together`: all rows of a window must be made at once. left: of columns, as top.
    """

    input_rows: int
    output_rows: int
    reach: int
    stride: int
    top: int
    left: int = 0
    together: bool = False

    def first(self, row):
        """The first row of the input that row `row` of the output needs."""
        return min(max((row + self.top - self.reach) // self.stride + 1, 0), self.input_rows)

    def behind(self, row):
        """The row behind the last one that row `row` needs."""
        return min((row + self.top) // self.stride + 1, self.input_rows)

    def possible(self, there):
        """How many rows of the output the first `there` rows of the input are enough for."""
        if there >= self.input_rows:
            return self.output_rows
        return min(max(there * self.stride - self.top, 0), self.output_rows)

    def whole(self, count):
        """How many rows of the output are made where `count` of them are needed."""
        return -(-count // self.stride) * self.stride if self.together else count


@dataclass(frozen=True)
class Listed:
    """Rows firsts[i]..behinds[i]-1 of the input for row i of the output; both ascend."""

    input_rows: int
    firsts: tuple
    behinds: tuple

    @property
    def output_rows(self):
        return len(self.firsts)

    def first(self, row):
        """The first row of the input that row `row` of the output needs, or one behind it."""
        return self.firsts[row]

    def behind(self, row):
        """The row behind the last one that row `row` needs, or one before it."""
        return self.behinds[row]

    def possible(self, there):
        """How many rows of the output the first `there` rows of the input are enough for."""
        return bisect_right(self.behinds, there)

    def whole(self, count):
        """How many rows of the output are made where `count` of them are needed."""
        return count


def spread_of(node, axis):
    """The Spread of a TRANSPOSE_CONV along an axis, or None where rows are no use."""
    weights, source, target = node.inputs[1], node.inputs[2], node.outputs[0]
    found = []
    try:
        for k in (axis, 3 - axis):
            stride, padding = option(node, _STRIDES[k - 1], "i"), option(node, "PADDING", "b")
            window = weights.shape[k]
            _, before = window_of(node, padding, target.shape[k], window, stride, 1)
            found.append((window, stride, before))
    except (ModelError, IndexError):
        return None  # Prepare says what is wrong
    (reach, stride, top), (_, _, left) = found
    if reach < stride:
        return None  # rows that no window has
    return Spread(source.shape[axis], target.shape[axis], reach, stride, top, left)


def rows_of(node, axis=1):
    """The Rows of a node, or None when it is no convolution or pool of the usual kind.

    axis: 1 for rows, 2 for columns in place of them.
    """
    if node.builtin_code not in _CONVOLUTIONS + _POOLS:
        return None
    source, target = node.inputs[0], node.outputs[0]
    if len(source.shape) != 4 or len(target.shape) != 4 or not target.elements():
        return None
    is_pool = node.builtin_code in _POOLS
    window = [option(node, side, "i") for side in _SIDES] if is_pool else node.inputs[1].shape[1:3]
    found = []
    try:
        for i in (0, 1):
            stride = option(node, _STRIDES[i], "i")
            dilation = 1 if is_pool else option(node, _DILATIONS[i], "i", 1)
            size, count = source.shape[1 + i], target.shape[1 + i]
            reach = (window[i] - 1) * dilation + 1
            if node.padding is None:
                padding = option(node, "PADDING", "b")
                _, before = window_of(node, padding, size, window[i], stride, dilation)
            else:
                before = node.padding[i]
            after = max(0, (count - 1) * stride - before + reach - size)
            found.append((reach, stride, before, after))
    except (ModelError, IndexError):
        return None  # Prepare says what is wrong
    (_, _, top, bottom), (_, _, left, right) = found
    reach, stride, before, _ = found[axis - 1]
    padding = (top, left, bottom, right)
    sides = source.shape[axis], target.shape[axis]
    return Rows(source.shape[0], *sides, reach, stride, before, padding)
