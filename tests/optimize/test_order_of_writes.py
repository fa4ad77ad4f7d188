# Tests of models whose operators overwrite tensors that others read: passes do not change them
# MIT license; Copyright (c) 2026 the tflm authors

import time

import pytest
from support.builder import ModelBuilder
from tflm.model import FlatModel
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.graph import is_in_order
from tflm_tools.optimize.memory.levels import LEVELS


# A MAX_POOL_2D for each pair of tensors, in order. The last tensor is the model's output.
def pools(*pairs):
    model = ModelBuilder()
    for _ in range(1 + max(map(max, pairs))):
        model.tensor((1, 4, 4, 8), "int8", scale=0.5, zero_point=0)
    for source, target in pairs:
        model.operator("MAX_POOL_2D", [source], [target], padding="SAME", stride_w=1, stride_h=1,
                       filter_width=2, filter_height=2)  # fmt: skip
    model.io([0], [pairs[-1][1]])
    return model.build()


@pytest.mark.parametrize(
    "pairs",
    [((0, 1), (1, 1), (1, 2)), ((0, 1), (1, 2), (2, 1), (1, 3))],
    ids=["itself", "circle"],
)
@pytest.mark.parametrize("level", LEVELS)
def test_left_as_written(pairs, level):
    model = pools(*pairs)
    assert not is_in_order(TfliteModel(model))
    flat = FlatModel(flatten(model, optimize=level))
    assert "control.banded" not in flat.kernels()


def test_in_order():
    assert is_in_order(TfliteModel(pools((0, 1), (1, 2), (2, 3))))
    assert not is_in_order(TfliteModel(pools((0, 1), (2, 1), (1, 2))))


# Passes that compare all pairs of operators skip a very large model in a short time.
def test_large_models_stay():
    begin = time.process_time()
    flatten(pools(*[(i, i + 1) for i in range(600)]))
    assert time.process_time() - begin < 10
