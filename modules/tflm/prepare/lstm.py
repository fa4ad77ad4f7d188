# tflm: words of the records of UNIDIRECTIONAL_SEQUENCE_LSTM that all types share
# MIT license; Copyright (c) 2026 the tflm authors

# Operands of a record. The four gates are in the order input, forget, cell, output.
TENSORS = ("input", "hidden_state", "cell_state", "output", "scratch")
GATES = (
    "input_to_input_weights",
    "input_to_forget_weights",
    "input_to_cell_weights",
    "input_to_output_weights",
    "recurrent_to_input_weights",
    "recurrent_to_forget_weights",
    "recurrent_to_cell_weights",
    "recurrent_to_output_weights",
    "input_gate_bias",
    "forget_gate_bias",
    "cell_gate_bias",
    "output_gate_bias",
)
SIZES = ("input_size", "state_size", "steps", "batches", "block")
