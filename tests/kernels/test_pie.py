# Tests of kernels with weights as vectors (prepare/pie.py) by the portable kernels
# MIT license; Copyright (c) 2026 the tflm authors

from support.check import Cases
from tflm_tools.flat.flatten import prepare

from tests.kernels import test_dsp, test_lanes

TARGET = "pie"
_EVERY = 4  # one of this number of cases of the other test files runs here


# Return the kernels that the flat model of the target calls.
def kernels(model):
    _, storage = prepare(model, target=TARGET)
    return {record.kernel.partition(".")[0] for record in storage.records}


cases = Cases()
_seen = set()
for source in (test_lanes, test_dsp):
    for number, case in enumerate(source.cases):
        if case.error or case.expected or case.name in _seen:
            continue
        if case.name.startswith("test_") and number % _EVERY:
            continue
        if any("pie" in name for name in kernels(case.build())):
            _seen.add(case.name)
            model, oracle = case.build(), case.oracle_model
            cases.add(case.name, model, runs=1, oracle_model=oracle, paths=(TARGET,))

# All numbers of vectors that fit the registers, and some more.
for depth in (16, 32, 48, 64, 80, 96, 112, 128, 144, 272):
    model = test_lanes.random_conv(f"vectors {depth}", (3, 1, 1, depth), (1, 1, 5, depth))
    cases.add(f"vectors: depth {depth}", model, paths=(TARGET,))


# Outputs that are limited only by their type: one multiplication makes them.
for depth in (3, 16, 40, 64, 96, 112, 160, 272):
    name = f"folded, depth {depth}"
    model = test_dsp.random_conv(name, (5, 1, 1, depth), (1, 3, 7, depth), **test_dsp.RELU)
    cases.add(name, model, paths=(TARGET,))
for name, shape, source, options in (
    ("folded, 3x3", (6, 3, 3, 16), (1, 6, 7, 16), {}),
    ("folded, 3x3, 2 vectors", (4, 3, 3, 8), (2, 5, 6, 8), {"stride": 2}),
    ("folded, 3 channels", (8, 3, 3, 3), (1, 9, 9, 3), {"stride": 2}),
    ("folded, windows apart", (4, 2, 2, 4), (1, 9, 9, 4), {"stride": 3}),
):
    model = test_dsp.random_conv(name, shape, source, **options, **test_dsp.RELU)
    cases.add(name, model, paths=(TARGET,))

# 3x3 filters of any number of channels, with rows and columns of padding and both strides.
for channels, size, stride, padding in (
    (16, (5, 6), 1, "SAME"), (8, (6, 5), 2, "SAME"), (32, (4, 4), 1, "VALID"),
    (24, (7, 9), 2, "VALID"), (5, (4, 5), 1, "SAME"), (20, (3, 3), 1, "SAME"),
    (17, (5, 3), 3, "SAME"), (48, (1, 9), 1, "SAME"), (4, (9, 1), 2, "SAME"),
):  # fmt: skip
    name = f"depthwise, {channels} channels of {size[0]}x{size[1]}, stride {stride}, {padding}"
    source = (1, *size, channels)
    model = test_dsp.depthwise(name, source, stride, padding=padding, **test_dsp.RELU)
    cases.add(name, model, paths=(TARGET,))


@cases.parametrize
def test_pie(case):
    case.check()


def test_cases_have_every_kernel():
    found = set().union(*(kernels(case.build()) for case in cases))
    assert {"conv_pie", "fully_connected_pie", "depthwise_conv_pie"} <= found
