# Tests of DEPTHWISE_CONV_2D on float32 against TFLM: exact
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


# A model of one DEPTHWISE_CONV_2D; weights and bias are constants unless they are "input".
def depthwise(
    shape,
    window,
    multiplier=1,
    stride=(1, 1),
    dilation=(1, 1),
    padding="SAME",
    activation="NONE",
    bias="random",
    weights="random",
    large=1.0,
):
    random = generator(f"{shape} {multiplier} {window} {stride}")
    channels = shape[3] * multiplier
    target = [outputs(*p, padding) for p in zip(shape[1:3], window, stride, dilation, strict=True)]
    values = random.normal(0, large, (1, *window, channels)) if weights == "random" else None
    inputs = [Tensor(shape, "float32"), Tensor((1, *window, channels), "float32", values)]
    if bias is not None:
        values = random.normal(0, large, channels) if bias == "random" else None
        inputs.append(Tensor((channels,), "float32", values))
    return single_op(
        "DEPTHWISE_CONV_2D",
        inputs,
        [Tensor((shape[0], *target, channels), "float32")],
        padding=padding,
        stride_h=stride[0],
        stride_w=stride[1],
        dilation_h_factor=dilation[0],
        dilation_w_factor=dilation[1],
        depth_multiplier=multiplier,
        fused_activation_function=activation,
    )


cases.add("3x3", depthwise((1, 5, 6, 3), (3, 3)))
cases.add("one channel", depthwise((1, 5, 4, 1), (3, 3)))
cases.add("batches", depthwise((3, 3, 4, 2), (2, 3), 1, (2, 1)))
cases.add("no bias", depthwise((1, 4, 4, 2), (3, 3), bias=None))
cases.add("weights are an input", depthwise((1, 4, 4, 2), (3, 3), 2, bias=None, weights="input"))
cases.add("bias is an input", depthwise((1, 4, 4, 2), (2, 2), bias="input"))
cases.add("many outputs of one channel", depthwise((1, 4, 4, 1), (3, 3), 40))
cases.add("multiplier as large as the depth", depthwise((1, 3, 3, 3), (2, 2), 3))
cases.add("multiplier one larger", depthwise((1, 3, 3, 3), (2, 2), 4))
cases.add("multiplier beyond the steps", depthwise((1, 1, 1, 2), (1, 1), 1025), slices=(1,))
cases.add("depth beyond the steps", depthwise((1, 1, 1, 1030), (1, 1), 2), slices=(1,))
cases.add("window larger than the image", depthwise((1, 2, 3, 2), (7, 9), 2))
cases.add("window as large as the image", depthwise((1, 4, 3, 2), (4, 3), padding="VALID"))
cases.add("dilation beyond the image", depthwise((1, 4, 4, 2), (3, 3), dilation=(5, 3)))
cases.add("overflow", depthwise((1, 3, 3, 2), (3, 3), 2, large=1e38))
cases.add("overflow, RELU6", depthwise((1, 3, 3, 2), (3, 3), large=1e38, activation="RELU6"))
cases.add("subnormals", depthwise((1, 3, 3, 2), (3, 3), large=1e-40, bias=None))

for number in range(40):
    name = f"random {number}"
    random = generator("depthwise " + name)
    shape = [int(i) for i in random.integers(1, (3, 9, 9, 7))]
    window = [int(i) for i in random.integers(1, 5, 2)]
    padding = "SAME" if random.random() < 0.6 else "VALID"
    dilation = [int(i) for i in random.choice([1, 1, 2, 3], 2)]
    if padding == "VALID":
        window = [min(w, s) for w, s in zip(window, shape[1:3], strict=True)]
        dilation = [
            d if (w - 1) * d < s else 1
            for w, d, s in zip(window, dilation, shape[1:3], strict=True)
        ]
    model = depthwise(
        tuple(shape),
        window,
        int(random.choice([1, 1, 2, 3, 8])),
        [int(i) for i in random.integers(1, 4, 2)],
        dilation,
        padding,
        ACTIVATIONS[number % 4],
        bias="random" if random.random() < 0.8 else None,
    )
    cases.add(name, model, "random", runs=1, slices=(1 + number % 3,))


# A constant input is stored in the model.
def constant():
    model = ModelBuilder("constant")
    x = model.tensor((1, 3, 3, 2), "float32", np.linspace(-3, 8, 18))
    weights = model.tensor((1, 2, 2, 4), "float32")
    y = model.tensor((1, 3, 3, 4), "float32")
    options = {"padding": "SAME", "stride_h": 1, "stride_w": 1, "depth_multiplier": 2}
    model.operator("DEPTHWISE_CONV_2D", [x, weights], [y], **options)
    model.io([weights], [y])
    return model.build()


cases.add("input is a constant", constant())


@cases.parametrize
def test_depthwise_conv_float(case):
    case.check()
