# Test support: int8 and int16 models whose inputs and outputs are float32, and numbers for them
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from optimize.network import Network
from support.inputs import generator

SCALE, ZERO_POINT = 0.037, -5  # of the input


# A convolution between float32 ends. more(net, x, q, y) adds to it and returns further outputs.
def model(name, dtype="int8", more=None, inputs=1, scale=SCALE):
    zero_point = ZERO_POINT if dtype == "int8" else 0
    net = Network(name, (6, 8, 4), dtype=dtype)
    net.inputs = []
    fine = 128 if dtype == "int16" else 1  # by so much Network divides scales of int16
    made = []
    for i in range(inputs):
        shape = (1, 6, 8, 4)
        x = net.builder.tensor(shape, "float32", name=f"x{i}")
        q = net.tensor(shape, scale * fine, zero_point)
        net.builder.operator("QUANTIZE", [x], [q])
        net.inputs.append(x)
        made.append(q)
    if dtype == "int8":
        y = net.conv(made[0] if inputs == 1 else net.binary("ADD", *made), 3, 3, zero_point=-20)
    else:
        y = net.unary("TANH", made[0], fine / 32768, 0)
    out = net.builder.tensor(net.shapes[y], "float32", name="out")
    net.builder.operator("DEQUANTIZE", [y], [out])
    others = more(net, net.inputs[0], made[0], y) if more else []
    return net.build(out, *others)


# Numbers of all sizes, halves between two integers, and what no integer is.
def values(shape, scale=SCALE):
    random = generator("values")
    x = (random.standard_normal(shape) * 3).astype(np.float32).reshape(-1)
    x[:8] = [0.0, -0.0, 1e30, -1e30, np.inf, -np.inf, np.nan, 1e-40]
    x[8:72] = ((np.arange(64) - 32 + 0.5) * np.float32(scale)).astype(np.float32)
    x[72:104] = np.nextafter(x[8:40], np.float32(9))
    return x.reshape(shape)
