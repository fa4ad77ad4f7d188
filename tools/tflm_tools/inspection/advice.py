# tflm_tools: advice: names replacements for operators that tflm lacks
# MIT license; Copyright (c) 2026 the tflm authors

from ..model.schema import compiled_operator_remedy

_STATIC = (
    "the size of its output depends on its data: return the tensor before it, and do the rest in "
    "Python"
)
_LOOP = "use Keras' LSTM or GRU with a batch size of 1 in its Input, or unroll=True"
_REAL = "split it into real and imaginary parts, or use the signal library (tflite-micro's RFFT)"
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
    "RFFT2D": _REAL,
    "COMPLEX_ABS": _REAL,
    "REAL": _REAL,
    "IMAG": _REAL,
    "HASHTABLE": _TABLE,
    "HASHTABLE_FIND": _TABLE,
    "HASHTABLE_LOOKUP": _TABLE,
    "LOCAL_RESPONSE_NORMALIZATION": "use batch normalization, which converters fold away",
    "CONV_3D": "use Conv2D on each slice",
    "CONV_3D_TRANSPOSE": "use Conv2DTranspose on each slice",
    "FAKE_QUANT": "convert with full integer quantization, which replaces it",
    "REDUCE_PROD": "use tf.exp(tf.reduce_sum(tf.math.log(x))), or multiply one by one",
    "RANDOM_UNIFORM": "draw the numbers in Python and give them to the model as an input",
    "RANDOM_STANDARD_NORMAL": "draw the numbers in Python and give them to the model as an input",
    "MULTINOMIAL": "return the logits and draw in Python",
}


def advice_for(op):
    """Return the remedy for a missing operator, "" if none is known."""
    if op in _ADVICE:
        return _ADVICE[op]
    if op.startswith("STABLEHLO_"):
        return "convert with TensorFlow Lite operators, without StableHLO"
    return compiled_operator_remedy(op)
