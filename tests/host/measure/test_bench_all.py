# Tests of `tflm bench --all` and `--compare`: models on a board, and their predicted times
# MIT license; Copyright (c) 2026 the tflm authors

import json

import pytest
from support.standin import Board
from tflm_tools.measure import hardware, predicted

_HEAD = (
    "core,model,layer,op,macs,cycles,scratch,flash,no_wait_cycles,"
    "weight_misses,code_misses,rest_misses\n"
)


# A board's result: two layers of 1000 and 500 µs at 100 MHz, with 1000 and 250 misses.
@pytest.fixture
def result(tmp_path):
    ops = [
        hardware.OpRecord(0, "CONV_2D", "conv", 600.0, 800.0),
        hardware.OpRecord(0, "CONV_2D", "conv", 400.0, 200.0),
        hardware.OpRecord(1, "SOFTMAX", "softmax", 500.0, 250.0),
    ]
    model = hardware.ModelRecord(
        "net", "00", "11", 4096, 512, "romfs", "TFLM", True, 5, 1450, 1460.0, 1250.0, ops
    )
    found = hardware.BoardRecord(
        hardware.FORMAT, "0", 0, "A board", "1.26.1", "armv6m", "0", True, 100_000_000, 2, [model]
    )
    hardware.write(found, tmp_path / "result.json")
    return tmp_path / "result.json"


@pytest.fixture
def cycles(tmp_path):
    rows = "m0plus,net,0,CONV_2D,1,1,0,1,,,,\n"
    rows += "pico,net,0,CONV_2D,1,100000,0,1,52000,900,90,10\n"
    rows += "pico,net,1,SOFTMAX,1,40000,0,1,38000,20,20,1\n"
    rows += "pico,net,TOTAL,,1,145000,0,4096,93000,920,110,11\n"
    (tmp_path / "cycles.csv").write_text(_HEAD + rows)
    return tmp_path / "cycles.csv"


def test_result_is_compared_with_the_prediction(result, cycles):
    found = predicted.compare(hardware.read(result), cycles).models[0]
    assert found.note == ""
    first, second = found.layers
    assert (first.us, first.predicted_us, first.ratio) == (1000, 1000, 1)
    assert (first.misses, first.predicted_misses, first.miss) == (1000, 1000, 48)
    assert (second.ratio, second.miss) == (1.25, 48)
    assert (found.total.us, found.total.predicted_us) == (1450, 1450)
    assert found.total.miss == pytest.approx((150_000 - 90_000) / 1250)
    record = hardware.read(result)
    record.models[0].best_us = 1200  # 300 of 600 us are due to the profiler
    assert predicted.compare(record, cycles).models[0].total.miss is None


def test_compare_prints_result_and_prediction(tflm, result, cycles):
    said = tflm("bench", "--compare", result, "--cycles", cycles)
    assert (said.code, said.err) == (0, "")
    for word in ("100 MHz", "flash at 50 MHz", "as TFLM", "CONV_2D", "1.25", "TOTAL"):
        assert word in said.out
    assert tflm("bench", "--compare", result, "--cycles", cycles, "--json").json()["models"]


def test_prediction_for_another_model_is_noted(result, cycles):
    cycles.write_text(cycles.read_text().replace("0,4096", "0,5000"))
    assert "of 5000 bytes" in predicted.compare(hardware.read(result), cycles).models[0].note
    cycles.write_text(cycles.read_text().replace("net", "other"))
    found = predicted.compare(hardware.read(result), cycles).models[0]
    assert "no prediction" in found.note
    assert found.layers[0].us == 1000 and found.layers[0].ratio is None


def test_error_for_invalid_files(tflm, result, cycles, tmp_path):
    for text in ("", "{}", "[]", '{"format": 1}', "\x00"):
        (tmp_path / "wrong.json").write_text(text)
        said = tflm("bench", "--compare", tmp_path / "wrong.json", "--cycles", cycles)
        assert said.code == 1 and "is not a result of `tflm bench --all`" in said.err
    data = json.loads(result.read_text())
    result.write_text(json.dumps({**data, "format": 9}))
    said = tflm("bench", "--compare", result, "--cycles", cycles)
    assert said.code == 1 and "has the format 9" in said.err
    result.write_text(json.dumps({**data, "frequency": 0}))
    said = tflm("bench", "--compare", result, "--cycles", cycles)
    assert "the board's clock is not known" in said.err
    (tmp_path / "wrong.csv").write_text("a,b\n1,2\n")
    said = tflm("bench", "--compare", result, "--cycles", tmp_path / "wrong.csv")
    assert said.code == 1 and "is not a table of cycles" in said.err
    (tmp_path / "none.csv").write_text(_HEAD + "m33,net,0,CONV_2D,1,1,0,1,,,,\n")
    said = tflm("bench", "--compare", result, "--cycles", tmp_path / "none.csv")
    assert said.code == 1 and "has no rows for a Pico" in said.err


def test_error_for_missing_options(tflm, layers):
    assert "--on PORT -o result.json" in tflm("bench", "--all").err
    assert "MODELS" in tflm("bench").err


# A model with an error is noted, and the next model is measured.
def test_all_models_of_a_folder(tflm, tmp_path, repository, layers):
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "a.tflite").write_bytes(layers.read_bytes())
    (folder / "b.tflite").write_text("no model")
    digits = repository / "models" / "digits" / "digits_int8.tflite"
    with Board(tmp_path / "board", library=repository / "modules", rom=1 << 17) as board:
        said = tflm(
            "bench", folder, digits, "--on", board.port, "--all", "-o", tmp_path / "r.json"
        )
    assert (said.code, said.err) == (0, "")
    assert "as TFLM" in said.out and "b: " in said.out
    found = hardware.read(tmp_path / "r.json")
    first, wrong, last = found.models
    assert first.equal and last.equal and (first.compared, first.place) == ("TFLM", "romfs")
    assert [op.op for op in first.ops] == ["FULLY_CONNECTED"] * 3
    assert first.misses is None and first.best_us <= first.mean_us  # no misses counted
    assert wrong.refused and not wrong.ops
    assert last.model == "digits_int8" and last.flat_bytes > first.flat_bytes


def test_wrong_outputs_are_an_error(tflm, tmp_path, repository, layers, monkeypatch):
    wanted = hardware._wanted
    monkeypatch.setattr(
        hardware, "_wanted", lambda *a: ("TFLM", [array ^ 1 for array in wanted(*a)[1]])
    )
    with Board(tmp_path / "board", library=repository / "modules", rom=1 << 17) as board:
        said = tflm("bench", layers, "--on", board.port, "--all", "-o", tmp_path / "r.json")
    assert said.code == 1 and "NOT as TFLM" in said.out


def test_default_models_are_those_of_the_repository():
    names = [path.stem for path in hardware.models_in(())]
    assert "digits_int8" in names and len(names) >= 5
