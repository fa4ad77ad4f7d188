# Tests of docs_data.py: results replace the rows of their models in the tables of docs/data
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import shutil
from types import SimpleNamespace

import docs_data
import pytest
from layers import Layer


@pytest.fixture
def folder(repository, tmp_path):
    return shutil.copytree(repository / "docs" / "data", tmp_path / "data")


def _result(core, model, nodes):
    layers = [Layer(node, "CONV_2D", [], 10, 1, 2, 1) for node in nodes]
    return SimpleNamespace(
        core=core, model=model, layers=layers, cycles=[100 * node + 1 for node in nodes],
        total=999, dispatch=5, arena=1, flash=2, waits=[], waited=None, lines=3,
    )  # fmt: skip


def _rows(folder, name, model):
    with (folder / name).open() as file:
        return [row for row in csv.reader(file) if row[0] == model]


def test_columns(folder):
    for name, columns in docs_data.COLUMNS.items():
        with (folder / name).open() as file:
            assert tuple(next(csv.reader(file))) == columns


def test_other_models_stay(folder):
    before = (folder / "no-wait-states.csv").read_text().splitlines()
    docs_data.update(folder, [_result("m0plus", "digits_int8", [1, 0])])
    after = (folder / "no-wait-states.csv").read_text().splitlines()
    assert [a == b for a, b in zip(before, after, strict=True)].count(False) == 1
    assert "digits_int8,20,999,,,0.5,1,2" in after
    layers = _rows(folder, "no-wait-states-layers.csv", "digits_int8")
    assert layers == [
        ["digits_int8", "0", "CONV_2D", "10", "1", "1", "2"],
        ["digits_int8", "1", "CONV_2D", "10", "101", "1", "2"],
    ]


# Bands may give each core another order of layers.
def test_layers_of_cores_with_different_orders(folder):
    orders = {"rv32-stock": [0, 2, 1], "xtensa": [0, 2, 1], "xtensa-mac16": [2, 0, 1]}
    docs_data.update(folder, [_result(core, "new", order) for core, order in orders.items()])
    layers = _rows(folder, "stock-firmware-layers.csv", "new")
    assert [row[1] for row in layers] == ["0", "1", "2"]
    assert all(row[4] == row[5] == row[6] == str(100 * int(row[1]) + 1) for row in layers)
    assert _rows(folder, "stock-firmware.csv", "new") == [["new", "30", "999", "999", "999"]]
