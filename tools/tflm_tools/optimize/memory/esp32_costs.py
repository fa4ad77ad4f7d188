# tflm_tools: estimates the instructions of float32 operators on an ESP32 or ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors

from ...model.macs import macs
from ...model.schema import op_name

# Fitted to docs/data/esp32-float.csv, which bench/cycles.py measures on the core xtensa-mac16.
#
# (instructions for a multiply-accumulate, an element of the output, of the input, the operator)
_COSTS = {
    "FULLY_CONNECTED": (3.7, 20, 0, 2_000),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (3.5, 2_500, 0, 3_000),
    "SOFTMAX": (0, 1_800, 0, 1_500),
    "LOGISTIC": (0, 260, 0, 3_000),
    "TANH": (0, 260, 0, 3_000),
    "EXP": (0, 260, 0, 3_000),
    "MAX_POOL_2D": (0, 65, 4, 2_000),
    "AVERAGE_POOL_2D": (0, 200, 48, 5_000),
    **dict.fromkeys(("ADD", "SUB", "MUL"), (0, 26, 0, 1_000)),
}
_OTHER = (25, 60, 0, 5_000)

# CONV_2D computes four channels of two pixels, or up to eight channels of one pixel. These numbers
# are for a tap of four channels of two pixels, a row of the filter, and the rest of such a tile.
_PAIR_TAP, _PAIR_ROW, _PAIR = 23, 17, 270
_SINGLE_TAP, _SINGLE_ROW, _SINGLE = 26, 15, 280  # of eight channels
_WINDOW = 250  # pixels of a row that have all columns of the window, or one other pixel
_DEPTHWISE_TAP, _DEPTHWISE_ROW, _DEPTHWISE = 31, 12, 190  # four channels of two pixels


# Return the pairs of pixels in a row of outputs, and the other pixels.
def _pairs(width, outputs, window):
    stride = max(1, round(width / outputs))
    inside = outputs
    if outputs != (width - window) // stride + 1:
        inside = max(0, outputs - -(-(window - 1) // stride))
    return inside // 2, outputs - inside // 2 * 2


# Return the instructions of a CONV_2D, or of a DEPTHWISE_CONV_2D without a depth multiplier.
def _windows(node, is_depthwise):
    batch, height, width, channels = node.outputs[0].shape
    _, rows, columns, _ = node.inputs[1].shape
    pairs, singles = _pairs(node.inputs[0].shape[2], width, columns)
    # Rows of the filter inside of the image, on average
    above = height * rows - max(0, rows - 1) * (node.inputs[0].shape[1] < height + rows - 1)
    rows = above / height
    taps = rows * node.inputs[1].elements() / (channels * node.inputs[1].shape[1])
    groups = -(-channels // 4)
    if is_depthwise:
        tile = _DEPTHWISE_TAP * taps + _DEPTHWISE_ROW * rows + _DEPTHWISE
        line = groups * tile * (pairs + 0.5 * singles)
    else:
        line = pairs * groups * (_PAIR_TAP * taps + _PAIR_ROW * rows + _PAIR)
        eights = channels / 8 if channels % 8 > 4 else channels // 8 + 0.6 * (channels % 8 > 0)
        line += singles * eights * (_SINGLE_TAP * taps + _SINGLE_ROW * rows + _SINGLE)
    return batch * height * (line + _WINDOW * ((pairs > 0) + singles)) + 2_000


def esp32_instructions(node):
    """Return the estimated instructions of a float32 operator."""
    name, outputs = op_name(node), [t for t in node.outputs if t is not None]
    if not outputs or not outputs[0].elements():
        return 0
    if name == "CONV_2D":
        return round(_windows(node, False))
    if name == "DEPTHWISE_CONV_2D" and node.inputs[0].shape[3] == outputs[0].shape[3] > 3:
        return round(_windows(node, True))
    mac, element, source, whole = _COSTS.get(name, _OTHER)
    elements = sum(tensor.elements() for tensor in outputs)
    inputs = node.optional_input(0)
    instructions = mac * (macs(node) or 0) + element * elements + whole
    return round(instructions + (source * inputs.elements() if inputs is not None else 0))
