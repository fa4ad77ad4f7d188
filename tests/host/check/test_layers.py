# Tests of `tflm verify --layers`: every operator is compared with TFLM, with and without a defect
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.builder import ModelBuilder
from support.standin import Board
from tflm.prepare import fully_connected
from tflm_tools.check.verify import verify

# A kernel that calls the correct one, then changes byte 4 of the output of the layer with this
# depth.
_BROKEN = """

_right = eval_int8


@micropython.viper
def _change(op, arena):
    record = ptr32(op)
    if record[{depth_word}] == {depth}:
        memory = ptr8(int(ptr8(arena)) + (record[{output_word}] >> 2) + 4)
        memory[0] = memory[0] ^ {change}


def eval_int8(op, arena, rom, start, stop):
    _right(op, arena, rom, start, stop)
    _change(op, arena)
"""


# The index of a word in FULLY_CONNECTED's record.
def _word(name):
    return 1 + fully_connected.INT8.index(name)


def broken(depth, change=1):
    return _BROKEN.format(
        depth_word=_word("depth"), output_word=_word("output"), depth=depth, change=change
    )


def test_all_operators_are_equal(tflm, layers):
    found = tflm("verify", layers, "--layers", "--runs", 1, "--json")
    assert (found.code, found.err) == (0, "")
    reports = found.json()["layers"]
    assert [entry["path"] for entry in reports] == ["flat", "tflite"]
    for entry in reports:
        rows = entry["rows"]
        assert [(row["node"], row["op"], row["tensor"]) for row in rows] == [
            (i, "FULLY_CONNECTED", f"layer{i}") for i in range(3)
        ]
        assert {row["verdict"] for row in rows} == {"equal"}
        assert {row["largest"] for row in rows} == {0.0}


@pytest.mark.parametrize("path", ["flat", "tflite"])
def test_broken_kernel_differs(tflm, layers, changed_modules, path):
    changed_modules("kernels/fully_connected.py", broken(40))
    found = tflm("verify", layers, "--layers", "--runs", 1, "--path", path)
    assert found.code == 1
    lines = [line.split() for line in found.out.splitlines()]
    rows = {tuple(line[:2]): line for line in lines if line[1:2] == ["FULLY_CONNECTED"]}
    assert rows["0", "FULLY_CONNECTED"][3] == "equal"
    row = rows["1", "FULLY_CONNECTED"]
    assert row[2:6] == ["layer1", "differs", "0,", "4"]
    assert int(row[6]) ^ int(row[7]) == 1
    assert row[8:] == ["1", "1/6"]
    assert "First differing op: 1 FULLY_CONNECTED" in found.out
    assert all(len(line) <= 80 for line in found.out.splitlines())


# A model in which RELU removes a wrong value of the first layer.
@pytest.fixture
def hidden(tmp_path):
    builder = ModelBuilder()
    tensors = [
        builder.tensor((1, 8), "int8", scale=0.1, zero_point=0, name=name)
        for name in ("input", "sum", "output")
    ]
    weights = builder.tensor((8, 8), "int8", [[0] * 8] * 8, scale=0.1, zero_point=0)
    bias = builder.tensor((8,), "int32", [-2000] * 8, scale=0.01, zero_point=0)
    builder.operator("FULLY_CONNECTED", [tensors[0], weights, bias], [tensors[1]])
    builder.operator("RELU", [tensors[1]], [tensors[2]])
    builder.io(tensors[:1], tensors[2:])
    path = tmp_path / "hidden.tflite"
    path.write_bytes(builder.build())
    return path


def test_difference_that_reaches_no_output(tflm, hidden, changed_modules):
    changed_modules("kernels/fully_connected.py", broken(8))
    arguments = ["verify", hidden, "--runs", 1, "--path", "tflite"]
    plain = tflm(*arguments, "--json")
    assert plain.code == 0 and plain.json()["layers"] == []
    found = tflm(*arguments, "--layers")
    assert found.code == 1
    assert "Only inner tensors differ, first after op 0 FULLY_CONNECTED" in found.out


# The state is kept between runs, and the tensors after the last random case are compared.
def test_model_with_state(tmp_path):
    builder = ModelBuilder()
    x = builder.tensor((3,), "int32", name="x")
    total = builder.tensor((3,), "int32", variable=True, name="total")
    y = builder.tensor((3, 1), "int32", name="y")
    builder.operator("ADD", [x, total], [total])
    builder.operator("RESHAPE", [total], [y])
    builder.io([x], [y])
    path = tmp_path / "counter.tflite"
    path.write_bytes(builder.build())
    result = verify(path, runs=3, layers=True)
    assert result.is_equal()
    assert [layers.case for layers in result.layers] == ["random 2"] * 2
    assert [row.verdict for row in result.layers[0].rows][1] == "equal"


# The first sub-graph is compared, including the outputs of IF.
def test_control_flow(tmp_path):
    builder = ModelBuilder()
    flag = builder.tensor((1,), "bool", name="flag")
    x = builder.tensor((4,), "float32", name="x")
    chosen = builder.tensor((4,), "float32", name="chosen")
    y = builder.tensor((4,), "float32", name="y")
    numbers = []
    for op in ("NEG", "ABS"):
        branch = builder.subgraph(op)
        a, b = branch.tensor((4,), "float32"), branch.tensor((4,), "float32")
        branch.operator(op, [a], [b])
        branch.io([a], [b])
        numbers.append(len(numbers) + 1)
    builder.operator("IF", [flag, x], [chosen], then_subgraph_index=1, else_subgraph_index=2)
    builder.operator("RELU", [chosen], [y])
    builder.io([flag, x], [y])
    path = tmp_path / "branch.tflite"
    path.write_bytes(builder.build())
    result = verify(path, runs=2, layers=True)
    assert result.is_equal()
    for layers in result.layers:
        assert [(row.op, row.verdict) for row in layers.rows] == [
            ("IF", "equal"),
            ("RELU", "equal"),
        ]


# Handles of resource variables have no values, so they have no rows.
def test_resource_variables(tmp_path):
    builder = ModelBuilder()
    x = builder.tensor((2,), "int32", name="x")
    handle = builder.tensor((), "resource")
    old, y = builder.tensor((2,), "int32"), builder.tensor((2,), "int32")
    builder.operator("VAR_HANDLE", [], [handle], shared_name="v")
    builder.operator("READ_VARIABLE", [handle], [old])
    builder.operator("ADD", [x, old], [y])
    builder.operator("ASSIGN_VARIABLE", [handle, y], [])
    builder.io([x], [y])
    path = tmp_path / "variable.tflite"
    path.write_bytes(builder.build())
    result = verify(path, runs=2, form="flat", layers=True)
    for layers in result.layers:
        assert [(row.op, row.verdict) for row in layers.rows] == [
            ("READ_VARIABLE", "equal"), ("ADD", "equal"),
        ]  # fmt: skip


def test_tensors_of_a_board(tflm, layers, repository, tmp_path):
    with Board(tmp_path / "board", library=repository / "modules") as board:
        found = tflm("verify", layers, "--runs", 1, "--layers", "--on", board.port, "--json")
    assert (found.code, found.err) == (0, "")
    rows = found.json()["layers"][0]["rows"]
    assert [row["verdict"] for row in rows] == ["equal"] * 3
