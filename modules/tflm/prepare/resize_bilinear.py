# tflm: RESIZE_BILINEAR: Prepare (TFLM resize_bilinear.cc; int16 as in LiteRT)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import check, check_dtype, check_outputs, constant_ints

INTEGERS = (
    "input",
    "output",
    "output_height",
    "output_width",
    "input_height",
    "input_width",
    "depth",
    "height_scale",  # input pixels for each output pixel, 10 fractional bits
    "width_scale",
    "height_start",  # position of the first output pixel in the input, 10 fractional bits
    "width_start",
)

_OPTIONS = const(15)  # ResizeBilinearOptions
_ALIGN_CORNERS = const(2)
_HALF_PIXEL_CENTERS = const(3)
_WORK = 6  # of an element, in multiply-accumulates


# The output of RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: input 1 is height and width.
def resized_shape(node):
    source = node.input(0)
    check(len(source.shape) == 4, node, "%s must have 4 dimensions" % source)
    size = constant_ints(node, node.input(1), "the size")
    check(len(size) == 2, node, "%s must be height and width, 2 numbers" % node.input(1))
    return [source.shape[:1] + tuple(size) + source.shape[3:]]


output_shapes = resized_shape


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check(len(node.inputs) == 2, node, "it must have 2 inputs")
    check_dtype(node, source, *sorted(_KERNELS))
    check_dtype(node, target, source.dtype)
    check_dtype(node, node.input(1), dtypes.INT32)
    check_outputs(node, output_shapes(node), "%s should be %s")
    check(source.elements() > 0 or not target.elements(), node, "%s is empty" % source)
    options = node.options(_OPTIONS)
    align_corners = options.get(_ALIGN_CORNERS, "B") != 0
    half_pixel_centers = options.get(_HALF_PIXEL_CENTERS, "B") != 0
    check(
        not (align_corners and half_pixel_centers),
        node,
        "align_corners and half_pixel_centers exclude each other",
    )
    if target.elements():
        _KERNELS[source.dtype](context, node, align_corners, half_pixel_centers)


# TFLM rounds the scales to 10 fractional bits. If the output is so large that a rounded scale
# exceeds the last pixel, TFLM reads outside of the input; the kernel stays at the last pixel.
def _integers(context, node, align_corners, half_pixel_centers):
    source, target = node.input(0), node.output(0)
    fields = {}
    for axis, name in ((1, "height"), (2, "width")):
        inputs, outputs = source.shape[axis], target.shape[axis]
        fields["input_" + name], fields["output_" + name] = inputs, outputs
        if align_corners and outputs > 1:
            inputs -= 1
            outputs -= 1
        scale = ((inputs << 10) + outputs // 2) // outputs
        fields[name + "_scale"] = scale
        fields[name + "_start"] = scale // 2 - (1 << 9) if half_pixel_centers else 0
    is_int8 = source.dtype == dtypes.INT8
    context.emit(
        "resize_bilinear.eval_int8" if is_int8 else "resize_bilinear_int16.eval_int16",
        INTEGERS,
        target.shape[0] * target.shape[1],
        target.elements() * _WORK,
        input=source,
        output=target,
        depth=source.shape[3],
        **fields,
    )


def _float32(context, node, align_corners, half_pixel_centers):
    from .resize_bilinear_float import emit_resize_bilinear_float

    emit_resize_bilinear_float(context, node, align_corners, half_pixel_centers)


_KERNELS = {dtypes.FLOAT32: _float32, dtypes.INT8: _integers, dtypes.INT16: _integers}
