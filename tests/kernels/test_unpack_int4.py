# Tests of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED with weights of int4 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from kernels.conv_cases import conv, random_parameters
from kernels.dense_cases import dense
from support.check import Cases
from support.inputs import generator

cases = Cases()


# Add a convolution; its name is the list of arguments that differ from the defaults.
def add(error=None, **parameters):
    name = " ".join(f"{key}={value}" for key, value in parameters.items()) or "conv"
    parameters = {"dtype": "int8", "weights": "int4", "bias": "int32", **parameters}
    parameters.setdefault("zero_points", (-11, 3))
    cases.add(name, lambda: conv(name, **parameters), error=error)


# Add a FULLY_CONNECTED.
def add_dense(error=None, **parameters):
    name = " ".join(["dense"] + [f"{key}={value}" for key, value in parameters.items()])
    parameters = {"dtype": "int8", "weights": ("int4", -8, 7), "bias": "int32", **parameters}
    parameters.setdefault("zero_points", (-11, 0, 3))
    cases.add(name, lambda: dense(name, **parameters), error=error)


for extreme in (None, -8, 7):
    add(extreme=extreme)
    add(extreme=extreme, multiplier=2)
add(per_channel=False, bias=None)
# Odd numbers of weights.
add(source=(1, 4, 4, 3), window=(1, 3), filters=5)
add(source=(1, 4, 4, 5), window=(3, 3), multiplier=1)
add(source=(1, 3, 3, 1), window=(1, 1), filters=1, per_channel=False)
add(source=(2, 4, 4, 4), groups=2, filters=6)
add_dense()
add_dense(bias=None)
add_dense(source=(1, 7), channels=3)
add_dense(source=(1, 1), channels=1)
add_dense(source=(2, 130), channels=67)
add_dense(source=(2, 3, 5), channels=3, activation="RELU6", gain=8.0)

for number in range(20):
    random = generator(f"int4 {number}")
    parameters = random_parameters(random)
    if random.random() < 0.5:
        parameters["multiplier"] = int(random.choice([1, 2, 3]))
    parameters["zero_points"] = tuple(int(n) for n in random.integers(-128, 127, 2))
    add(**parameters)

add(scales=[-0.1, 0.1, 0.1, 0.1], error="negative")
add_dense(bias="int64", error="must be int32")


@cases.parametrize
def test_unpack_int4(case):
    case.check()
