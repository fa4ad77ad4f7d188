# Tests that edges that the search chooses again are those that it would find
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import pytest
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline
from tflm_tools.optimize.memory.levels import BALANCED, RAM, SPEED
from tflm_tools.optimize.memory.search.edges import ModelEdges

_MODEL = Path(__file__).parents[2] / "models" / "keywords" / "keywords_int8.tflite"


class _Forgetful(dict):
    """A cache without results."""

    def get(self, key, default=None):
        return default


# (arena, extra cycles) of each level.
def _plans(target):
    levels = FlattenPipeline(_MODEL.read_bytes(), FlattenOptions(target)).levels
    plans = map(levels.model, (SPEED, BALANCED, RAM))
    return [(levels.prepared(model).arena_bytes, cycles) for model, cycles in plans]


@pytest.mark.parametrize("target", [None, "armv6m"])
def test_plans_without_known_choices(target, monkeypatch):
    plans, init = _plans(target), ModelEdges.__init__

    def forget(self, *arguments):
        init(self, *arguments)
        self.last_choices = _Forgetful()

    monkeypatch.setattr(ModelEdges, "__init__", forget)
    assert _plans(target) == plans
