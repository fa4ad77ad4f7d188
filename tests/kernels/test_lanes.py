# Tests of kernels with packed weights (target armv6m) by the portable kernels
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from kernels.test_depthwise_conv import depthwise
from kernels.test_fully_connected import dense as fully_connected
from support.check import Cases
from support.inputs import generator
from support.kernel_tests import module_of
from support.runner import REPOSITORY
from support.single_op import Tensor, single_op
from tflm.errors import TflmError
from tflm_tools.flat.flatten import flatten, prepare

TARGET = "armv6m"
BOTH = (TARGET, TARGET + " bytes")
SOURCES = ("test_conv", "test_depthwise_conv", "test_fully_connected", "test_add", "test_sub")


# Return the kernels that the flat model of a target calls.
def kernels(model):
    _, storage = prepare(model, target=TARGET)
    return {record.kernel.partition(".")[0] for record in storage.records}


# Whether a model requires packed weights or tables.
def is_packed(model):
    return any(
        word in name for name in kernels(model) for word in ("lanes", "table", "column", "dense")
    )


# Return the cases of other test files that the target changes, and the cases of this file.
cases = Cases()
for source in SOURCES:
    for number, case in enumerate(module_of(source).cases):
        if not case.error and not case.expected and is_packed(case.build()):
            model, oracle = case.build(), case.oracle_model
            paths = (BOTH[number % 2],)
            cases.add(f"{source} {case.name}", model, runs=1, oracle_model=oracle, paths=paths)


# A CONV_2D with the given weights (filters, height, width, depth) and biases.
def conv(name, weights, bias, source, scale=0.004, padding="SAME", stride=1):
    filters = weights.shape[0]
    x = Tensor(source, "int8", scale=0.05, zero_point=-7)
    scales = np.full(filters, 0.02)
    quantization = {"scale": scales, "zero_point": 0, "quantized_dimension": 0}
    w = Tensor(weights.shape, "int8", weights, **quantization)
    b = Tensor((filters,), "int32", bias, scale=0.05 * scales, zero_point=0)
    sides = [-(-size // stride) for size in source[1:3]]
    y = Tensor((source[0], *sides, filters), "int8", scale=scale, zero_point=-3)
    options = {"stride_h": stride, "stride_w": stride, "padding": padding}
    return single_op("CONV_2D", [x, w, b], [y], **options)


# Random weights and biases for conv().
def random_conv(name, shape, source, low=-127, **options):
    random = generator(name)
    weights = random.integers(low, 127, shape, endpoint=True).astype(np.int8)
    bias = random.integers(-3000, 3000, shape[0])
    return conv(name, weights, bias, source, 0.02 * np.sqrt(np.prod(shape[1:])), **options)


# Blocks of pixels: rows too wide for the scratch buffer, shared columns, one long row.
for name, shape, source, options in (
    ("wide rows", (5, 3, 3, 8), (1, 3, 70, 8), {}),
    ("wide rows of 3 channels", (6, 3, 3, 3), (2, 4, 120, 3), {"stride": 2}),
    ("flat", (9, 1, 1, 12), (2, 9, 31, 12), {}),
    ("flat, odd depth", (4, 1, 1, 5), (1, 9, 61, 5), {}),
    ("flat, one pixel a block", (8, 1, 1, 1900), (1, 1, 3, 1900), {}),
    ("few columns a block", (4, 3, 3, 100), (1, 3, 9, 100), {}),
    ("pixels apart", (8, 1, 1, 16), (1, 7, 9, 16), {"stride": 2}),
    ("windows apart", (4, 2, 2, 4), (1, 9, 9, 4), {"stride": 3}),
    ("windows of two rows apart", (8, 2, 1, 8), (1, 8, 8, 8), {"stride": 2}),
    ("windows of two rows apart, odd channels", (7, 2, 1, 4), (2, 8, 6, 4), {"stride": 2}),
):
    cases.add(name, random_conv(name, shape, source, **options), paths=BOTH)

# Blocks of whole rows, the last one incomplete; some continue in the next image of the batch.
ROWS = tuple(f"{path} rows" for path in BOTH)
for name, shape, source, options in (
    ("rows", (9, 3, 3, 8), (1, 11, 9, 8), {}),
    ("rows of two images", (8, 3, 3, 16), (2, 7, 6, 16), {}),
    ("rows and strides", (5, 3, 3, 12), (2, 13, 10, 12), {"stride": 2}),
    ("rows of 3 channels", (6, 5, 5, 3), (1, 14, 11, 3), {"stride": 2}),
    ("pixels apart in rows", (8, 1, 1, 16), (1, 15, 9, 16), {"stride": 2}),
    ("a column of pixels", (6, 3, 1, 4), (1, 30, 1, 4), {}),
):
    cases.add(name, random_conv(name, shape, source, **options), paths=ROWS)

# All numbers of words after the last whole pass of a kernel's inner loop, and of pixels after the
# last two.
for depth in (4, 8, 12, 16, 20, 36):
    for pixels in (1, 2, 3):
        name = f"depth {depth}, {pixels} pixels"
        model = random_conv(name, (5, 1, 1, depth), (1, 1, pixels, depth))
        cases.add(name, model, paths=(BOTH[pixels % 2],))

# DEPTHWISE_CONV_2D whose window is a line of pixels: all numbers of taps, one window or several
# down or across, gaps between windows and taps, rows as wide as the image.
COLUMNS = [(f"{taps} taps", (1, taps, 1, 5), (taps, 1), {}) for taps in (1, 2, 3, 4, 9)]
COLUMNS += [
    (f"{taps} taps, {pixels} pixels", (1, taps + pixels - 1, 1, 5), (taps, 1), {})
    for taps, pixels in ((1, 2), (2, 3), (3, 4), (4, 2), (5, 3), (6, 6))
]
COLUMNS += [
    ("columns down", (1, 30, 1, 8), (7, 1), {"stride": (2, 2)}),
    ("columns across", (1, 6, 5, 4), (6, 1), {}),
    ("taps apart", (1, 20, 1, 6), (5, 1), {"dilation": (3, 1)}),
    ("a line", (1, 1, 17, 6), (1, 5), {"stride": (3, 3)}),
    ("rows as wide as the image", (1, 9, 5, 4), (4, 5), {}),
    ("columns and no right shift", (1, 8, 1, 3), (4, 1), {"gain": 85.0}),
]
for name, source, window, options in COLUMNS:
    model = depthwise(name, source, 1, window, padding="VALID", **options)
    cases.add(name, model, paths=(TARGET,))

# Weights that are used once: one window that is the whole input, and FULLY_CONNECTED too deep for
# lanes. The last groups are incomplete.
ONCE = {
    "one pixel, 5 channels": random_conv("1 pixel", (5, 1, 1, 4), (1, 1, 1, 4)),
    "one pixel, 3 channels": random_conv("2 pixel", (3, 1, 1, 12), (1, 1, 1, 12)),
    "one pixel, 16 channels": random_conv("3 pixel", (16, 1, 1, 64), (1, 1, 1, 64)),
    "one window": random_conv("window", (7, 3, 3, 8), (1, 3, 3, 8), stride=3),
    "too deep for lanes": fully_connected("deep", (1, 2200), 6, per_channel=True),
    "largest sums": fully_connected("sums", (1, 2204), 5, weights=(-127, -126), gain=0.05),
}
for name, model in ONCE.items():
    cases.add(f"used once: {name}", model, paths=(TARGET,), slices=(1,))

# Multipliers from a half to 1 have no right shift.
for scale in (0.0013, 0.0011):
    name = f"no right shift {scale}"
    weights = generator(name).integers(-3, 3, (6, 1, 1, 8), endpoint=True).astype(np.int8)
    cases.add(name, conv(name, weights, [-5, 0, 7, 60, -60, 1], (1, 2, 3, 8), scale), paths=BOTH)


# Channels without weights may have biases that exceed the accumulators of the packed kernels.
EMPTY = np.zeros((6, 1, 1, 8), np.int8)
EMPTY[1] = 3
LARGE = [1 << 30, 77, -(1 << 30), (1 << 31) - 1, -(1 << 31), 1 << 29]
cases.add("channels without weights", conv("", EMPTY, LARGE, (1, 3, 3, 8), 30.0), paths=BOTH)
cases.add("the same, clamped", conv("", EMPTY, LARGE, (1, 3, 3, 8), 3e4), paths=BOTH)


@cases.parametrize
def test_packed(case):
    case.check()


@pytest.mark.parametrize("name", ONCE)
def test_weights_used_once_take_the_dense_kernel(name):
    assert kernels(ONCE[name]) == {"dense"}


# Layers for depthwise_column, and layers with padding or other kernels.
@pytest.mark.parametrize("name, source, window, options", COLUMNS)
def test_window_of_a_line_takes_the_column_kernel(name, source, window, options):
    model = depthwise(name, source, 1, window, padding="VALID", **options)
    assert kernels(model) == {"depthwise_column"}


@pytest.mark.parametrize(
    "source, window, options",
    [
        ((1, 9, 1, 4), (4, 1), {"padding": "SAME"}),
        ((2, 9, 1, 4), (4, 1), {}),
        ((1, 9, 4, 4), (4, 1), {}),
        ((1, 9, 5, 4), (4, 4), {}),
        ((1, 9, 3, 4), (3, 3), {}),
        ((1, 9, 1, 4), (4, 1), {"multiplier": 2}),
    ],
)
def test_other_windows_take_the_lanes_kernel(source, window, options):
    options = {"padding": "VALID", "multiplier": 1, **options}
    model = depthwise("no column", source, window=window, **options)
    assert kernels(model) == {"depthwise_conv_lanes"}


# Multipliers are in the stream: a record has the same size for all numbers of channels.
@pytest.mark.parametrize("target", ["armv6m", "mac16"])
def test_records_have_no_table(target):
    models = (
        random_conv("many", (9, 3, 3, 4), (1, 4, 4, 4)),
        random_conv("pixels", (9, 1, 1, 8), (1, 4, 4, 8)),
        depthwise("many", (1, 6, 6, 9), 1, (3, 3)),
    )
    for model in models:
        _, storage = prepare(model, target=target)
        (record,) = storage.records
        assert record.kernel.partition(".")[0].endswith(("lanes", "mac16")) and not record.table


# Layers that cannot be packed use the portable kernel.
@pytest.mark.parametrize(
    "model",
    [
        random_conv("-128", (4, 3, 3, 8), (1, 4, 4, 8), low=-128),
        random_conv("too deep", (4, 1, 1, 4100), (1, 1, 2, 4100)),
        conv("", np.ones((2, 1, 1, 4), np.int8), [1 << 30, 0], (1, 2, 2, 4)),
        conv("", np.ones((2, 1, 1, 4), np.int8), [0, 0], (1, 2, 2, 4), 1e-5),
    ],
    ids=["a weight of -128", "more inputs than scratch", "a large bias", "a multiplier above 1"],
)
def test_unpackable_layer_takes_the_portable_kernel(model):
    assert kernels(model) == {"conv"}


# A model without a target is unchanged.
def test_no_packing_without_a_target():
    _, storage = prepare(random_conv("plain", (4, 3, 3, 8), (1, 4, 4, 8)))
    assert [record.kernel for record in storage.records] == ["conv.eval_int8"]


# With little flash, the layers with the least benefit for their flash are not packed.
def test_flash_budget():
    data = (REPOSITORY / "models" / "digits" / "digits_int8.tflite").read_bytes()
    smallest, largest = len(flatten(data)), len(flatten(data, target=TARGET))
    assert smallest < largest
    sizes = [
        len(flatten(data, target=TARGET, flash_budget=budget))
        for budget in (smallest + 128, (smallest + largest) // 2, largest)
    ]
    assert sizes[0] <= smallest + 128 and sizes[1] <= (smallest + largest) // 2
    assert sizes[0] <= sizes[1] < sizes[2] == largest
    with pytest.raises(TflmError, match="does not fit"):
        flatten(data, target=TARGET, flash_budget=1000)
