# tflm_tools: Rows: which rows of its input a convolution or pool needs for rows of its output
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.errors import ModelError
from tflm.prepare.convolution import window_of

AVERAGE_POOL_2D, CONV_2D, DEPTHWISE_CONV_2D, MAX_POOL_2D = 1, 3, 4, 17

# builtin code: (type of the options; fields of padding, strides and dilations, height first;
# fields of the window where it is no tensor)
_FIELDS = {
    CONV_2D: (1, 0, (2, 1), (5, 4), None),
    DEPTHWISE_CONV_2D: (2, 0, (2, 1), (6, 5), None),
    AVERAGE_POOL_2D: (5, 0, (2, 1), None, (4, 3)),
    MAX_POOL_2D: (5, 0, (2, 1), None, (4, 3)),
}


@dataclass(frozen=True)
class Rows:
    """Windows of `reach` rows, `stride` apart, the first of them `top` rows above the input.

    `padding` is (top, left, bottom, right), of which a node for some rows keeps left and right.
    """

    batches: int
    input_rows: int
    output_rows: int
    reach: int
    stride: int
    top: int
    padding: tuple

    def first(self, row):
        """The first row of the input that row `row` of the output needs."""
        return min(max(row * self.stride - self.top, 0), self.input_rows)

    def behind(self, row):
        """The row behind the last one that row `row` needs."""
        return min(max(row * self.stride - self.top + self.reach, 0), self.input_rows)


def rows_of(node):
    """The Rows of a node, or None when it is no convolution or pool of the usual kind."""
    if node.builtin_code not in _FIELDS:
        return None
    source, target = node.inputs[0], node.outputs[0]
    if len(source.shape) != 4 or len(target.shape) != 4 or not target.elements():
        return None
    options_type, padding, strides, dilations, sides = _FIELDS[node.builtin_code]
    options = node.options(options_type)
    if sides is None:
        window = node.inputs[1].shape[1:3]
    else:
        window = [options.get(field, "i") for field in sides]
    found = []
    try:
        for i in (0, 1):
            stride = options.get(strides[i], "i")
            dilation = options.get(dilations[i], "i", 1) if dilations else 1
            size, count = source.shape[1 + i], target.shape[1 + i]
            reach = (window[i] - 1) * dilation + 1
            if node.padding is None:
                _, before = window_of(
                    node, options.get(padding, "b"), size, window[i], stride, dilation
                )
            else:
                before = node.padding[i]
            after = max(0, (count - 1) * stride - before + reach - size)
            found.append((reach, stride, before, after))
    except (ModelError, IndexError):
        return None  # Prepare says what is wrong
    (reach, stride, top, bottom), (_, _, left, right) = found
    batches, height = source.shape[:2]
    padding = (top, left, bottom, right)
    return Rows(batches, height, target.shape[1], reach, stride, top, padding)
