# Models of FULLY_CONNECTED for tests: int16 or int8 activations, weights of int8 or int4
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.inputs import generator
from support.single_op import Tensor, single_op


# A FULLY_CONNECTED with random weights.
def dense(
    name,
    source=(2, 10),
    channels=5,
    activation="NONE",
    bias="int64",
    bias_range=(-30000, 30000),
    bias_type=None,
    bias_scale=1.0,
    per_channel=False,
    gain=1.0,
    zero_points=(0, 0, 0),
    dtype="int16",
    weights=("int8", -127, 127),
    rows=None,
    output=None,
    computed=False,
    scale=None,
):
    random = generator(name)
    depth = source[-1]
    rows = rows or channels
    kind, *limits = weights
    scales = 2.0 ** random.uniform(-1, 1, rows if per_channel else 1) * 0.02
    scales = scales if scale is None else scale
    quantum = 0.05 if dtype == "int8" else 0.0005
    values = None if computed else random.integers(*limits, (rows, depth), endpoint=True)
    tensors = [
        Tensor(source, dtype, scale=quantum, zero_point=zero_points[0]),
        Tensor((rows, depth), kind, values, scale=scales, zero_point=zero_points[1]),
    ]
    if bias is not None:
        numbers = random.integers(*bias_range, rows, endpoint=True)
        bias_scale = quantum * np.asarray(scales) * bias_scale
        tensors.append(Tensor((rows,), bias, numbers, scale=bias_scale, zero_point=0))
    output = output or (*source[:-1], channels)
    spread = quantum * 0.02 * np.sqrt(max(1, depth)) * max(map(abs, limits))
    y = Tensor(output, dtype, scale=spread / gain, zero_point=zero_points[2])
    options = {} if bias_type is None else {"quantized_bias_type": bias_type}
    return single_op(
        "FULLY_CONNECTED",
        tensors,
        [y],
        fused_activation_function=activation,
        keep_num_dims=len(source) > 2,
        **options,
    )
