# Tests of FULLY_CONNECTED on int16 with weights of int8 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.dense_cases import dense
from support.check import Cases
from support.inputs import generator

cases = Cases()


# Add a case; its name is the list of arguments that differ from the defaults.
def add(error=None, **parameters):
    name = " ".join(f"{key}={value}" for key, value in parameters.items()) or "defaults"
    cases.add(name, lambda: dense(name, **parameters), error=error)


for bias in ("int64", "int32", None):
    add(bias=bias)
    add(bias=bias, per_channel=True)
    add(bias=bias, activation="RELU", gain=8.0)
    add(bias=bias, activation="RELU6", gain=80.0, per_channel=True)
    add(bias=bias, activation="RELU_N1_TO_1", gain=80.0)
    add(bias=bias, gain=300.0)
    add(bias=bias, gain=1e-3)
    add(bias=bias, gain=1e-8)
    add(bias=bias, weights=("int8", -128, -128), gain=0.2)
    add(bias=bias, source=(1, 1000), weights=("int8", 127, 127), gain=0.1, channels=2)
    add(bias=bias, zero_points=(7, 0, -300))
    add(bias=bias, zero_points=(-32768, -128, 32767), gain=0.2)
    add(bias=bias, zero_points=(32767, 127, -32768), gain=0.2)
    add(bias=bias, zero_points=(5, 9, -3), per_channel=True)
    add(bias=bias, source=(3, 65), channels=130, per_channel=True)
add(bias=None, bias_type=2)  # int32
add(bias_range=(-(2**44), 2**44), gain=2e-6, per_channel=True)
add(bias_range=(-(2**40), 2**40), gain=1e-3, per_channel=True)
add(bias="int32", bias_range=(-(2**31), 2**31 - 1), gain=1e-3)
add(scale=[0.1, 0.0, 1e-30, 0.02, 0.3], per_channel=True)
add(source=(2, 3, 6), channels=4)
add(source=(6,), output=(4,), channels=4)
add(rows=7, per_channel=True)
add(computed=True)

for number in range(30):
    random = generator(f"dense int16 {number}")
    parameters = {
        "source": (int(random.integers(1, 4)), int(random.integers(1, 100))),
        "channels": int(random.integers(2, 80)),
        "activation": str(random.choice(["NONE", "RELU", "RELU6", "RELU_N1_TO_1"])),
        "bias": [None, "int32", "int64", "int64"][int(random.integers(4))],
        "per_channel": bool(random.random() < 0.5),
        "gain": float(2 ** random.uniform(-4, 3)),
    }
    name = f"random {number} {parameters}"
    cases.add(name, lambda n=name, p=parameters: dense(n, **p), runs=1, inputs="random")

# Invalid models, and features that TFLM lacks.
add(bias="int16", error="must be int32 or int64")
add(output=(2, 6), error="fit")
add(bias_scale=1e5, error="the input's scale times")
add(scale=-1.0, error="scale")
add(gain=1e9, bias=None, error="a scale far below")


@cases.parametrize
def test_fully_connected_int16(case):
    case.check()


# TFLM has no tensors without elements.
others = Cases()
EMPTY = np.zeros((0,), np.int16)
others.add("no batches", dense("", source=(0, 3)), inputs=[[EMPTY]], expected=[[EMPTY]])
others.add(
    "no depth",
    dense("", source=(2, 0), channels=3, bias_range=(0, 0), output=(2, 3)),
    inputs=[[EMPTY]],
    expected=[[np.zeros((2, 3))]],
)


@others.parametrize
def test_empty(case):
    case.check()
