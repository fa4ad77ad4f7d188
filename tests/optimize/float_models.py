# Test support: int8 and int16 models with float32 inputs and outputs, and numbers for their inputs
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from optimize.network import Network
from support.inputs import generator

SCALE, ZERO_POINT = 0.037, -5  # of the quantized input


# Return a model with a convolution between QUANTIZE and DEQUANTIZE.
# more(net, x, q, y): adds operators and returns further outputs.
def model(name, dtype="int8", more=None, inputs=1, scale=SCALE):
    zero_point = ZERO_POINT if dtype == "int8" else 0
    net = Network(name, (6, 8, 4), dtype=dtype)
    net.inputs = []
    divisor = 128 if dtype == "int16" else 1  # Network divides scales of int16 by this number
    quantized = []
    for i in range(inputs):
        shape = (1, 6, 8, 4)
        x = net.builder.tensor(shape, "float32", name=f"x{i}")
        q = net.tensor(shape, scale * divisor, zero_point)
        net.builder.operator("QUANTIZE", [x], [q])
        net.inputs.append(x)
        quantized.append(q)
    if dtype == "int8":
        y = net.conv(
            quantized[0] if inputs == 1 else net.binary("ADD", *quantized), 3, 3, zero_point=-20
        )
    else:
        y = net.unary("TANH", quantized[0], divisor / 32768, 0)
    out = net.builder.tensor(net.shapes[y], "float32", name="out")
    net.builder.operator("DEQUANTIZE", [y], [out])
    others = more(net, net.inputs[0], quantized[0], y) if more else []
    return net.build(out, *others)


# Return numbers of all magnitudes, halves between integers, and values that no integer represents.
def values(shape, scale=SCALE):
    random = generator("values")
    x = (random.standard_normal(shape) * 3).astype(np.float32).reshape(-1)
    x[:8] = [0.0, -0.0, 1e30, -1e30, np.inf, -np.inf, np.nan, 1e-40]
    x[8:72] = ((np.arange(64) - 32 + 0.5) * np.float32(scale)).astype(np.float32)
    x[72:104] = np.nextafter(x[8:40], np.float32(9))
    return x.reshape(shape)
