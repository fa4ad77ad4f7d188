# tflm_tools: advice: names replacements for operators that tflm lacks
# MIT license; Copyright (c) 2026 the tflm authors

from ..model.schema import compiled_operator_remedy

_STATIC = (
    "the size of its output depends on its data: return the tensor before it, and do the rest in "
    "Python"
)
_LOOP = "use Keras' LSTM or GRU with a batch size of 1 in its Input, or unroll=True"
_CONSTANT = "multiply by a constant matrix of zeros and ones"
_TABLE = "look words up in Python and give the model their numbers"

_ADVICE = {
    "WHERE": _STATIC + "; for tf.where with three arguments convert to SELECT_V2",
    "UNIQUE": _STATIC,
    "NON_MAX_SUPPRESSION_V4": _STATIC + ", or export TFLite_Detection_PostProcess",
    "NON_MAX_SUPPRESSION_V5": _STATIC + ", or export TFLite_Detection_PostProcess",
    "BIDIRECTIONAL_SEQUENCE_LSTM": _LOOP,
    "BIDIRECTIONAL_SEQUENCE_RNN": _LOOP,
    "UNIDIRECTIONAL_SEQUENCE_RNN": _LOOP,
    "LSTM": _LOOP,
    "RNN": _LOOP,
    "HASHTABLE": _TABLE,
    "HASHTABLE_FIND": _TABLE,
    "HASHTABLE_LOOKUP": _TABLE,
    "CONV_3D": "use Conv2D on each slice",
    "CONV_3D_TRANSPOSE": "use Conv2DTranspose on each slice",
    "FAKE_QUANT": "convert with full integer quantization, which replaces it",
    "REDUCE_PROD": "use tf.exp(tf.reduce_sum(tf.math.log(x))), or multiply one by one",
    "SCATTER_ND": _CONSTANT,
    "SEGMENT_SUM": _CONSTANT,
    "MATRIX_DIAG": "multiply by a constant identity matrix",
    "MATRIX_SET_DIAG": "multiply by constant matrices of zeros and ones, and add",
    "RIGHT_SHIFT": "use FLOOR_DIV by a power of 2",
    "BITCAST": "convert the bytes in Python, before or after the model",
    "MULTINOMIAL": "return the logits and draw in Python",
}


def advice_for(op):
    """Return the remedy for a missing operator, "" if none is known."""
    if op in _ADVICE:
        return _ADVICE[op]
    if op.startswith("STABLEHLO_"):
        return "convert with TensorFlow Lite operators, without StableHLO"
    return compiled_operator_remedy(op)
