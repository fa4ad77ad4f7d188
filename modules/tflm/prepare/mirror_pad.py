# tflm: MIRROR_PAD: Prepare (TFLM mirror_pad.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .common import check, check_outputs
from .pad import padded_shape
from .strided import check_same_dtype, constant_indices, emit_copy, strides_of

_OPTIONS = const(77)  # MirrorPadOptions
_MODE = const(0)
_REFLECT = 0  # the elements at the edges are not repeated

output_shapes = padded_shape


# First the input is copied to its offset in the output. Then each dimension is mirrored within the
# output at both ends, after the dimensions before it: their paddings are mirrored, too.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_same_dtype(node, source, (target,))
    shape, padded = source.shape, target.shape
    rank = len(shape)
    paddings = constant_indices(node, node.input(1), "the paddings")
    edge = 1 if node.options(_OPTIONS).get(_MODE, "b") == _REFLECT else 0
    for i in range(min(len(paddings), 2 * rank)):
        check(
            0 <= paddings[i] <= max(0, shape[i // 2] - edge),
            node,
            "a padding of %d cannot be mirrored from %d" % (paddings[i], shape[i // 2]),
        )
    check_outputs(node, output_shapes(node))
    if not target.elements():
        return
    strides, steps = strides_of(shape), strides_of(padded)
    # (first index, length) of the elements that are filled in each dimension.
    filled = [(paddings[2 * i], shape[i]) for i in range(rank)]
    offset = sum([filled[i][0] * steps[i] for i in range(rank)])
    loops = [(shape[i], strides[i], steps[i]) for i in range(rank)]
    emit_copy(context, node, source, target, loops, output_offset=offset)
    for i in range(rank):
        before, after = paddings[2 * i], paddings[2 * i + 1]
        end = before + shape[i]
        base = sum([filled[j][0] * steps[j] for j in range(rank) if j != i])
        # Index of the first output element, its mirror image, and the number of elements.
        for to, image, count in (
            (0, 2 * before - 1 + edge, before),
            (end, end - 1 - edge, after),
        ):
            loops = [(filled[j][1], steps[j], steps[j]) for j in range(rank)]
            loops[i] = (count, 0 - steps[i], steps[i])
            offsets = base + image * steps[i], base + to * steps[i]
            emit_copy(context, node, target, target, loops, *offsets)
        filled[i] = (0, padded[i])
