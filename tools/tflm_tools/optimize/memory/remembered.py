# tflm_tools: what Prepare computes of weights, kept: parts of one operator share it
# MIT license; Copyright (c) 2026 the tflm authors

from functools import lru_cache, wraps

from tflm.prepare import conv_lanes, convolution, dsp, scale
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


# conv_lanes._packed() by all that it looks at.
def _packed_once(packed):
    known = {}

    @wraps(packed)
    def remembered(context, node, fields, table, rows, way):
        bias = node.optional_input(2)
        key = (
            context.form, way, node.input(0).zero_point(), bytes(bias.data) if bias else None,
            tuple(fields.get(name) for name in _FIELDS), bytes(table), tuple(rows),
        )  # fmt: skip
        if key not in known:
            _make_room(known, _LAYERS)
            known[key] = packed(context, node, fields, table, rows, way)
        return known[key]

    return remembered


def remember():
    """Let Prepare on this host keep what it computes; boards prepare each node once."""
    if hasattr(scale.divide, "cache_info"):
        return
    dsp.fold = lru_cache(_SMALL)(dsp.fold)
    for name in ("multiply", "divide", "quantize_multiplier"):
        setattr(scale, name, lru_cache(_SMALL)(getattr(scale, name)))
    convolution.channel_multipliers = _multiplied_once(convolution.channel_multipliers)
    conv_lanes._packed = _packed_once(conv_lanes._packed)
