# Tests of RESIZE_NEAREST_NEIGHBOR against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor
from support.single_op import Tensor, single_op
from tflm.prepare.resize_nearest_neighbor import nearest_indices

WHEEL = ("int8", "int16", "float32")
MODES = [(False, False), (True, False), (False, True), (True, True)]
cases = Cases()


# The source index of each index, computed in float32 as the reference does.
def indices(size, out_size, align_corners, half_pixel_centers):
    one = align_corners and out_size > 1
    scale = np.float32(size - one) / np.float32(out_size - one)
    offset = np.float32(0.5 if half_pixel_centers else 0)
    position = (np.arange(out_size, dtype=np.float32) + offset) * scale
    whole = np.floor(position)
    if align_corners:  # halves away from zero; the difference is exact
        whole += position - whole >= np.float32(0.5)
    return np.minimum(whole.astype(int), size - 1)


# Resize a shape to (height, width).
def add(name, shape, size, dtype, align_corners=False, half_pixel_centers=False):
    def move(x):
        rows = indices(shape[1], size[0], align_corners, half_pixel_centers)
        columns = indices(shape[2], size[1], align_corners, half_pixel_centers)
        return x[:, rows][:, :, columns]

    add_move(
        cases,
        name,
        "RESIZE_NEAREST_NEIGHBOR",
        [tensor(shape, dtype)],
        dtype,
        move,
        wheel=dtype in WHEEL,
        constants=[Tensor((2,), "int32", size)],
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
    )


for dtype in DTYPES:
    add(f"{dtype} twice", (2, 3, 3, 3), (6, 6), dtype)
    add(f"{dtype} one channel", (1, 3, 4, 1), (5, 7), dtype)
    add(f"{dtype} 8 channels", (1, 3, 4, 8), (4, 3), dtype)
random = generator("resize nearest neighbor")
for number in range(32):
    mode = MODES[number % 4]
    height, width, out_height, out_width = (int(n) for n in random.integers(1, 13, 4))
    shape = (int(random.integers(1, 3)), height, width, int(random.integers(1, 6)))
    name = f"sweep {number} {shape} to {out_height} {out_width} {mode}"
    add(name, shape, (out_height, out_width), WHEEL[number % 3], *mode)
for mode in MODES:
    add(f"tall {mode}", (1, 37, 1, 1), (211, 1), "int8", *mode)
    add(f"wide {mode}", (1, 1, 173, 1), (1, 61), "int8", *mode)
add("20 channels", (1, 2, 2, 20), (3, 3), "int8")
add("nothing", (1, 2, 2, 0), (3, 3), "uint8")
cases.add(
    "no options",
    single_op(
        "RESIZE_NEAREST_NEIGHBOR",
        [tensor((1, 3, 3, 2), "int8"), Tensor((2,), "int32", (5, 2))],
        [tensor((1, 5, 2, 2), "int8")],
    ),
)


# Models that must be refused.
def refuse(name, error, size=(4, 6), output=(1, 4, 6, 2), dtype="int8", **other):
    inputs = [
        tensor(other.get("shape", (1, 2, 3, 2)), "int8"),
        Tensor(other.get("size_shape", (2,)), other.get("size_dtype", "int32"), size),
    ]
    model = single_op("RESIZE_NEAREST_NEIGHBOR", inputs, [tensor(output, dtype)])
    cases.add(f"refused: {name}", model, error=error)


refuse("rank", "4 dimensions", shape=(2, 3, 2))
refuse("output size", "should have shape", output=(1, 4, 5, 2))
refuse("channels", "should have shape", output=(1, 4, 6, 3))
refuse("batches", "should have shape", output=(2, 4, 6, 2))
refuse("output type", "differ in type", dtype="uint8")
refuse("size not constant", "must be constant", size=None)
refuse("three sizes", "2 numbers", size=(4, 6, 1), size_shape=(3,))
refuse("size of int64", "must be int32", size_dtype="int64")
refuse("from nothing", "is empty", shape=(1, 0, 3, 2))


@cases.parametrize
def test_resize_nearest_neighbor(case):
    case.check()


# The integers of Prepare against numpy's float32, for many sizes.
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_indices(mode):
    random = generator(f"indices {mode}")
    sizes = [(size, out_size) for size in range(1, 33) for out_size in range(1, 33)]
    sizes += random.integers(1, 700, (120, 2)).tolist()
    for size, out_size in sizes:
        assert nearest_indices(size, out_size, *mode) == indices(size, out_size, *mode).tolist(), (
            size,
            out_size,
        )
