# tflm: DEQUANTIZE: Prepare (TFLM dequantize_common.cc, reference/dequantize.h)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import check, check_dtype, check_quantized, same_shape
from .lookup import check_same_elements
from .rescale import TYPES
from .unary_float import UNARY

DEQUANTIZE = ("input", "scale", "output", "type", "zero_point")

output_shapes = same_shape


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    if source.dtype == dtypes.FLOAT16:
        emit_from_float16(context, node)
        return
    check_dtype(node, source, dtypes.INT8, dtypes.INT16, dtypes.UINT8, dtypes.INT4)
    check_dtype(node, target, dtypes.FLOAT32)
    check_same_elements(node, source, target)
    if source.dtype == dtypes.INT4:
        from .unpack_int4 import unpacked

        check(source.is_quantized, node, "%s has no scale" % source)
        source = unpacked(context, source)
    if source.scales_length() < 2:
        check_quantized(node, source)
        emit_dequantize(context, node, source, source)
        return
    from .dequantize_channels import ONE, emit_per_channel

    emit_dequantize(context, node, source, source, ONE)
    emit_per_channel(context, node, source)


# float16 has no scale; LiteRT supports it, TFLM does not.
def emit_from_float16(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, target, dtypes.FLOAT32)
    check_same_elements(node, source, target)
    elements = target.elements()
    context.emit(
        "float16.eval_to_float32", UNARY, elements, elements * 4, input=source, output=target
    )


# Write the record that converts `memory`, numbers with the quantization of `tensor`, to output 0.
# scale_bits: a scale that replaces the tensor's scale.
def emit_dequantize(context, node, memory, tensor, scale_bits=None):
    target = node.output(0)
    if scale_bits is None:
        scale_bits = tensor.scale_bits()
    context.emit(
        "dequantize.eval_integers",
        DEQUANTIZE,
        target.elements(),
        target.elements() * 16,
        input=memory,
        scale=context.constant(struct.pack("<I", scale_bits)),
        output=target,
        type=TYPES[tensor.dtype],
        zero_point=tensor.zero_point(),
    )
