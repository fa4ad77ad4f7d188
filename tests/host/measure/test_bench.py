# Tests of `tflm bench` with and without TFLM's wheel
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.builder import ModelBuilder
from tflm_tools.check import oracle
from tflm_tools.measure.bench import bench


# A small file whose tensors need a larger arena than the wheel chooses for the file's size.
@pytest.fixture
def large_tensors(tmp_path):
    builder = ModelBuilder()
    x = builder.tensor((1, 1 << 17), "int8", scale=0.1, zero_point=0, name="x")
    y = builder.tensor((1, 1 << 17), "int8", scale=0.1, zero_point=0, name="y")
    builder.operator("RELU", [x], [y])
    builder.io([x], [y])
    path = tmp_path / "large_tensors.tflite"
    path.write_bytes(builder.build())
    return path


def test_ratio_to_the_wheel(layers, large_tensors):
    for row in bench([layers, large_tensors], invokes=2):
        assert row.refused == "" and row.wheel_us > 0, row
        assert row.ratio == pytest.approx(row.wheel_us / max(row.tflm_us, 1))


# The wheel gets the model inside C source.
def test_c_source(layers, tmp_path):
    numbers = ", ".join(map(str, layers.read_bytes()))
    path = tmp_path / "model.h"
    path.write_text(f"const unsigned char g_model[] = {{{numbers}}};\n")
    (row,) = bench([path], invokes=2)
    assert row.refused == "" and row.wheel_us > 0, row


def test_only_tflm_is_timed_without_the_wheel(tflm, layers, tmp_path, monkeypatch):
    monkeypatch.setattr(oracle, "installed", lambda *name: False)
    csv = tmp_path / "bench.csv"
    found = tflm("bench", layers, "--invokes", 2, "--csv", csv, "--json")
    assert (found.code, found.err) == (0, "")
    row = found.json()[0]
    assert row["tflm_us"] > 0 and row["wheel_us"] is None and row["ratio"] is None
    assert "not installed" in row["refused"] and "tflite-micro==" in row["refused"]
    assert csv.read_text().count("\n") == 2
    printed = tflm("bench", layers, layers, "--invokes", 2).out
    assert " ".join(printed.split()).count("-m pip install") == 1
