# tflm: CONV_2D and DEPTHWISE_CONV_2D, float32: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import FLOAT_MAC_WORK, check_dtype, float_activation_range
from .convolution import WINDOWS, check_bias, needs_split

_OPERANDS = ("input", "weights", "bias", "output")
_ACTIVATION = ("activation_min", "activation_max")
CONV = _OPERANDS + WINDOWS + ("filter_channels", "group_channels") + _ACTIVATION
DEPTHWISE = (
    _OPERANDS
    + WINDOWS
    + (
        "loops",  # calls of the inner loop for one cell of the filter
        "length",  # outputs that each call updates
        "steps",  # argument of kernels/float32.py
        "input_move",  # elements from one call to the next
        "output_move",
    )
    + _ACTIVATION
)

_LARGEST_STEP = 1023  # of kernels/float32.py

_MIN_FPU_CHANNELS = 4  # that kernels for an FPU compute together, without a depth multiplier

# Kernels for an FPU compute four pixels together, so the pixels of a slice are a multiple of four
# if these have at most as many multiply-accumulates.
_TILE = 4
_MOST_OF_TILE = 1 << 18


# Emit a CONV_2D. `fields`: WINDOWS and filter_channels. Kernels for an FPU compute groups and
# dilation themselves.
def emit_conv(context, node, activation, fields):
    if context.target_packing == "lanes" and needs_split(context, fields):
        from .split_conv import emit_split

        def emit(sub, windows):
            _emit_windows(context, sub, activation, windows)
            return True

        if emit_split(context, node, node.input(0), fields, emit):
            return
    _emit_windows(context, node, activation, fields)


def _emit_windows(context, node, activation, fields):
    weights, target = node.input(1), node.output(0)
    groups = fields["input_channels"] // fields["filter_channels"]
    taps = weights.elements() // max(1, weights.shape[0])
    _emit(
        context,
        node,
        activation,
        "conv_float.eval_float32",
        CONV,
        target.elements(),
        taps,
        fields["output_channels"],
        group_channels=max(1, fields["output_channels"] // groups),
        **fields,
    )


# Whether boards of the target may have kernels for an FPU.
def _may_have_fpu(context):
    if context.target_packing == "dsp":
        return True
    return context.target_packing == "mac16" or context.target_packing == "pie"


# Write the record of DEPTHWISE_CONV_2D. `fields`: WINDOWS. A cell of the filter updates all
# outputs in one loop. With a depth multiplier there is one loop for each input channel or for each
# output of an input channel, whichever are fewer.
def emit_depthwise_conv(context, node, activation, fields):
    has_channels = fields["input_channels"] >= _MIN_FPU_CHANNELS
    if context.may_reorder_weights and _may_have_fpu(context) and has_channels:
        from .split_depthwise import emit_split as emit_split_depthwise

        def emit(sub, windows):
            _emit_cells(context, sub, activation, windows)

        if emit_split_depthwise(context, node, fields, emit):
            return
    _emit_cells(context, node, activation, fields)


def _emit_cells(context, node, activation, fields):
    weights, target = node.input(1), node.output(0)
    depth, outputs = fields["input_channels"], fields["output_channels"]
    multiplier = outputs // depth if depth else 0
    if multiplier <= min(depth, _LARGEST_STEP):
        loops, length, input_move, output_move = multiplier, depth, 0, 1
        steps = multiplier | 1 << 10 | multiplier << 20
    else:
        loops, length, input_move, output_move = depth, multiplier, 1, multiplier
        steps = 1 | 1 << 20
    _emit(
        context,
        node,
        activation,
        "depthwise_conv_float.eval_float32",
        DEPTHWISE,
        target.elements() // outputs if outputs else 0,
        weights.elements(),
        1,
        loops=loops,
        length=length,
        steps=steps,
        input_move=input_move,
        output_move=output_move,
        **fields,
    )


# Return the units that the units of a slice are a multiple of: a tile's, a pixel's, or one.
def _at_once(pixel_units, work):
    for pixels in (_TILE, 1):
        if pixels * pixel_units * work <= _MOST_OF_TILE:
            return pixels * pixel_units
    return 1


# Check the types, and write a record of `units` of `taps` multiply-accumulates each. A pixel has
# `pixel_units` units.
def _emit(context, node, activation, kernel, layout, units, taps, pixel_units, **fields):
    bias = node.optional_input(2)
    for tensor in (node.input(0), node.input(1), node.output(0)):
        check_dtype(node, tensor, dtypes.FLOAT32)
    check_bias(node, bias, fields["output_channels"], dtypes.FLOAT32)
    low, high = float_activation_range(node, activation)
    context.emit(
        kernel,
        layout,
        units,
        units * (taps + 1) * FLOAT_MAC_WORK,
        at_once=_at_once(pixel_units, taps + 1),
        input=node.input(0),
        weights=node.input(1),
        bias=bias,
        output=node.output(0),
        activation_min=low,
        activation_max=high,
        **fields,
    )
