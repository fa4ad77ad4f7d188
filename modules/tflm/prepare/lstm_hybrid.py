# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM of float32 with weights of int8, which TFLM lacks: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .common import FLOAT_WORK, check, support
from .lstm import GATES, SIZES, TENSORS

HYBRID = (
    TENSORS
    + ("quantized", "constants")
    + GATES
    + SIZES[:-1]
    + ("asymmetric", "clip", "clip_low", "clip_high")
)

_ELEMENT_WORK = 40 * FLOAT_WORK  # of an element besides its products, in multiply-accumulates
_MAX_SIZE = 1 << 16  # the sum of this number of products of int8 fits 32 bits
_WEIGHTS = 8
_WORDS = 8  # of the scratch buffer before the gates
_SIGN = 1 << 31
_INFINITY = 0x7F800000
_ONE = 0x3F800000


# Write the record; types and shapes agree. `clip` is the limit of the cell state as bits of a
# float32. The constants: the scales of the weights, 1.0, the steps of a quantized range.
def emit_lstm(context, node, fields, clip):
    scales = []
    for i in range(_WEIGHTS):
        weights = fields[GATES[i]]
        check(weights.is_quantized, node, "%s has no scale" % weights)
        support(weights.scales_length() == 1, node, "%s: a scale for each row" % weights)
        check(weights.zero_point() == 0, node, "%s has a zero point" % weights)
        scales.append(weights.scale_bits())
    size, state_size = fields["input_size"], fields["state_size"]
    support(max(size, state_size) < _MAX_SIZE, node, "an input or state of 65536 elements")
    # LiteRT reads memory that it has not written if there is no activation.
    support(fields.pop("activation"), node, "a cell gate without TANH")
    del fields["block"]
    outputs = node.output(0).elements()
    units = outputs // state_size if outputs else 0
    context.emit(
        "unidirectional_sequence_lstm_hybrid.eval_float32",
        HYBRID,
        units,
        outputs * (4 * (size + state_size) + _ELEMENT_WORK),
        scratch=context.request_scratch_buffer(4 * (_WORDS + 5 * state_size)),
        quantized=context.request_scratch_buffer(size + state_size),
        constants=context.constant(
            struct.pack("<9If", *scales, _ONE, 255 if fields["asymmetric"] else 127)
        ),
        clip=1 if 0 < clip <= _INFINITY else 0,
        clip_low=clip | _SIGN,
        clip_high=clip,
        **fields,
    )
