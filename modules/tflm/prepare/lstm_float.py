# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM, float32: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .common import FLOAT_WORK, NONE, float_activation_range
from .lstm import GATES, SIZES, TENSORS

FLOAT32 = (
    TENSORS + GATES + SIZES + ("activation", "clip", "lowest", "highest", "clip_low", "clip_high")
)

_BLOCK = 32  # elements of the state that the kernel computes at a time
_ELEMENT_WORK = 24  # of an element besides its gates, in multiply-accumulates
_SIGN = 1 << 31
_INFINITY = 0x7F800000


# Write the record; types and shapes agree. `clip` is the limit of the cell state as bits of a
# float32.
def emit_lstm(context, node, fields, clip):
    size, state_size = fields["input_size"], fields["state_size"]
    block = fields["block"] = min(_BLOCK, state_size)
    lowest, highest = float_activation_range(node, NONE)
    outputs = node.output(0).elements()
    context.emit(
        "unidirectional_sequence_lstm_float.eval_float32",
        FLOAT32,
        outputs,
        outputs * (4 * (size + state_size) + _ELEMENT_WORK) * FLOAT_WORK,
        scratch=context.request_scratch_buffer(4 * 5 * block),
        clip=1 if 0 < clip <= _INFINITY else 0,
        lowest=lowest,
        highest=highest,
        clip_low=clip | _SIGN,
        clip_high=clip,
        **fields,
    )
