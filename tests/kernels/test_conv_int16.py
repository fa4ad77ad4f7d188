# Tests of CONV_2D on int16 with weights of int8 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.conv_cases import conv, random_parameters
from support.check import Cases
from support.inputs import generator

cases = Cases()


# Add a case; its name is the list of arguments that differ from the defaults.
def add(error=None, **parameters):
    name = " ".join(f"{key}={value}" for key, value in parameters.items()) or "defaults"
    cases.add(name, lambda: conv(name, **parameters), error=error)


for bias in ("int64", "int32", None):
    add(bias=bias)
    add(bias=bias, per_channel=False)
    add(bias=bias, activation="RELU", gain=8.0)
    add(bias=bias, activation="RELU6", gain=80.0)
    add(bias=bias, activation="RELU_N1_TO_1", gain=80.0)
    add(bias=bias, gain=300.0)
    add(bias=bias, gain=1e-3)
    add(bias=bias, gain=1e-8)
    add(bias=bias, extreme=-128, gain=0.2)
    add(bias=bias, extreme=127, gain=0.2, source=(1, 3, 3, 100))
    add(bias=bias, scales=[0.01, 0.0, 1e-30, 0.5])
    add(bias=bias, zero_points=(7, -300))
    add(bias=bias, zero_points=(7, -300), activation="RELU", gain=8.0)
add(bias=None, bias_type=2)  # int32
add(bias=None, bias_type=4)  # int64
# Sums of int32 that wrap around.
add(bias="int32", extreme=127, source=(1, 4, 4, 70), gain=2.0)
add(bias="int32", bias_range=(-(2**31), 2**31 - 1))
# Sums that require more than 32 bits.
add(bias_range=(-(2**44), 2**44), gain=2e-6)
add(bias_range=(-(2**40), 2**40), gain=1e-3)
# Results that do not fit 32 bits wrap around.
add(bias_range=(-(2**46), 2**46 - 1))
add(bias_range=(-(2**46), 2**46 - 1), gain=300.0)
add(bias="int32", bias_range=(-(2**31), 2**31 - 1), gain=300.0)
# Windows.
for padding in ("SAME", "VALID"):
    add(source=(2, 7, 6, 2), window=(2, 3), stride=(2, 1), padding=padding)
    add(source=(1, 9, 8, 2), window=(3, 2), dilation=(2, 3), padding=padding)
add(source=(1, 2, 2, 3), window=(5, 5))
add(source=(1, 2, 2, 3), window=(2, 2), dilation=(4, 4))
add(source=(1, 2, 2, 600), window=(2, 2), dilation=(4, 4), filters=2)
add(source=(1, 3, 4, 300), window=(2, 1), dilation=(4, 1), filters=3)
add(source=(1, 2, 2, 3), window=(2, 2), stride=(5, 5))
add(source=(2, 3, 3, 5), window=(1, 1), filters=130)
add(source=(1, 3, 3, 130), window=(1, 1), filters=65)
add(source=(1, 4, 4, 6), groups=3, filters=6)
add(source=(1, 4, 4, 4), groups=4, filters=4, per_channel=False)
add(source=(1, 2, 4, 200), extreme=127, gain=0.05)  # more taps than 32 bits hold the sum of
add(source=(1, 1, 200, 1), window=(1, 150), padding="VALID")
add(computed=True)
# Two and four pixels at a time, of 32 and 96 channels and more.
add(source=(1, 3, 6, 5), window=(1, 1), filters=33, bias="int32")
add(source=(2, 3, 7, 5), window=(2, 3), filters=7, stride=(1, 2))
add(source=(1, 4, 4, 6), window=(1, 1), filters=99, per_channel=False)
# Four channels and more at a time, of pairs of pixels.
for bias in ("int64", None):
    add(bias=bias, source=(1, 5, 3, 8), window=(3, 3), filters=8)
    add(bias=bias, source=(1, 5, 5, 4), window=(3, 2), filters=4, stride=(2, 2), gain=1e-8)
add(source=(1, 9, 2, 12), window=(3, 1), dilation=(2, 1), filters=12, per_channel=False)
add(source=(2, 3, 3, 4), window=(1, 1), filters=8, activation="RELU", gain=8.0)
add(source=(3, 1, 1, 4), window=(1, 1), filters=4, zero_points=(7, -300))
add(source=(1, 3, 3, 100), window=(2, 2), filters=4, extreme=127, gain=0.05)
add(source=(1, 3, 3, 4), filters=4, bias_range=(-(2**44), 2**44), gain=2e-6)
add(source=(1, 3, 3, 4), filters=4, bias_range=(-(2**46), 2**46 - 1), gain=300.0)

for number in range(40):
    random = generator(f"conv int16 {number}")
    parameters = random_parameters(random)
    parameters["filters"] = int(random.integers(2, 9))
    parameters["bias"] = [None, "int32", "int64", "int64"][int(random.integers(4))]
    name = f"random {number} {parameters}"
    cases.add(name, lambda n=name, p=parameters: conv(n, **p), runs=1, inputs="random")

# Invalid models, and features that TFLM lacks.
add(bias="int8", bias_range=(0, 1), error="must be int32 or int64")
add(output=(1, 5, 5, 4), error="should be")
add(bias_range=(2**46, 2**46), error="a value of")
add(bias_range=(-(2**46) - 1, -(2**46) - 1), error="a value of")
add(gain=1e9, error="a scale far below")
add(scales=[-0.1, 0.1, 0.1, 0.1], error="negative")


@cases.parametrize
def test_conv_int16(case):
    case.check()


# TFLM has no tensors without elements.
others = Cases()
EMPTY = np.zeros((0,), np.int16)
others.add("no batches", conv("", (0, 3, 3, 2)), inputs=[[EMPTY]], expected=[[EMPTY]])
others.add(
    "no pixels",
    conv("", (1, 2, 2, 2), padding="VALID", output=(1, 0, 0, 4)),
    inputs=[[np.ones((1, 2, 2, 2))]],
    expected=[[EMPTY]],
)


@others.parametrize
def test_empty(case):
    case.check()
