# tflm: SVDF, float32: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import FLOAT_WORK, RELU, RELU6, RELU_N1_TO_1, check_dtype, support

_LAST = 5  # SIGN_BIT of the schema's activations
_LIMITS = {
    RELU: (0, 0x7F800000),
    RELU_N1_TO_1: (0xBF800000, 0x3F800000),
    RELU6: (0, 0x40C00000),
}


# Check the types, except of hybrid weights, and write the record; the shapes agree.
def emit_svdf(context, node, layout, fields, activation):
    if node.input(1).dtype != dtypes.INT8:
        for i in range(5):
            if node.inputs[i] is not None:
                check_dtype(node, node.inputs[i], dtypes.FLOAT32)
    support(0 <= activation <= _LAST, node, "activation %d" % activation)
    low, high = _LIMITS.get(activation, (0, 0))
    outputs = node.output(0).elements()
    taps = fields["rank"] * (fields["input_size"] + fields["memory_size"])
    context.emit(
        "svdf_float.eval_float32",
        layout,
        outputs,
        outputs * (taps + 2) * FLOAT_WORK,
        sum=context.request_scratch_buffer(4),
        activation=activation,
        low=low,
        high=high,
        **fields,
    )
