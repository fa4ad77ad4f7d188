# tflm: which file prepares which builtin operator; the one line to add for a new operator
# MIT license; Copyright (c) 2026 the tflm authors

# builtin code: file below prepare/
OPS = {
    9: "fully_connected",  # FULLY_CONNECTED
    19: "activations",  # RELU
    21: "activations",  # RELU6
    22: "reshape",  # RESHAPE
}
