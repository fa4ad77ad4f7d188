# Tests of the estimated cycles of float32 and int16 models against the cycles in docs/data
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.single_op import Tensor, single_op
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline
from tflm_tools.optimize.invoke_time import board_times, invoke_cycles_of, nodes_of
from tflm_tools.optimize.memory.node_costs import NodeCostTable


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
        estimate = invoke_cycles_of(pipeline.optimized, target, in_ram=True)
        assert estimate == pytest.approx(int(row[column]), rel=0.15), row["model"]


# The body of the loop runs 5 times, its condition 6 times.
def test_operators_of_a_loop_count_for_each_run():
    from tflm.tflite.reader import TfliteModel
    from tflm_tools.model.schema import op_name
    from tflm_tools.optimize.invoke_time import executed_nodes

    names = [op_name(node) for node in executed_nodes(TfliteModel(_counted_loop(5)))]
    assert names.count("LESS") == 6 and names.count("MUL") == 5 and names.count("WHILE") == 5


# Branches within branches: 2 ** 40 runs of the last sub-graph. Loops within loops: 1000 ** 40.
def test_operators_of_nested_control_flow_are_limited():
    from tflm.tflite.call_graph import WHILE
    from tflm_tools.optimize.invoke_time import executed_nodes

    node = SimpleNamespace(builtin_code=0, inputs=[], custom_name=None)
    for code, position in ((0, 0), (WHILE, 1)):
        caller = SimpleNamespace(builtin_code=code, inputs=[], custom_name=None)
        graphs = [
            SimpleNamespace(nodes_length=lambda: 1, node=lambda i, it=it: it)
            for it in [caller] * 40 + [node]
        ]
        calls = {i: {0: [40, i + 1] if position else [i + 1, i + 1]} for i in range(40)}
        model = SimpleNamespace(
            subgraphs=graphs, call_graph=lambda calls=calls: SimpleNamespace(calls=calls)
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("tflm_tools.optimize.invoke_time._loop_runs", lambda _: 1000)
            assert 40 < len(executed_nodes(model)) < 4_000_000


# A model that multiplies its input by itself in a loop.
def _counted_loop(runs):
    model = ModelBuilder()
    shapes = [(), (4,)]
    condition, body = model.subgraph("condition"), model.subgraph("body")
    i, x = (condition.tensor(s, t) for s, t in zip(shapes, ("int32", "float32"), strict=True))
    less = condition.tensor((), "bool")
    condition.operator("LESS", [i, condition.tensor((), "int32", np.int32(runs))], [less])
    condition.io([i, x], [less])
    i, x = (body.tensor(s, t) for s, t in zip(shapes, ("int32", "float32"), strict=True))
    more, y = body.tensor((), "int32"), body.tensor((4,), "float32")
    body.operator("ADD", [i, body.tensor((), "int32", np.int32(1))], [more])
    body.operator("MUL", [x, x], [y])
    body.io([i, x], [more, y])
    i, x = (model.tensor(s, t) for s, t in zip(shapes, ("int32", "float32"), strict=True))
    ends = model.tensor((), "int32"), model.tensor((4,), "float32")
    model.operator("WHILE", [i, x], list(ends), cond_subgraph_index=1, body_subgraph_index=2)
    model.io([i, x], list(ends))
    return model.build()


# RESHAPE copies nothing.
def test_reshape_costs_nothing():
    rows, one_row = Tensor((64, 2), "float32"), Tensor((1, 128), "float32")
    model = single_op("RESHAPE", [one_row], [rows], new_shape=[64, 2])
    graph = FlattenPipeline(model, FlattenOptions("armv7em")).compressed
    assert sum(map(NodeCostTable(graph, "armv7em").cycles, nodes_of(graph))) == 0


def test_times_on_boards(repository, models):
    table = (repository / "docs" / "data" / "dtypes.csv").read_text().splitlines()
    for row in csv.DictReader(table):
        if row["pico_cycles"]:
            pipeline = FlattenPipeline(models[row["model"]](), FlattenOptions("armv6m", "off"))
            estimate = board_times(pipeline.compressed).ms["pico"]
            measured = int(row["pico_cycles"]) / 125e3
            assert estimate == pytest.approx(measured, rel=0.2), row["model"]
