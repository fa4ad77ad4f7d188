# tflm: MIRROR_PAD: Prepare (TFLM mirror_pad.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check
from .strided import check_same_dtype, check_shape, constant_indices, emit_copy, strides_of

_OPTIONS = 77  # MirrorPadOptions
_REFLECT = 0  # the elements at the edges are not repeated


# First the input is copied to its place; then each dimension is mirrored within the output at
# either end, where those before it have been: their paddings are mirrored with it.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_same_dtype(node, source, (target,))
    shape = source.shape
    rank = len(shape)
    paddings = constant_indices(node, node.input(1), "the paddings")
    check(len(paddings) == 2 * rank, node, "it has %d paddings for %s" % (len(paddings), source))
    edge = 1 if node.options(_OPTIONS).get(0, "b") == _REFLECT else 0
    padded = []
    for i in range(rank):
        for padding in paddings[2 * i : 2 * i + 2]:
            check(
                0 <= padding <= max(0, shape[i] - edge),
                node,
                "a padding of %d cannot be mirrored from %d" % (padding, shape[i]),
            )
        padded.append(shape[i] + paddings[2 * i] + paddings[2 * i + 1])
    check_shape(node, target, padded)
    if not target.elements():
        return
    strides, steps = strides_of(shape), strides_of(padded)
    # (first index, length) of what is filled in each dimension.
    filled = [(paddings[2 * i], shape[i]) for i in range(rank)]
    place = sum([filled[i][0] * steps[i] for i in range(rank)])
    loops = [(shape[i], strides[i], steps[i]) for i in range(rank)]
    emit_copy(context, node, source, target, loops, output_offset=place)
    for i in range(rank):
        before, after = paddings[2 * i], paddings[2 * i + 1]
        end = before + shape[i]
        base = sum([filled[j][0] * steps[j] for j in range(rank) if j != i])
        # Index of the first output element, its mirror image, and how many.
        for to, image, count in (
            (0, 2 * before - 1 + edge, before),
            (end, end - 1 - edge, after),
        ):
            loops = [(filled[j][1], steps[j], steps[j]) for j in range(rank)]
            loops[i] = (count, 0 - steps[i], steps[i])
            offsets = base + image * steps[i], base + to * steps[i]
            emit_copy(context, node, target, target, loops, *offsets)
        filled[i] = (0, padded[i])
