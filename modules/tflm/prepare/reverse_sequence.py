# tflm: REVERSE_SEQUENCE: Prepare (not in TFLM; LiteRT reverse_sequence.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import (
    check,
    check_dtype,
    check_outputs,
    check_shape,
    positive_axis,
    product,
    same_shape,
)
from .strided import check_same_dtype, element_bytes, strides_of

LAYOUT = ("input", "lengths", "output", "wide", "size", "steps", "step", "batches", "batch_step")

_OPTIONS = const(87)  # ReverseSequenceOptions
_SEQ_DIM = const(0)
_BATCH_DIM = const(1)

output_shapes = same_shape


# Units are blocks of elements after the later of the two axes.
def prepare(context, node):
    source, lengths, target = node.input(0), node.input(1), node.output(0)
    check_same_dtype(node, source, (target,))
    check_outputs(node, output_shapes(node))
    check_dtype(node, lengths, dtypes.INT32, dtypes.INT64)
    options, rank = node.options(_OPTIONS), len(source.shape)
    along = positive_axis(node, options.get(_SEQ_DIM, "i"), rank)
    batch = positive_axis(node, options.get(_BATCH_DIM, "i"), rank)
    check(along != batch, node, "both axes are %d" % along)
    check_shape(node, lengths, (source.shape[batch],))
    if not target.elements():
        return
    strides = strides_of(source.shape)
    block = product(source.shape[max(along, batch) + 1 :])
    context.emit(
        "reverse_sequence.eval",
        LAYOUT,
        target.elements() // block,
        target.nbytes() + 8 * (target.elements() // block),
        input=source,
        lengths=lengths,
        output=target,
        wide=1 if lengths.dtype == dtypes.INT64 else 0,
        size=block * element_bytes(node, source),
        steps=source.shape[along],
        step=strides[along] // block,
        batches=source.shape[batch],
        batch_step=strides[batch] // block,
    )
