# tflm: LOCAL_RESPONSE_NORMALIZATION: Prepare (not in TFLM; LiteRT local_response_norm.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import FLOAT_WORK, check, check_dtype, check_outputs, same_shape

LAYOUT = ("input", "output", "multipliers", "depth", "radius", "zero", "alpha", "bias", "power")

_OPTIONS = const(13)  # LocalResponseNormalizationOptions
_RADIUS = const(0)
_BIAS = const(1)
_ALPHA = const(2)
_BETA = const(3)
_SIGN = 1 << 31
_POW_WORK = 12 * FLOAT_WORK

output_shapes = same_shape


# Across the last dimension. As in LiteRT, the window of channel c ends before c + radius.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.FLOAT32)
    check_dtype(node, target, dtypes.FLOAT32)
    check(len(source.shape) == 4, node, "%s has not 4 dimensions" % source)
    check_outputs(node, output_shapes(node))
    options = node.options(_OPTIONS)
    radius = options.get(_RADIUS, "i")
    check(radius >= 0, node, "the radius is %d" % radius)
    elements, depth = source.elements(), source.shape[-1]
    if not elements:
        return
    radius = min(radius, depth)
    context.emit(
        "local_response_normalization_float.eval_float32",
        LAYOUT,
        elements // depth,
        elements * (2 * radius * FLOAT_WORK + _POW_WORK),
        input=source,
        output=target,
        multipliers=context.request_scratch_buffer(4 * depth),
        depth=depth,
        radius=radius,
        zero=0,
        alpha=options.get(_ALPHA, "I"),
        bias=options.get(_BIAS, "I"),
        power=options.get(_BETA, "I") ^ _SIGN,
    )
