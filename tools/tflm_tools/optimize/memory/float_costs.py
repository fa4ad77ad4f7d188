# tflm_tools: estimates the cycles of float32 operators on cores with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ...model.macs import macs
from ...model.schema import op_name

# {operator: (cycles of a multiply-accumulate, of an element of the output, of the input, of the
# operator)}; OTHER for all other operators.
OTHER = ""
# Cycles of a Cortex-M33, fitted to docs/data/pico2-float.csv and to networks with other shapes,
# which bench/cycles.py measures on the core pico2. Most convolutions differ by less than 15 %, all
# by less than 25 %.
_M33_COSTS = {
    "FULLY_CONNECTED": (3.7, 45, 0, 3_000),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (67, 0, 0, 3_000),
    "SOFTMAX": (0, 2_000, 0, 1_000),
    "LOGISTIC": (0, 1_100, 0, 1_000),
    "TANH": (0, 1_100, 0, 1_000),
    "MAX_POOL_2D": (0, 0, 28, 3_000),
    "AVERAGE_POOL_2D": (0, 0, 20, 3_000),
    **dict.fromkeys(("ADD", "SUB", "MUL"), (0, 36, 0, 2_000)),
    OTHER: (25, 100, 0, 5_000),
}
# Instructions of an ESP32 or ESP32-S3, fitted to docs/data/esp32-float.csv, which bench/cycles.py
# measures on the core xtensa-mac16.
_ESP32_COSTS = {
    "FULLY_CONNECTED": (3.7, 20, 0, 2_000),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (3.5, 2_500, 0, 3_000),
    "SOFTMAX": (0, 1_800, 0, 1_500),
    "LOGISTIC": (0, 260, 0, 3_000),
    "TANH": (0, 260, 0, 3_000),
    "EXP": (0, 260, 0, 3_000),
    "MAX_POOL_2D": (0, 65, 4, 2_000),
    "AVERAGE_POOL_2D": (0, 200, 48, 5_000),
    **dict.fromkeys(("ADD", "SUB", "MUL"), (0, 26, 0, 1_000)),
    OTHER: (25, 60, 0, 5_000),
}
# On a Cortex-M33, CONV_2D computes tiles of four pixels and four channels, or of one pixel and
# four channels; DEPTHWISE_CONV_2D has the same tiles.
_CONV_MAC, _CONV_SINGLE_MAC = 2.8, 3.5  # of these tiles
_CONV_GROUP, _CONV_TILE, _CONV_OUTPUT = 370, 340, 24
_DEPTHWISE_MAC, _DEPTHWISE_GROUP, _DEPTHWISE_TILE, _DEPTHWISE_OUTPUT = 5.7, 200, 430, 8
# On an ESP32, CONV_2D computes four channels of two pixels, or up to eight channels of one pixel.
# These numbers are for a tap of four channels of two pixels, a row of the filter, and the rest of
# such a tile.
_PAIR_TAP, _PAIR_ROW, _PAIR = 23, 17, 270
_SINGLE_TAP, _SINGLE_ROW, _SINGLE = 26, 15, 280  # of eight channels
_WINDOW = 250  # pixels of a row that have all columns of the window, or one other pixel
_TAP, _ROW, _REST = 31, 12, 190  # of DEPTHWISE_CONV_2D: four channels of two pixels


def fpu_cycles(node):
    """Return the estimated cycles of a float32 operator on a Cortex-M33, with the model in RAM."""
    return _estimate(node, _M33_COSTS, _m33_windows)


def esp32_instructions(node):
    """Return the estimated instructions of a float32 operator on an ESP32 or ESP32-S3."""
    return _estimate(node, _ESP32_COSTS, _esp32_windows)


def _estimate(node, costs, windows):
    name, outputs = op_name(node), [t for t in node.outputs if t is not None]
    if not outputs or not outputs[0].elements():
        return 0
    if name == "CONV_2D":
        return round(windows(node, False))
    if name == "DEPTHWISE_CONV_2D" and node.inputs[0].shape[3] == outputs[0].shape[3] > 3:
        return round(windows(node, True))
    mac, element, source, whole = costs.get(name, costs[OTHER])
    inputs = node.optional_input(0)
    elements = sum(tensor.elements() for tensor in outputs)
    cycles = mac * (macs(node) or 0) + element * elements + whole
    return round(cycles + (source * inputs.elements() if inputs is not None else 0))


# How many of the outputs of a row have windows that are inside of the image.
def _pixels_inside(node):
    width, outputs, window = (
        t.shape[2] for t in (*node.inputs[:1], *node.outputs, node.inputs[1])
    )
    stride = max(1, round(width / outputs))
    if outputs == (width - window) // stride + 1:
        return outputs
    return max(0, outputs - -(-(window - 1) // stride))


# Return the cycles of a CONV_2D or a DEPTHWISE_CONV_2D with one output for each input channel.
# Windows that are partly outside of the image are tiles of one pixel, and up to two other pixels
# of a row.
def _m33_windows(node, is_depthwise):
    batch, height, width, channels = node.outputs[0].shape
    inside = _pixels_inside(node)
    fours = inside // 4 + (inside % 4 == 3)
    singles = width - min(inside, 4 * fours)
    groups = -(-channels // 4)
    tiles = batch * height * (fours + singles)
    taps = node.inputs[1].elements() // channels
    products = 4 * batch * height * groups * taps
    if is_depthwise:
        cycles = _DEPTHWISE_MAC * products * (4 * fours + singles)
        cycles += tiles * (groups * _DEPTHWISE_GROUP + _DEPTHWISE_TILE)
        return cycles + _DEPTHWISE_OUTPUT * node.outputs[0].elements()
    cycles = products * (4 * fours * _CONV_MAC + singles * _CONV_SINGLE_MAC)
    cycles += tiles * (groups * _CONV_GROUP + _CONV_TILE)
    return cycles + _CONV_OUTPUT * node.outputs[0].elements()


# Return the instructions of a CONV_2D, or of a DEPTHWISE_CONV_2D without a depth multiplier.
def _esp32_windows(node, is_depthwise):
    batch, height, width, channels = node.outputs[0].shape
    rows = node.inputs[1].shape[1]
    pairs = _pixels_inside(node) // 2
    singles = width - 2 * pairs
    # Rows of the filter inside of the image, on average
    above = height * rows - max(0, rows - 1) * (node.inputs[0].shape[1] < height + rows - 1)
    rows = above / height
    taps = rows * node.inputs[1].elements() / (channels * node.inputs[1].shape[1])
    groups = -(-channels // 4)
    if is_depthwise:
        line = groups * (_TAP * taps + _ROW * rows + _REST) * (pairs + 0.5 * singles)
    else:
        line = pairs * groups * (_PAIR_TAP * taps + _PAIR_ROW * rows + _PAIR)
        eights = channels / 8 if channels % 8 > 4 else channels // 8 + 0.6 * (channels % 8 > 0)
        line += singles * eights * (_SINGLE_TAP * taps + _SINGLE_ROW * rows + _SINGLE)
    return batch * height * (line + _WINDOW * ((pairs > 0) + singles)) + 2_000
