# Tests of convolutions that Prepare splits for packed kernels, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.conv_cases import conv as conv_int16
from kernels.test_conv import conv as conv_int8
from kernels.test_conv_float import conv as conv_float
from kernels.test_depthwise_conv import depthwise
from kernels.test_depthwise_conv_float import depthwise as depthwise_float
from kernels.test_transpose_conv import transpose_conv
from support.check import Cases
from support.inputs import generator
from tflm.tflite.reader import TfliteModel
from tflm_tools.image.prepare import prepare_graph

TARGETS = "armv6m", "armv7em", "mac16", "pie"
COPY = "strided_copy.eval"

cases = Cases()


# Add a case for one of the targets, or for all of them.
def add(name, model, number=None):
    paths = TARGETS if number is None else (TARGETS[number % len(TARGETS)],)
    cases.add(name, model, runs=2, paths=paths)


# Parameters of a CONV_2D with groups, horizontal dilation, or both.
def convolution(number):
    random = generator(f"split convolution {number}")
    groups, dilation = [(1, 2), (2, 1), (3, 1), (2, 3), (4, 2), (1, 5)][number % 6]
    return {
        "source": (int(random.integers(1, 3)), *(int(n) for n in random.integers(5, 9, 2)),
                   groups * int(random.integers(1, 6))),
        "filters": groups * int(random.integers(1, 6)),
        "window": tuple(int(n) for n in random.integers(1, 4, 2)),
        "dilation": (int(random.integers(1, 3)), dilation),
        "stride": (int(random.integers(1, 3)), 1 if dilation > 1 else int(random.integers(1, 3))),
        "padding": str(random.choice(["SAME", "VALID"])),
        "groups": groups,
    }  # fmt: skip


# Return a CONV_2D with random weights of a type.
def model_of(dtype, name, parameters):
    if dtype == "int8":
        return conv_int8(name, **parameters)
    if dtype == "int16":
        return conv_int16(name, **parameters)
    own = dict(parameters)
    return conv_float(own.pop("source"), own.pop("filters"), own.pop("window"), **own)


for number in range(24):
    for dtype in ("int8", "int16", "float32"):
        parameters = convolution(number)
        reach = (parameters["window"][1] - 1) * parameters["dilation"][1]
        if parameters["padding"] == "VALID" and reach >= parameters["source"][2]:
            continue
        name = f"{dtype} {number}"
        add(name, lambda d=dtype, n=name, p=parameters: model_of(d, n, p), number)

for number in range(12):
    random = generator(f"phases {number}")
    parameters = {
        "source": (int(random.integers(1, 3)), *(int(n) for n in random.integers(2, 6, 3))),
        "filters": int(random.integers(1, 6)),
        "window": tuple(int(n) for n in random.integers(2, 6, 2)),
        "stride": tuple(int(n) for n in random.integers(1, 4, 2)),
        "padding": str(random.choice(["SAME", "VALID"])),
        "activation": str(random.choice(["NONE", "RELU"])),
    }
    for dtype in ("int8", "int16", "float32"):
        given = {"zero_points": (-11, 3)} if dtype == "int8" else {}
        name = f"transposed {dtype} {number}"
        add(
            name,
            lambda d=dtype, n=name, p={**given, **parameters}: transpose_conv(n, d, **p),
            number,
        )

# A DEPTHWISE_CONV_2D of one channel is a CONV_2D; on an FPU one with a multiplier is several.
for multiplier, window, stride, padding in (
    (4, (3, 3), (1, 1), "SAME"), (5, (4, 2), (2, 1), "VALID"), (3, (1, 1), (2, 2), "SAME"),
    (8, (3, 5), (2, 2), "SAME"),
):  # fmt: skip
    options = {"stride": stride, "padding": padding}
    name = f"one channel {multiplier} {window} {stride} {padding}"
    add(name, depthwise(name, (2, 7, 6, 1), multiplier, window, **options))
    for depth in (4, 6):
        name = f"multiplier {multiplier} {window} {stride} {padding} {depth}"
        add(name, depthwise_float((2, 7, 6, depth), window, multiplier, **options), 1)

# With the DSP extension groups of int8 are merged to whole words; int16 has no copies.
add("merged to one", conv_int8("merged", (1, 5, 4, 4), 6, (3, 2), groups=2))
add("merged to two", conv_int8("merged 2", (2, 4, 5, 8), 8, groups=4))
add("multiplier of int16", conv_int16("multiplier", source=(1, 6, 5, 3), multiplier=2))

# Infinite inputs meet only the weights that TFLM multiplies them with.
SOURCE = np.zeros((1, 3, 3, 2), np.float32)
SOURCE[0, 1, 1] = np.inf
cases.add(
    "infinite",
    transpose_conv("infinite", "float32", SOURCE.shape, 2, (3, 3), (2, 2)),
    inputs=[[SOURCE]],
    paths=("flat", "tflite"),
)


@cases.parametrize
def test_split_conv(case):
    case.check()


# Return the kernels of a model with one operator.
def kernels_of(model, target):
    return [r.kernel for r in prepare_graph(TfliteModel(model), target=target).records]


def test_groups_and_dilation_run_packed_kernels():
    grouped = conv_int8("grouped", (1, 6, 6, 8), 8, groups=2)
    dilated = conv_int8("dilated", (1, 6, 6, 4), 8, dilation=(1, 2))
    for target, kernel in (("armv6m", "conv_lanes"), ("armv7em", "conv_dsp")):
        for model in (grouped, dilated):
            kernels = kernels_of(model, target)
            assert kernels == [COPY, kernel + ".eval_int8", COPY] * 2


def test_dsp_kernels_of_groups_have_few_copies():
    merged = conv_int8("merged", (1, 6, 6, 4), 4, groups=2)
    assert kernels_of(merged, "armv7em") == ["conv_dsp.eval_int8"]
    for model in (
        conv_int16("grouped", source=(1, 6, 6, 4), filters=4, groups=2),
        conv_int16("dilated", source=(1, 6, 6, 3), filters=5, dilation=(1, 2)),
        conv_int16("multiplier", source=(1, 6, 6, 2), multiplier=3),
    ):
        assert kernels_of(model, "armv7em") == ["conv_int16_dsp.eval_int16"]


def test_transposed_convolution_runs_a_convolution_for_each_phase():
    model = transpose_conv("phases", "float32", (1, 4, 4, 4), 4, (3, 3), (2, 2))
    assert kernels_of(model, None) == ["conv_float.eval_float32", COPY] * 4


def test_weights_that_cannot_be_packed_keep_one_kernel():
    model = conv_int8("unpackable", (1, 6, 6, 8), 8, groups=2, weights=(-128, -128))
    assert kernels_of(model, "armv6m") == ["conv.eval_int8"]


# Lanes of a narrow filter are half empty.
def test_depthwise_convolution_of_one_channel_runs_a_packed_convolution():
    narrow = depthwise("narrow", (1, 6, 6, 1), 8)
    wide = depthwise("wide", (1, 6, 6, 1), 8, (3, 4))
    assert kernels_of(wide, "armv6m") == ["conv_lanes.eval_int8"]
    assert kernels_of(narrow, "armv6m") == ["depthwise_conv_lanes.eval_3x3_int8"]
    assert kernels_of(narrow, "armv7em") == ["depthwise_conv_dsp.eval_planes_3x3_int8"]


def test_multiplier_runs_a_depthwise_convolution_for_each_output_of_a_channel():
    model = depthwise_float((1, 6, 6, 4), (3, 3), 2)
    kernel = "depthwise_conv_float.eval_float32"
    assert kernels_of(model, "armv7em") == [kernel, COPY] * 2
    assert kernels_of(model, "armv6m") == [kernel]
