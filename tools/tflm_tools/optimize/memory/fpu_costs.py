# tflm_tools: estimates the cycles of float32 operators on a Cortex-M33 with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ...model.macs import macs
from ...model.schema import op_name

# Fitted to docs/data/pico2-float.csv and to networks with other shapes, which bench/cycles.py
# measures on the core pico2. Most convolutions differ by less than 15 %, all by less than 25 %.
#
# (cycles of a multiply-accumulate, of an element of the output, of the input, of the operator)
_COSTS = {
    "FULLY_CONNECTED": (3.7, 45, 0, 3_000),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (67, 0, 0, 3_000),
    "SOFTMAX": (0, 2_000, 0, 1_000),
    "LOGISTIC": (0, 1_100, 0, 1_000),
    "TANH": (0, 1_100, 0, 1_000),
    "MAX_POOL_2D": (0, 0, 28, 3_000),
    "AVERAGE_POOL_2D": (0, 0, 20, 3_000),
    **dict.fromkeys(("ADD", "SUB", "MUL"), (0, 36, 0, 2_000)),
}
_OTHER = (25, 100, 0, 5_000)

# CONV_2D computes tiles of four pixels and four channels, or of one pixel and four channels.
_CONV_MAC, _CONV_SINGLE_MAC = 2.8, 3.5  # of these tiles
_CONV_GROUP, _CONV_TILE, _CONV_OUTPUT = 370, 340, 24
# DEPTHWISE_CONV_2D has the same tiles.
_DEPTHWISE_MAC, _DEPTHWISE_GROUP, _DEPTHWISE_TILE, _DEPTHWISE_OUTPUT = 5.7, 200, 430, 8


# Return the tiles of four pixels in a row of outputs, and the pixels that are tiles themselves.
# Windows that are partly outside of the image are such pixels, and up to two pixels of a row.
def _tiles(width, outputs, window):
    stride = max(1, round(width / outputs))
    inside = outputs
    if outputs != (width - window) // stride + 1:
        inside = max(0, outputs - -(-(window - 1) // stride))
    fours = inside // 4 + (inside % 4 == 3)
    return fours, outputs - min(inside, 4 * fours)


# Return the cycles of a CONV_2D or a DEPTHWISE_CONV_2D with one output for each input channel.
def _windows(node, is_depthwise):
    batch, height, width, channels = node.outputs[0].shape
    fours, singles = _tiles(node.inputs[0].shape[2], width, node.inputs[1].shape[2])
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


def fpu_cycles(node):
    """Return the estimated cycles of a float32 operator, with the model in RAM."""
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
    cycles = mac * (macs(node) or 0) + element * elements + whole
    return round(cycles + (source * inputs.elements() if inputs is not None else 0))
