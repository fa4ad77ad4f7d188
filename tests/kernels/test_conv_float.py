# Tests of CONV_2D on float32 against TFLM: exact
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

ACTIVATIONS = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6")


# Height or width of the output.
def outputs(size, window, stride, dilation, padding):
    reach = (window - 1) * dilation + 1
    if padding == "SAME":
        return -(-size // stride)
    return max(0, (size + stride - reach) // stride)


# A model of one CONV_2D; weights and bias are constants, or inputs if they are None.
def conv(
    shape,
    filters,
    window,
    stride=(1, 1),
    dilation=(1, 1),
    padding="SAME",
    activation="NONE",
    groups=1,
    bias="random",
    weights="random",
    large=1.0,
):
    random = generator(f"{shape} {filters} {window} {stride} {groups}")
    weights_shape = (filters, *window, shape[3] // groups)
    target = [outputs(*p, padding) for p in zip(shape[1:3], window, stride, dilation, strict=True)]
    values = random.normal(0, large, weights_shape) if weights == "random" else None
    inputs = [Tensor(shape, "float32"), Tensor(weights_shape, "float32", values), None]
    if bias is not None:
        values = random.normal(0, large, filters) if bias == "random" else None
        inputs[2] = Tensor((filters,), "float32", values)
    return single_op(
        "CONV_2D",
        inputs,
        [Tensor((shape[0], *target, filters), "float32")],
        padding=padding,
        stride_h=stride[0],
        stride_w=stride[1],
        dilation_h_factor=dilation[0],
        dilation_w_factor=dilation[1],
        fused_activation_function=activation,
    )


cases.add("1x1", conv((1, 3, 4, 5), 6, (1, 1)))
cases.add("3x3", conv((1, 5, 6, 3), 4, (3, 3)))
cases.add("batches", conv((3, 3, 4, 2), 3, (2, 3), (2, 1)))
cases.add("no bias", conv((1, 4, 4, 2), 3, (3, 3), bias=None))
cases.add("weights and bias are inputs", conv((1, 4, 4, 2), 3, (3, 3), bias=None, weights=None))
cases.add("bias is an input", conv((1, 4, 4, 2), 3, (2, 2), bias="input"))
cases.add("groups", conv((1, 4, 5, 6), 9, (3, 2), groups=3))
cases.add("groups of one channel", conv((2, 3, 3, 4), 8, (2, 2), groups=4))
cases.add("window larger than the image", conv((1, 2, 3, 2), 3, (7, 9)))
cases.add("window as large as the image", conv((1, 4, 3, 2), 5, (4, 3), padding="VALID"))
cases.add("stride larger than the window", conv((1, 9, 8, 2), 2, (2, 2), (4, 3), padding="VALID"))
cases.add("dilation beyond the image", conv((1, 4, 4, 2), 2, (3, 3), dilation=(5, 3)))
cases.add("many channels", conv((1, 2, 2, 130), 67, (1, 1)), slices=(5,))
cases.add("overflow", conv((1, 3, 3, 2), 3, (3, 3), large=1e38), slices=(4,))
cases.add("overflow, RELU6", conv((1, 3, 3, 2), 3, (3, 3), large=1e38, activation="RELU6"))
cases.add("subnormals", conv((1, 3, 3, 2), 3, (3, 3), large=1e-40, bias=None))

for number in range(40):
    name = f"random {number}"
    random = generator("conv " + name)
    groups = int(random.choice([1, 1, 1, 2, 3]))
    channels = groups * int(random.integers(1, 6))
    shape = (int(random.integers(1, 3)), *(int(i) for i in random.integers(1, 9, 2)), channels)
    window = [int(i) for i in random.integers(1, 5, 2)]
    padding = "SAME" if random.random() < 0.6 else "VALID"
    dilation = [int(i) for i in random.choice([1, 1, 2, 3], 2)]
    if padding == "VALID":
        window = [min(w, s) for w, s in zip(window, shape[1:3], strict=True)]
        dilation = [
            d if (w - 1) * d < s else 1
            for w, d, s in zip(window, dilation, shape[1:3], strict=True)
        ]
    model = conv(
        shape,
        groups * int(random.integers(1, 5)),
        window,
        [int(i) for i in random.integers(1, 4, 2)],
        dilation,
        padding,
        ACTIVATIONS[number % 4],
        groups,
        bias="random" if random.random() < 0.8 else None,
    )
    cases.add(name, model, "random", runs=1, slices=(1 + number % 5,))


# A constant input is stored in the model.
def constant():
    model = ModelBuilder("constant")
    x = model.tensor((1, 3, 3, 2), "float32", np.linspace(-3, 8, 18))
    weights = model.tensor((4, 2, 2, 2), "float32")
    y = model.tensor((1, 3, 3, 4), "float32")
    model.operator("CONV_2D", [x, weights], [y], padding="SAME", stride_h=1, stride_w=1)
    model.io([weights], [y])
    return model.build()


cases.add("input is a constant", constant())


# Combinations of types that TFLM refuses.
def mixed(weights, bias, target):
    return single_op(
        "CONV_2D",
        [
            Tensor((1, 2, 2, 1), "float32"),
            Tensor((1, 1, 1, 1), weights, scale=1.0),
            Tensor((1,), bias, scale=1.0),
        ],
        [Tensor((1, 2, 2, 1), target, scale=1.0)],
        padding="SAME",
        stride_h=1,
        stride_w=1,
    )


cases.add("int16 weights", mixed("int16", "float32", "float32"), error="float32")
cases.add("int32 bias", mixed("float32", "int32", "float32"), error="float32")
cases.add("int8 output", mixed("float32", "float32", "int8"), error="float32")


@cases.parametrize
def test_conv_float(case):
    case.check()
