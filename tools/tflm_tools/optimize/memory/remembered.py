# tflm_tools: what Prepare computes of weights, kept: parts of one operator share it
# MIT license; Copyright (c) 2026 the tflm authors

from functools import lru_cache, wraps

from tflm.prepare import conv_lanes, dsp, scale
from tflm.prepare.common import REQUANTIZE

_SMALL = 1 << 14
_LAYERS = 128  # packed weights that are kept
_FIELDS = ("input_offset", *REQUANTIZE)


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
            while len(known) >= _LAYERS:
                del known[next(iter(known))]
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
    conv_lanes._packed = _packed_once(conv_lanes._packed)
