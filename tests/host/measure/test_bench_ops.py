# Tests of `tflm bench --per-op`, and of its history
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import json
from types import SimpleNamespace

import pytest
from host.conftest import build_layers
from tflm_tools.board import bench
from tflm_tools.measure import history as bench_history
from tflm_tools.measure import per_op
from tflm_tools.measure.per_op import bench_ops


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("TFLM_CACHE", str(folder))
    return folder


def test_times_of_operators(layers):
    result = bench_ops([layers], invokes=3)[0]
    assert [(row.node, row.op, row.macs) for row in result.ops] == [
        (0, "FULLY_CONNECTED", 320),
        (1, "FULLY_CONNECTED", 240),
        (2, "FULLY_CONNECTED", 30),
    ]
    assert sum(row.share for row in result.ops) == pytest.approx(1)
    for row in result.ops:
        assert row.ns_per_mac == pytest.approx(1000 * row.us / row.macs)
        assert 0 < row.arena <= result.arena_bytes and row.cycles is None
    assert 0 < result.best_us <= result.mean_us
    assert result.wheel_us > 0 and result.last_us is None and not result.changed


def test_comparison_with_the_last_run(tflm, layers):
    first = tflm("bench", layers, "--per-op", "--invokes", 2)
    assert (first.code, first.err) == (0, "")
    assert "ns/MAC" in first.out and "change" not in first.out and "last run" not in first.out
    second = tflm("bench", layers, "--per-op", "--invokes", 2)
    assert "change" in second.out and "last run" in second.out
    assert "has changed" not in second.out
    assert max(map(len, second.out.splitlines())) <= 80
    layers.write_bytes(build_layers(8, 40, 6, 4))
    assert "the model has changed since" in tflm("bench", layers, "--per-op", "--invokes", 2).out
    layers.write_bytes(build_layers(8, 4))
    ops = tflm("bench", layers, "--per-op", "--invokes", 2, "--json").json()[0]["ops"]
    assert len(ops) == 1 and ops[0]["last_us"] is not None


def test_csv_of_operators(tflm, layers, tmp_path):
    path = tmp_path / "new" / "bench.csv"
    assert tflm("bench", layers, "--per-op", "--invokes", 2, "--csv", path).code == 0
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["op"] for row in rows] == ["0", "1", "2"]
    assert {row["model"] for row in rows} == {"layers.tflite"}
    assert rows[0]["macs"] == "320" and rows[0]["cycles"] == ""
    assert sum(float(row["share"]) for row in rows) == pytest.approx(1, abs=0.001)


# A damaged history, or a cache folder that cannot be written, does not prevent a measurement.
def test_damaged_history_is_ignored(layers, cache, monkeypatch):
    cache.mkdir()
    for text in ("", "[]", '{"version": 1, "runs": []}', '{"version": 1, "runs": {"a": 3}}'):
        (cache / "bench.json").write_text(text)
        assert bench_ops([layers], 1)[0].last_us is None
    runs = json.loads((cache / "bench.json").read_text())["runs"]
    key = next(key for key in runs if key.endswith("layers.tflite"))
    for entry in ({}, {"ops": 3}, {"model": "", "ops": [], "best_us": "x", "when": 0}):
        (cache / "bench.json").write_text(json.dumps({"version": 1, "runs": {key: entry}}))
        assert bench_ops([layers], 1)[0].last_us is None
    monkeypatch.setenv("TFLM_CACHE", str(layers))  # a file
    assert bench_ops([layers], 1)[0].last_us is None


def test_history_has_a_maximum_length(cache):
    length = bench_history._MAX_RUNS
    for i in range(length + 5):
        bench_history.note(f"key{i}", {"i": i})
    assert bench_history.last("key4") is None
    assert bench_history.last(f"key{length + 4}") == {"i": length + 4}


# A .tflm has no shapes, so only times are known.
def test_flat_model_has_times_only(tflm, layers, tmp_path):
    flat = tmp_path / "layers.tflm"
    assert tflm("flatten", layers, "-o", flat).code == 0
    result = tflm("bench", flat, "--per-op", "--invokes", 1, "--json").json()[0]
    assert result["wheel_us"] is None and {op["macs"] for op in result["ops"]} == {None}


# A model that TFLM refuses has the times of tflm and a note, and the next models are timed.
def test_model_that_tflm_refuses(tflm, repository, layers, tmp_path):
    model = repository / "tests" / "beyond" / "models" / "hybrid_dynamic.tflite"
    path = tmp_path / "bench.csv"
    found = tflm("bench", model, layers, "--invokes", 1, "--csv", path)
    assert (found.code, found.err) == (0, "")
    assert f"TFLM itself does not run {model.name}" in found.out
    rows = list(csv.DictReader(path.open()))
    assert [row["model"] for row in rows] == [model.stem, layers.stem]
    assert rows[0]["wheel_us"] == rows[0]["ratio"] == "" and float(rows[0]["tflm_us"]) > 0
    assert float(rows[1]["ratio"]) > 0
    found = tflm("bench", "--per-op", model, "--invokes", 1)
    assert found.code == 0 and "TFLM itself does not run" in found.out


# Operators in a loop have no nanoseconds per MAC, because the number of iterations is not known.
def test_operators_in_loops(repository, tmp_path):
    model = repository / "tests" / "beyond" / "models" / "lstm_float.tflite"
    rows = bench_ops([model], invokes=1)[0].ops
    inner = [row for row in rows if row.macs and row.ns_per_mac is None]
    assert inner and any(row.us > 0 for row in inner)
    assert any(row.macs and row.ns_per_mac is not None for row in rows)


# The profiler counts the time of operators in bands for the first one, so they have one row.
def test_operators_in_bands_have_one_row(repository):
    figures = (1.0, 5, 10), (7.0, 50, 30), (0.0, 40, 20), (2.0, 0, 1)
    rows = [
        per_op.OpBench(i, "OP", f"k{i % 2}", us, us / 10, macs, None, 2 * us, None, arena, None)
        for i, (us, macs, arena) in enumerate(figures)
    ]
    chain = SimpleNamespace(nodes=[SimpleNamespace(index=1), SimpleNamespace(index=2)])
    pipeline = SimpleNamespace(planned=SimpleNamespace(chains=[chain]))
    first, banded, last = per_op._with_bands_joined(rows, pipeline)
    assert (first, last) == (rows[0], rows[3])
    assert (banded.node, banded.op, banded.kernel) == (1, "ops 1 to 2, in bands", "k1, k0")
    assert (banded.us, banded.macs, banded.arena) == (7.0, 90, 30)
    assert banded.cycles_per_mac == pytest.approx(14 / 90)
    assert per_op._with_bands_joined(rows, None) == rows


# A slow model is invoked less often on a board; the number of invokes can be given.
def test_invokes_on_a_board(layers):
    class Board:
        facts = SimpleNamespace(frequency=0, machine="x", port="y")

        def __init__(self, us):
            self.us, self.repeats = us, []

        def invoke(self, model, runs, options):
            self.repeats.append(options.repeat)
            return SimpleNamespace(times=[self.us] * options.repeat, events=[], arena=1)

    for us, given, wanted in ((1000, None, 20), (500_000, None, 4), (10**7, None, 1)):
        board, steps = Board(us), []
        found = bench.bench_on(
            [layers], board, given, progress=lambda *at, seen=steps: seen.append(at)
        )
        assert board.repeats == [1, wanted, wanted] and found[0].invokes == wanted
        assert steps == [(0, 3), (1, 3), (2, 3)]
    board = Board(10**7)
    assert bench.bench_on([layers], board, 7)[0].invokes == 7 and board.repeats == [1, 7, 7]
