# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM: Prepare (TFLM unidirectional_sequence_lstm.cc, lstm_eval.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import check, check_dtype, check_outputs, support
from .lstm import GATES
from .svdf import check_state

_OPTIONS = const(71)  # UnidirectionalSequenceLSTMOptions
_FUSED_ACTIVATION_FUNCTION = const(0)
_CELL_CLIP = const(1)
_TIME_MAJOR = const(3)
_ASYMMETRIC_QUANTIZE_INPUTS = const(4)
_INPUTS = 24
_WEIGHTS = 1  # to 8
_BIASES = 12  # to 15
_HIDDEN_STATE = 18
_CELL_STATE = 19
_VARIANTS = (
    (range(9, 12), "a peephole"),
    (range(16, 18), "a projection"),
    (range(20, 24), "layer normalization"),
)
_BLOCK = 32  # elements of the state that a kernel computes at a time
_NONE, _TANH = 0, 4  # activations of the schema


# As many elements of the state as the hidden state has, for each step of each batch.
def output_shapes(node):
    return [node.input(0).shape[:-1] + node.input(_HIDDEN_STATE).shape[-1:]]


def prepare(context, node):
    source = node.input(0)
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    options = node.options(_OPTIONS)
    fields = _operands(node)
    fields.update(_sizes(node, options.get(_TIME_MAJOR, "B") != 0))
    activation = options.get(_FUSED_ACTIVATION_FUNCTION, "b")
    support(activation in (_NONE, _TANH), node, "a cell gate with activation %d" % activation)
    fields["activation"] = 1 if activation == _TANH else 0
    clip = options.get(_CELL_CLIP, "I")
    if source.dtype != dtypes.FLOAT32:
        from .lstm_integer import emit_lstm
    elif node.input(_WEIGHTS).dtype == dtypes.INT8:
        from .lstm_hybrid import emit_lstm

        fields["asymmetric"] = 1 if options.get(_ASYMMETRIC_QUANTIZE_INPUTS, "B") else 0
    else:
        from .lstm_float import emit_lstm
    emit_lstm(context, node, fields, clip)


# Return all tensors by the names of the record, after checking their presence and types.
def _operands(node):
    check(len(node.inputs) == _INPUTS and len(node.outputs) == 1, node, "it must have 24 inputs")
    for numbers, what in _VARIANTS:
        for i in numbers:
            support(node.inputs[i] is None, node, what)
    support(
        node.inputs[1] is not None and node.inputs[5] is not None,
        node,
        "an LSTM without input gate (CIFG)",
    )
    source, hidden, cell = node.input(0), node.input(_HIDDEN_STATE), node.input(_CELL_STATE)
    check_state(node, hidden)
    check_state(node, cell)
    dtype = source.dtype
    check_dtype(node, hidden, dtype)
    check_dtype(node, node.output(0), dtype)
    weights_dtype, bias_dtype, cell_dtype = {
        dtypes.FLOAT32: (dtypes.FLOAT32, dtypes.FLOAT32, dtypes.FLOAT32),
        dtypes.INT8: (dtypes.INT8, dtypes.INT32, dtypes.INT16),
        dtypes.INT16: (dtypes.INT8, dtypes.INT64, dtypes.INT16),
    }[dtype]
    if dtype == dtypes.FLOAT32 and node.input(_WEIGHTS).dtype == dtypes.INT8:
        weights_dtype = dtypes.INT8
    check_dtype(node, cell, cell_dtype)
    fields = {"input": source, "hidden_state": hidden, "cell_state": cell}
    fields["output"] = node.output(0)
    for i in range(8):
        check_dtype(node, node.input(_WEIGHTS + i), weights_dtype)
        fields[GATES[i]] = node.input(_WEIGHTS + i)
    for i in range(4):
        check_dtype(node, node.input(_BIASES + i), bias_dtype)
        fields[GATES[8 + i]] = node.input(_BIASES + i)
    return fields


# Return the fields SIZES, after checking all shapes. Inputs are [batches, steps, size], or [steps,
# batches, size] if time is major; then a step of all batches precedes the next step of any batch.
def _sizes(node, time_major):
    source = node.input(0)
    hidden, cell = node.input(_HIDDEN_STATE), node.input(_CELL_STATE)
    check(len(source.shape) == 3, node, "%s must have 3 dimensions" % source)
    check(len(hidden.shape) == 2, node, "%s must have 2 dimensions" % hidden)
    size, state_size = source.shape[2], hidden.shape[1]
    batches, steps = source.shape[:2]
    if time_major:
        steps, batches = batches, steps
    for i in range(12):
        tensor = node.input(i + _WEIGHTS if i < 8 else i - 8 + _BIASES)
        shape = (state_size, size if i < 4 else state_size)
        if i >= 8:
            shape = (state_size,)
        check(tensor.shape == shape, node, "%s should be %s" % (tensor, list(shape)))
    for tensor in (hidden, cell):
        check(
            tensor.elements() == batches * state_size,
            node,
            "%s should have %d elements" % (tensor, batches * state_size),
        )
    check_outputs(node, output_shapes(node), "%s should be %s")
    return {
        "input_size": size,
        "state_size": state_size,
        "steps": 1 if time_major else steps,
        "batches": batches,
        "block": min(_BLOCK, state_size),
    }
