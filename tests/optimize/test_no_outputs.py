# Tests of memory plans of models with operators that have no output
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from fuzz.campaign import cases_of
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten

from tests.kernels.test_resource_variables import accumulator

# ASSIGN_VARIABLE and CALL_ONCE, alone and inside control flow; of each type, also beside
# operators that run in bands.
_MODELS = {case.name: case.build() for case in cases_of("test_resource_variables")}
for _dtype, _quantization in (
    ("float32", {}),
    ("int32", {}),
    ("int8", {"scale": 1.0, "zero_point": 0}),
    ("int16", {"scale": 1.0, "zero_point": 0}),
):
    _MODELS[f"{_dtype} image"] = accumulator((1, 24, 24, 8), _dtype, **_quantization).build()


@pytest.mark.parametrize("level", ["ram", "balanced", "speed"])
def test_plan_of_operators_without_output(level):
    for name, model in _MODELS.items():
        flat = FlatModel(flatten(model, optimize=level))
        assert flat.arena_bytes <= FlatModel(flatten(model, optimize="off")).arena_bytes, name
