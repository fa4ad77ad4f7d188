# Tests of the host tools on models with sub-graphs
# MIT license; Copyright (c) 2026 the tflm authors

import io
import re

from rich.console import Console
from tflm_tools.check.verify import verify
from tflm_tools.flat.flatten import flatten
from tflm_tools.inspection.inspection import inspect
from tflm_tools.render.arena import block_ops, print_plan
from tflm_tools.render.inspection import print_inspection

from tests.kernels import test_control_flow as models


# All operators that run are listed, with the bytes in use while they run.
def test_inspect_lists_operators_of_sub_graphs(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(models.loop(models.branch_inside).build())
    report = inspect(path)
    names = [op.name for op in report.ops]
    assert names == ["WHILE", "LESS", "GREATER", "IF", "ADD", "ADD", "MUL"]
    assert [op.kernels for op in report.ops][3][-1] == "control.if"
    assert not report.missing
    steps = ["WHILE", "sub-graph 1", "LESS", "sub-graph 2", "GREATER", "IF"]
    assert report.plan.ops == [*steps, "sub-graph 3", "ADD", "sub-graph 4", "MUL", "ADD"]
    assert max(op.live_bytes for op in report.ops) == report.plan.live_bytes(report.plan.peak_op)
    assert report.ops[report.peak_op].live_bytes == report.plan.live_bytes(report.plan.peak_op)
    assert report.arena_bytes <= report.tflm_head_bytes
    console = Console(width=100, record=True, file=io.StringIO())
    print_plan(report.plan, console)
    # An input of a sub-graph is in use from the sub-graph's first operator, or never.
    used = [block_ops(report.plan, block) for block in report.plan.blocks]
    assert all(re.fullmatch(r"(in|\d+)(–\d+)?|–", text) for text in used), used
    console.export_text()
    print_inspection(report, console)
    text = console.export_text()
    assert text.index("WHILE") < text.index("sub-graph 1") < text.index(" LESS ")
    assert "MACs      0; each sub-graph counted once" in text
    flat = tmp_path / "model.tflm"
    flat.write_bytes(flatten(path.read_bytes()))
    assert [op.name for op in inspect(flat).ops][0] == "WHILE"


# Missing operators are listed in sub-graphs that run only.
def test_missing_operator_in_a_sub_graph(tmp_path):
    model = models.branches()
    unused = model.subgraph("unused")
    x, y = (unused.tensor((2,), "float32") for _ in range(2))
    unused.operator("BUCKETIZE", [x], [y])
    unused.io([x], [y])
    path = tmp_path / "model.tflite"
    path.write_bytes(model.build())
    assert not inspect(path).missing
    branch = model.table.subgraphs[1]
    branch.operators[0].opcodeIndex = model.operator_code("BUCKETIZE", 1)
    path.write_bytes(model.build())
    (missing,) = inspect(path).missing
    assert missing.op == "BUCKETIZE" and missing.nodes == [1]


def test_verify_model_with_sub_graphs(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(models.branches((2, 3)).build())
    result = verify(path, runs=4)
    assert result.mismatch is None and result.cases == 8
