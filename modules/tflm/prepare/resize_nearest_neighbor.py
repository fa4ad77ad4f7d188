# tflm: RESIZE_NEAREST_NEIGHBOR: Prepare (TFLM resize_nearest_neighbor.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..dtypes import const
from . import scale
from .common import (
    check,
    check_dtype,
    check_outputs,
    product,
    support,
)
from .resize_bilinear import resized_shape
from .strided import check_same_dtype, element_bytes

# A table of 16-bit numbers follows: the input row of each output row, and from `columns` on the
# input column of each output column.
RESIZE = ("input", "output", "depth", "width", "height", "out_width", "out_height", "columns")

_OPTIONS = const(74)  # ResizeNearestNeighborOptions
_ALIGN_CORNERS = const(0)
_HALF_PIXEL_CENTERS = const(1)
_LARGEST = 0xFFFF

output_shapes = resized_shape


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_same_dtype(node, source, (target,))
    check_dtype(node, node.input(1), dtypes.INT32)
    check_outputs(node, output_shapes(node))
    batches, height, width, depth = source.shape
    _, out_height, out_width, _ = target.shape
    if target.elements() == 0:
        return
    check(source.elements() > 0, node, "%s is empty" % source)
    largest = max(height, width, out_height, out_width)
    support(largest <= _LARGEST, node, "a side over %d" % _LARGEST)
    options = node.options(_OPTIONS)
    align_corners = options.get(_ALIGN_CORNERS, "B")
    half_pixel_centers = options.get(_HALF_PIXEL_CENTERS, "B")
    indices = nearest_indices(height, out_height, align_corners, half_pixel_centers)
    columns = 0
    if (height, out_height) != (width, out_width):
        columns = len(indices)
        indices += nearest_indices(width, out_width, align_corners, half_pixel_centers)
    table = struct.pack("<%dH" % len(indices), *indices)
    context.emit(
        "resize_nearest_neighbor.eval",
        RESIZE,
        batches * out_height,
        target.nbytes() + 2 * product(target.shape[:3]),
        table=table + bytes((0 - len(table)) & 3),
        input=source,
        output=target,
        depth=depth * element_bytes(node, source),
        width=width,
        height=height,
        out_width=out_width,
        out_height=out_height,
        columns=columns,
    )


# Return the input index of each output index. The reference computes in float32: the quotient of
# the sizes is rounded, and so is its product with the index; the last bit moves the boundaries.
def nearest_indices(size, out_size, align_corners, half_pixel_centers):
    numerator, denominator = size, out_size
    if align_corners and out_size > 1:
        numerator, denominator = size - 1, out_size - 1
    ratio = scale.divide(scale.from_int(numerator), scale.from_int(denominator), scale.SINGLE)
    indices = []
    for i in range(out_size):
        # i + 0.5 has few bits and is not rounded.
        position = (2 * i + 1, -1) if half_pixel_centers else (i, 0)
        position = scale.multiply(position, ratio, scale.SINGLE)
        index = scale.to_int(position) if align_corners else _floor(position)
        indices.append(min(index, size - 1))
    return indices


# Return the largest integer that is not greater.
def _floor(number):
    m, e = number
    return m << e if e >= 0 else m >> (0 - e)
