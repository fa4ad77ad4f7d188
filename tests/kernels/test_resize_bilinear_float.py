# Tests of RESIZE_BILINEAR on float32 against TFLM: exact
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()

MODES = {
    "plain": {},
    "corners": {"align_corners": True},
    "half pixels": {"half_pixel_centers": True},
}

# Input shape and output size: larger, smaller, the same, odd ratios, one pixel, many channels.
RESIZES = [
    ((1, 2, 3, 2), (4, 6)),
    ((1, 3, 2, 1), (7, 5)),
    ((2, 5, 4, 3), (3, 2)),
    ((1, 4, 4, 2), (4, 4)),
    ((1, 1, 1, 3), (2, 3)),
    ((1, 3, 3, 2), (1, 1)),
    ((1, 2, 2, 70), (3, 3)),
    ((1, 7, 5, 1), (1, 13)),
    ((1, 3, 11, 1), (10, 7)),
]


def resize(shape, size, **options):
    target = (shape[0], *size, shape[3])
    return single_op(
        "RESIZE_BILINEAR",
        [Tensor(shape, "float32"), Tensor((2,), "int32", np.array(size, np.int32))],
        [Tensor(target, "float32")],
        **options,
    )


for mode, options in MODES.items():
    for shape, size in RESIZES:
        cases.add(f"{shape} to {size}, {mode}", resize(shape, size, **options), slices=(1, 5))
    x = np.array([np.inf, -np.inf, 1e30, 1e-42, -0.0, np.nan, 3e38, 1.5], np.float32)
    cases.add(f"special values, {mode}", resize((1, 2, 4, 1), (4, 7), **options), [[x]])
cases.add("nothing", resize((0, 2, 2, 1), (3, 3)), [[[]]], expected=[[[]]])
cases.add(
    "both modes",
    resize((1, 2, 2, 1), (3, 3), align_corners=True, half_pixel_centers=True),
    error="align_corners",
)


# A constant input is stored in the model.
def constant():
    model = ModelBuilder("constant")
    x = model.tensor((1, 2, 3, 2), "float32", np.linspace(-3, 8, 12))
    unused = model.tensor((1,), "float32")
    size = model.tensor((2,), "int32", np.array([5, 4], np.int32))
    y = model.tensor((1, 5, 4, 2), "float32")
    model.operator("RESIZE_BILINEAR", [x, size], [y])
    model.io([unused], [y])
    return model.build()


cases.add("of a constant", constant(), inputs="random")


@cases.parametrize
def test_resize_bilinear_float(case):
    case.check()
