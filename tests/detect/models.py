# A detector for tests: its FOMO grid finds bright squares
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder


def bright_squares(side=24):
    """Return a .tflite: image [1, side, side, 1] of bytes less 128, output [1, n, n, 2].

    A cell of the grid is the mean of 8 x 8 pixels; from 128 on it is class "bright".
    """
    model = ModelBuilder("bright")
    cells = side // 8
    x = model.tensor((1, side, side, 1), "int8", scale=1 / 255, zero_point=-128, name="image")
    mean = model.tensor((1, cells, cells, 1), "int8", scale=1 / 255, zero_point=-128)
    weights = model.tensor(
        (2, 1, 1, 1), "int8", np.array([-120, 120]).reshape(2, 1, 1, 1), scale=0.1, zero_point=0
    )
    scale = 0.1 / 255
    bias = model.tensor((2,), "int32", np.round([6 / scale, -6 / scale]), scale=scale,
                        zero_point=0)  # fmt: skip
    logits = model.tensor((1, cells, cells, 2), "int8", scale=0.05, zero_point=0)
    y = model.tensor((1, cells, cells, 2), "int8", scale=1 / 256, zero_point=-128, name="grid")
    pool = {"stride_h": 8, "stride_w": 8, "filter_height": 8, "filter_width": 8}
    model.operator("AVERAGE_POOL_2D", [x], [mean], padding="VALID", **pool)
    model.operator(
        "CONV_2D", [mean, weights, bias], [logits], padding="VALID", stride_h=1, stride_w=1
    )
    model.operator("SOFTMAX", [logits], [y], beta=1.0)
    model.io([x], [y])
    return model.build()
