# Tests of DEPTHWISE_CONV_2D on int16 with weights of int8 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.conv_cases import conv, random_parameters
from support.check import Cases
from support.inputs import generator

cases = Cases()


# Add a case; its name is the list of arguments that differ from the defaults.
def add(error=None, **parameters):
    name = " ".join(f"{key}={value}" for key, value in parameters.items()) or "defaults"
    parameters = {"multiplier": 1, **parameters}
    cases.add(name, lambda: conv(name, **parameters), error=error)


add()
add(bias=None)
add(per_channel=False)
add(multiplier=3)
for activation in ("RELU", "RELU6", "RELU_N1_TO_1"):
    add(activation=activation, gain=80.0)
add(gain=300.0)
add(gain=1e-3)
add(gain=1e-8)
add(extreme=-128, gain=0.2)
add(scales=[0.01, 0.0, 0.5])
add(zero_points=(7, -300))
add(bias_range=(-(2**44), 2**44), gain=2e-6)
for padding in ("SAME", "VALID"):
    add(source=(2, 7, 6, 2), window=(2, 3), stride=(2, 1), padding=padding, multiplier=2)
    add(source=(1, 9, 8, 2), window=(3, 2), dilation=(2, 3), padding=padding)
add(source=(1, 2, 2, 3), window=(5, 5))
add(source=(1, 2, 2, 3), window=(2, 2), dilation=(4, 4))
add(source=(1, 2, 2, 3), window=(2, 2), stride=(5, 5))
add(source=(2, 3, 4, 11), window=(2, 3))
add(source=(1, 2, 3, 70), multiplier=3, window=(2, 2))
add(source=(1, 1, 3, 1), multiplier=130, window=(1, 2))
add(source=(1, 2, 300, 1), window=(2, 290), padding="VALID", extreme=-128, gain=0.1)
add(source=(1, 2, 300, 5), window=(2, 290), padding="VALID", extreme=-128, gain=0.1)
add(source=(1, 1, 600, 2), window=(1, 600), padding="VALID", extreme=-128, gain=0.1)
add(computed=True)

for number in range(40):
    random = generator(f"depthwise int16 {number}")
    parameters = random_parameters(random)
    parameters["multiplier"] = int(random.choice([1, 1, 2, 5]))
    if random.random() < 0.2:
        parameters["bias"] = None
    name = f"random {number} {parameters}"
    cases.add(name, lambda n=name, p=parameters: conv(n, **p), runs=1, inputs="random")

# Invalid models, and features that TFLM lacks.
add(weights="int4", error="must be int8")
add(bias="int32", error="must be int64")
add(output=(1, 5, 5, 3), error="should be")


@cases.parametrize
def test_depthwise_conv_int16(case):
    case.check()


# TFLM has no tensors without elements.
others = Cases()
EMPTY = np.zeros((0,), np.int16)
others.add(
    "no batches", conv("", (0, 3, 3, 2), multiplier=2), inputs=[[EMPTY]], expected=[[EMPTY]]
)
others.add(
    "no pixels",
    conv("", (1, 2, 2, 2), padding="VALID", output=(1, 0, 0, 4), multiplier=2),
    inputs=[[np.ones((1, 2, 2, 2))]],
    expected=[[EMPTY]],
)


@others.parametrize
def test_empty(case):
    case.check()
