# tflm: the file that prepares each builtin operator; a new operator adds one line
# MIT license; Copyright (c) 2026 the tflm authors

# {builtin code: file below prepare/}
OPS = {
    0: "add",  # ADD
    1: "pooling",  # AVERAGE_POOL_2D
    2: "concatenation",  # CONCATENATION
    3: "conv",  # CONV_2D
    4: "depthwise_conv",  # DEPTHWISE_CONV_2D
    5: "depth_to_space",  # DEPTH_TO_SPACE
    6: "dequantize",  # DEQUANTIZE
    7: "embedding_lookup",  # EMBEDDING_LOOKUP
    8: "elementwise_math",  # FLOOR
    9: "fully_connected",  # FULLY_CONNECTED
    11: "l2_normalization",  # L2_NORMALIZATION
    12: "l2_pool_2d",  # L2_POOL_2D
    13: "local_response_normalization",  # LOCAL_RESPONSE_NORMALIZATION
    14: "logistic",  # LOGISTIC
    17: "pooling",  # MAX_POOL_2D
    18: "mul",  # MUL
    19: "activations",  # RELU
    20: "relu_limited",  # RELU_N1_TO_1
    21: "activations",  # RELU6
    22: "reshape",  # RESHAPE
    23: "resize_bilinear",  # RESIZE_BILINEAR
    25: "softmax",  # SOFTMAX
    26: "space_to_depth",  # SPACE_TO_DEPTH
    27: "svdf",  # SVDF
    28: "tanh",  # TANH
    34: "pad",  # PAD
    36: "gather",  # GATHER
    37: "batch_to_space_nd",  # BATCH_TO_SPACE_ND
    38: "space_to_batch_nd",  # SPACE_TO_BATCH_ND
    39: "transpose",  # TRANSPOSE
    40: "reduce",  # MEAN
    41: "sub",  # SUB
    42: "div",  # DIV
    43: "squeeze",  # SQUEEZE
    44: "unidirectional_sequence_lstm",  # UNIDIRECTIONAL_SEQUENCE_LSTM
    45: "strided_slice",  # STRIDED_SLICE
    47: "elementwise_math",  # EXP
    48: "topk",  # TOPK_V2
    49: "split",  # SPLIT
    50: "log_softmax",  # LOG_SOFTMAX
    53: "cast",  # CAST
    54: "prelu",  # PRELU
    55: "maximum_minimum",  # MAXIMUM
    56: "arg_min_max",  # ARG_MAX
    57: "maximum_minimum",  # MINIMUM
    58: "comparisons",  # LESS
    59: "elementwise_math",  # NEG
    60: "pad",  # PADV2
    61: "comparisons",  # GREATER
    62: "comparisons",  # GREATER_EQUAL
    63: "comparisons",  # LESS_EQUAL
    64: "select",  # SELECT
    65: "slice",  # SLICE
    66: "elementwise_math",  # SIN
    67: "transpose_conv",  # TRANSPOSE_CONV
    69: "tile",  # TILE
    70: "expand_dims",  # EXPAND_DIMS
    71: "comparisons",  # EQUAL
    72: "comparisons",  # NOT_EQUAL
    73: "elementwise_math",  # LOG
    74: "reduce",  # SUM
    75: "elementwise_math",  # SQRT
    76: "rsqrt",  # RSQRT
    77: "shape",  # SHAPE
    78: "pow",  # POW
    79: "arg_min_max",  # ARG_MIN
    82: "reduce",  # REDUCE_MAX
    83: "pack",  # PACK
    84: "logical",  # LOGICAL_OR
    85: "one_hot",  # ONE_HOT
    86: "logical",  # LOGICAL_AND
    87: "logical",  # LOGICAL_NOT
    88: "unpack",  # UNPACK
    89: "reduce",  # REDUCE_MIN
    90: "floor_div",  # FLOOR_DIV
    91: "reduce",  # REDUCE_ANY
    92: "elementwise_math",  # SQUARE
    93: "fill",  # ZEROS_LIKE
    94: "fill",  # FILL
    95: "floor_div",  # FLOOR_MOD
    96: "range_rank",  # RANGE
    97: "resize_nearest_neighbor",  # RESIZE_NEAREST_NEIGHBOR
    98: "leaky_relu",  # LEAKY_RELU
    99: "squared_difference",  # SQUARED_DIFFERENCE
    100: "mirror_pad",  # MIRROR_PAD
    101: "abs",  # ABS
    102: "split_v",  # SPLIT_V
    104: "elementwise_math",  # CEIL
    105: "reverse",  # REVERSE_V2
    106: "add_n",  # ADD_N
    107: "gather_nd",  # GATHER_ND
    108: "elementwise_math",  # COS
    110: "range_rank",  # RANK
    111: "elu",  # ELU
    112: "reverse_sequence",  # REVERSE_SEQUENCE
    114: "quantize",  # QUANTIZE
    116: "elementwise_math",  # ROUND
    117: "hard_swish",  # HARD_SWISH
    118: "control_flow",  # IF
    119: "control_flow",  # WHILE
    123: "select",  # SELECT_V2
    124: "densify",  # DENSIFY
    126: "batch_matmul",  # BATCH_MATMUL
    128: "cumsum",  # CUMSUM
    129: "control_flow",  # CALL_ONCE
    130: "broadcast_to",  # BROADCAST_TO
    131: "rfft2d",  # RFFT2D
    133: "complex_parts",  # IMAG
    134: "complex_parts",  # REAL
    135: "complex_parts",  # COMPLEX_ABS
    140: "reduce",  # REDUCE_ALL
    142: "resource_variables",  # VAR_HANDLE
    143: "resource_variables",  # READ_VARIABLE
    144: "resource_variables",  # ASSIGN_VARIABLE
    145: "broadcast_args",  # BROADCAST_ARGS
    146: "random",  # RANDOM_STANDARD_NORMAL
    148: "random",  # RANDOM_UNIFORM
    150: "gelu",  # GELU
    151: "dynamic_update_slice",  # DYNAMIC_UPDATE_SLICE
    152: "relu_limited",  # RELU_0_TO_1
    156: "atan2",  # ATAN2
    158: "sign",  # SIGN
    160: "bitwise_xor",  # BITWISE_XOR
    206: "control_flow",  # STABLEHLO_COMPOSITE
}

# {custom operator: file below prepare/}: custom operators that TFLM has, and TensorFlow's lists.
CUSTOM = {
    "CIRCULAR_BUFFER": "circular_buffer",
    "Convolution2DTransposeBias": "transpose_conv_bias",
    "FlexTensorListFromTensor": "tensor_list",
    "FlexTensorListGetItem": "tensor_list",
    "FlexTensorListReserve": "tensor_list",
    "FlexTensorListSetItem": "tensor_list",
    "FlexTensorListStack": "tensor_list",
    "SignalDelay": "signal_delay",
    "SignalEnergy": "signal_energy",
    "SignalFftAutoScale": "signal_fft_auto_scale",
    "SignalFilterBank": "signal_filter_bank",
    "SignalFilterBankLog": "signal_filter_bank_log",
    "SignalFilterBankSpectralSubtraction": "signal_filter_bank_spectral_subtraction",
    "SignalFilterBankSquareRoot": "signal_filter_bank_square_root",
    "SignalFramer": "signal_framer",
    "SignalIrfft": "signal_irfft",
    "SignalOverlapAdd": "signal_overlap_add",
    "SignalPCAN": "signal_pcan",
    "SignalRfft": "signal_rfft",
    "SignalStacker": "signal_stacker",
    "SignalWindow": "signal_window",
    "TFLM_DECODE": "decode",
    "TFLite_Detection_PostProcess": "detection_postprocess",
}
