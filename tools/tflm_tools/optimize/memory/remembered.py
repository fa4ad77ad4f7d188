# tflm_tools: what Prepare computes of weights, kept: parts of one operator share it
# MIT license; Copyright (c) 2026 the tflm authors

from functools import lru_cache, wraps

from tflm.prepare import (
    conv_dsp,
    conv_lanes,
    convolution,
    depthwise_dsp,
    depthwise_lanes,
    dsp,
    lanes,
    scale,
)
from tflm.prepare.common import REQUANTIZE

_SMALL = 1 << 14
_LAYERS = 128  # packed weights that are kept
_SCALES = 512  # layers whose multipliers are kept
_FIELDS = ("input_offset", *REQUANTIZE)


# Room for another entry of a dict of what was computed last.
def _make_room(known, most):
    while len(known) >= most:
        del known[next(iter(known))]


# convolution.channel_multipliers() by all that it looks at; what it refuses is not kept. Vectors
# of scales never change, and stay as long as they are known here.
def _multiplied_once(multipliers):
    known = {}

    @wraps(multipliers)
    def remembered(node, source, weights, target, channels):
        scales, _, axis = weights.quantization()
        ends = source.scale_bits(), target.scale_bits()
        key = id(scales), axis, weights.shape, *ends, channels
        if key not in known:
            found = multipliers(node, source, weights, target, channels)
            _make_room(known, _SCALES)
            known[key] = scales, found
        return known[key][1]

    return remembered


# What all that packs weights looks at.
def _of_layer(node, fields, table):
    weights, bias = node.input(1), node.optional_input(2)
    return (
        bytes(weights.data), weights.shape, bytes(bias.data) if bias else None,
        node.input(0).zero_point(), tuple(fields.get(name) for name in _FIELDS), bytes(table),
    )  # fmt: skip


# The same for _packed() of conv_dsp and depthwise_dsp.
def _of_halfwords(node, fields, table, *how):
    return (*how, _of_layer(node, fields, table))


# The same for conv_lanes.
def _of_lanes(context, node, fields, table, shape, geometry, way):
    window = tuple(geometry[name] for name in ("run", "window_columns", "column_lanes"))
    return context.target_packing, way, shape, window, _of_layer(node, fields, table)


# The same for depthwise_lanes.
def _of_planes(context, node, fields, table, form):
    is_bytes = context.packing.get(node.index) == lanes.BYTES
    has_odd = bool(depthwise_lanes.has_odd_windows(node, fields))
    return context.target_packing, is_bytes, form, has_odd, _of_layer(node, fields, table)


# A function that packs weights, by what key() says of its arguments.
def _packed_once(packed, key):
    known = {}

    @wraps(packed)
    def remembered(*arguments):
        looked_at = key(*arguments)
        if looked_at not in known:
            _make_room(known, _LAYERS)
            known[looked_at] = packed(*arguments)
        return known[looked_at]

    return remembered


def remember():
    """Let Prepare on this host keep what it computes; boards prepare each node once."""
    if hasattr(scale.divide, "cache_info"):
        return
    dsp.fold = lru_cache(_SMALL)(dsp.fold)
    for name in ("multiply", "divide", "quantize_multiplier"):
        setattr(scale, name, lru_cache(_SMALL)(getattr(scale, name)))
    convolution.channel_multipliers = _multiplied_once(convolution.channel_multipliers)
    for module, key in (
        (conv_dsp, _of_halfwords),
        (depthwise_dsp, _of_halfwords),
        (conv_lanes, _of_lanes),
        (depthwise_lanes, _of_planes),
    ):
        module._packed = _packed_once(module._packed, key)
