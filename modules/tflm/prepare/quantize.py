# tflm: QUANTIZE: Prepare (TFLM quantize_common.cc, reference/quantize.h, requantize.h)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from . import scale
from .common import (
    check_dtype,
    check_quantized,
    limits,
    same_shape,
    scale_of,
)
from .fixed_point import multiply_by_quantized_multiplier
from .lookup import check_same_elements, emit_lookup
from .rescale import TYPES, emit_rescale

QUANTIZE = ("input", "scale", "output", "type", "zero_point")

# {input type: output types}
_PAIRS = {
    dtypes.FLOAT32: (dtypes.INT8, dtypes.UINT8, dtypes.INT16),
    dtypes.INT8: (dtypes.INT8, dtypes.UINT8, dtypes.INT16, dtypes.INT32),
    dtypes.UINT8: (dtypes.INT8, dtypes.INT16),
    dtypes.INT16: (dtypes.INT8, dtypes.INT16, dtypes.INT32),
    dtypes.INT32: (dtypes.INT8, dtypes.INT16),
}
_BYTES = (dtypes.INT8, dtypes.UINT8)

output_shapes = same_shape


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, *sorted(_PAIRS))
    check_dtype(node, target, *_PAIRS[source.dtype])
    check_same_elements(node, source, target)
    check_quantized(node, target)
    if source.dtype == dtypes.FLOAT32:
        _prepare_float(context, node, source, target)
    else:
        _prepare_integers(context, node, source, target)


def _prepare_float(context, node, source, target):
    context.emit(
        "quantize.eval_float32",
        QUANTIZE,
        source.elements(),
        source.elements() * 16,
        input=source,
        scale=context.constant(struct.pack("<I", target.scale_bits())),
        output=target,
        type=TYPES[target.dtype],
        # A uint8 is an int8 with a zero point of 128 less and the top bit flipped.
        zero_point=target.zero_point() - (128 if target.dtype == dtypes.UINT8 else 0),
    )


# From one quantization to another: a table between types of one byte, from uint8, and from int8 to
# int16 if the input has enough elements for one; arithmetic otherwise.
def _prepare_integers(context, node, source, target):
    check_quantized(node, source)
    ratio = scale.divide(scale_of(source), scale_of(target))
    multiplier, shift = scale.quantize_multiplier(ratio)
    is_wide = source.dtype == dtypes.UINT8
    is_wide = is_wide or target.dtype == dtypes.INT16 and source.elements() >= 256
    if source.dtype not in _BYTES or target.dtype not in _BYTES and not is_wide:
        emit_rescale(context, node, (multiplier, shift))
        return
    zero_in, zero_out = source.zero_point(), target.zero_point()
    low, high = limits(target.dtype)

    def requantize(x):
        y = multiply_by_quantized_multiplier(x - zero_in, multiplier, shift)
        return min(max(y + zero_out, low), high)

    emit_lookup(context, node, requantize)
