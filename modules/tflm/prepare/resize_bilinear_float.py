# tflm: RESIZE_BILINEAR, float32: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from . import scale
from .common import FLOAT_WORK, product

LAYOUT = (
    "input",
    "output",
    "scratch",
    "output_height",
    "output_width",
    "input_height",
    "input_width",
    "depth",
    "height_scale",
    "width_scale",
    "half_pixel_centers",
    "half",
    "one",
    "block",
)

_HALF, _ONE = 0x3F000000, 0x3F800000
_WORDS = 4  # of scratch, for each row and column of the output
_PARAMETERS = 12  # words of the block of products, at least: overrides store parameters there
_BLOCK = 32  # products
_STEPS = 8  # work of an element, in multiply-accumulates
_PLACE_STEPS = 12  # and of a pixel


# Write the record, with the number of input pixels for each output pixel in float32.
def emit_resize_bilinear_float(context, node, align_corners, half_pixel_centers):
    source, target = node.input(0), node.output(0)
    depth = source.shape[3]
    fields = {}
    for axis, name in ((1, "height"), (2, "width")):
        inputs, outputs = source.shape[axis], target.shape[axis]
        fields["input_" + name], fields["output_" + name] = inputs, outputs
        if align_corners and outputs > 1:
            inputs -= 1
            outputs -= 1
        ratio = scale.divide(scale.from_int(inputs), scale.from_int(outputs), scale.SINGLE)
        fields[name + "_scale"] = scale.to_bits(ratio)
    block = min(depth, _BLOCK)
    pixels = product(target.shape[:3])
    context.emit(
        "resize_bilinear_float.eval_rows",
        LAYOUT,
        pixels,
        pixels * (depth * _STEPS + _PLACE_STEPS) * FLOAT_WORK,
        input=source,
        output=target,
        scratch=context.request_scratch_buffer(
            4 * (_WORDS * (target.shape[1] + target.shape[2]) + max(_PARAMETERS, block))
        ),
        depth=depth,
        half_pixel_centers=1 if half_pixel_centers else 0,
        half=_HALF,
        one=_ONE,
        block=block,
        **fields,
    )
