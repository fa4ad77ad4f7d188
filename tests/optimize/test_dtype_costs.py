# Tests of the estimated cycles of float32 and int16 models against the cycles in docs/data
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import sys

import pytest
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline
from tflm_tools.optimize.invoke_time import board_milliseconds, nodes_of
from tflm_tools.optimize.memory.costs import cycles_of, reported_cycles


# The measured networks (bench/float_models.py): {name: .tflite}.
@pytest.fixture(scope="module")
def models(repository):
    sys.path.insert(0, str(repository / "bench"))
    from float_models import MODELS

    return MODELS


@pytest.mark.parametrize(
    "target, column",
    [
        ("armv6m", "m0plus_cycles"),
        ("armv7em", "pico2_cycles"),
        ("rv32imc", "rv32_instructions"),
        ("mac16", "esp32_instructions"),
    ],
)
def test_estimates_are_within_15_percent(repository, models, target, column):
    table = (repository / "docs" / "data" / "dtypes.csv").read_text().splitlines()
    for row in csv.DictReader(table):
        if not row[column]:
            continue
        pipeline = FlattenPipeline(models[row["model"]](), FlattenOptions(target, "off"))
        estimate = cycles_of(nodes_of(pipeline.compressed), target)
        if target != "armv7em":  # its table has cycles
            estimate = reported_cycles(estimate, target)
        assert estimate == pytest.approx(int(row[column]), rel=0.15), row["model"]


def test_times_on_boards(repository, models):
    table = (repository / "docs" / "data" / "dtypes.csv").read_text().splitlines()
    for row in csv.DictReader(table):
        if row["pico_cycles"]:
            pipeline = FlattenPipeline(models[row["model"]](), FlattenOptions("armv6m", "off"))
            estimate = board_milliseconds(pipeline.compressed)["pico"]
            measured = int(row["pico_cycles"]) / 125e3
            assert estimate == pytest.approx(measured, rel=0.2), row["model"]
