# tflm: which file prepares which builtin operator; the one line to add for a new operator
# MIT license; Copyright (c) 2026 the tflm authors

# builtin code: file below prepare/
OPS = {
    0: "add",  # ADD
    1: "pooling",  # AVERAGE_POOL_2D
    2: "concatenation",  # CONCATENATION
    3: "conv",  # CONV_2D
    4: "depthwise_conv",  # DEPTHWISE_CONV_2D
    6: "dequantize",  # DEQUANTIZE
    9: "fully_connected",  # FULLY_CONNECTED
    14: "logistic",  # LOGISTIC
    17: "pooling",  # MAX_POOL_2D
    18: "mul",  # MUL
    19: "activations",  # RELU
    21: "activations",  # RELU6
    22: "reshape",  # RESHAPE
    23: "resize_bilinear",  # RESIZE_BILINEAR
    25: "softmax",  # SOFTMAX
    28: "tanh",  # TANH
    34: "pad",  # PAD
    39: "transpose",  # TRANSPOSE
    40: "reduce",  # MEAN
    41: "sub",  # SUB
    43: "squeeze",  # SQUEEZE
    45: "strided_slice",  # STRIDED_SLICE
    49: "split",  # SPLIT
    55: "maximum_minimum",  # MAXIMUM
    56: "arg_min_max",  # ARG_MAX
    57: "maximum_minimum",  # MINIMUM
    60: "pad",  # PADV2
    65: "slice",  # SLICE
    70: "expand_dims",  # EXPAND_DIMS
    74: "reduce",  # SUM
    79: "arg_min_max",  # ARG_MIN
    82: "reduce",  # REDUCE_MAX
    83: "pack",  # PACK
    88: "unpack",  # UNPACK
    89: "reduce",  # REDUCE_MIN
    97: "resize_nearest_neighbor",  # RESIZE_NEAREST_NEIGHBOR
    98: "leaky_relu",  # LEAKY_RELU
    102: "split_v",  # SPLIT_V
    114: "quantize",  # QUANTIZE
    117: "hard_swish",  # HARD_SWISH
}
