# Tests of `tflm measure`: a board beside its estimates, and the kernels beside stored results
# MIT license; Copyright (c) 2026 the tflm authors

import io
import json
import zipfile

import numpy as np
import pytest
from support.standin import Board
from tflm_tools.board import measured_boards
from tflm_tools.measure import board_measurement, hardware, kernel_check


# A zip file with some of the stored models, in which the first output of the first one is changed.
@pytest.fixture
def few_cases(tmp_path, monkeypatch):
    def make(count, changed=False):
        path = tmp_path / "cases.zip"
        with zipfile.ZipFile(kernel_check.CASES) as source, zipfile.ZipFile(path, "w") as target:
            names = [n.removesuffix(".tflite") for n in source.namelist() if n.endswith("tflite")]
            for i, name in enumerate(names[:: len(names) // count]):
                target.writestr(f"{name}.tflite", source.read(f"{name}.tflite"))
                data = source.read(f"{name}.npz")
                if changed and i == 0:
                    arrays = dict(np.load(io.BytesIO(data)))
                    arrays["output_0"] = arrays["output_0"] + 1
                    buffer = io.BytesIO()
                    np.savez(buffer, **arrays)
                    data = buffer.getvalue()
                target.writestr(f"{name}.npz", data)
        monkeypatch.setattr(kernel_check, "CASES", path)

    return make


# The stored models have most kernels that a model can have, and at least one of each package.
def test_stored_models_have_all_packages():
    cases = kernel_check._cases("armv6m")
    packages = kernel_check._by_package(cases, "armv6m")
    assert {"core", "cnn", "rnn", "more", "signal", "types"} <= set(packages)
    assert sum(len(case.new) for case in cases) > 140


def test_measure_a_board(tflm, layers, few_cases, tmp_path):
    few_cases(6)
    result = tmp_path / "measured.json"
    with Board(tmp_path / "board") as board:
        said = tflm("measure", board.port, layers, "-o", result)
        assert said.code == 0, said.err
    for words in ("kernels", "layers", "as TFLM", "measured", "docs/how-to/measure-a-board.md"):
        assert words in said.out
    text = result.read_text()
    for secret in (board.port, str(tmp_path), str(layers)):
        assert secret not in text
    data = json.loads(text)
    assert all(not check["wrong"] and not check["refused"] for check in data["kernels"])
    assert sum(check["kernels"] for check in data["kernels"]) >= 6
    assert data["loop_us"] > 0 and data["heap"] > 0
    assert hardware.read(result).models[0].equal  # for `tflm bench --compare`


def test_wrong_kernel_is_named(tflm, layers, few_cases, tmp_path):
    few_cases(3, changed=True)
    with Board(tmp_path / "board") as board:
        said = tflm("measure", board.port, layers, "-o", tmp_path / "measured.json")
    assert said.code == 1 and "NOT the stored result" in said.out


def test_missing_cases_are_an_error(tflm, layers, tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_check, "CASES", tmp_path / "none.zip")
    with Board(tmp_path / "board") as board:
        said = tflm("measure", board.port, layers, "-o", tmp_path / "measured.json")
    assert said.code == 1 and "run this command in a clone" in said.err


# A board whose core runs at another clock than it states: the loop shows it, and the other factors
# do not depend on it.
def _measurement(loop_us, stated, us, second=1.0, chip="RP2040"):
    model = hardware.ModelRecord("digits_int8", "", best_us=us, equal=True, estimated_us=4000.0)
    record = hardware.BoardRecord(
        1, "", 0, "Raspberry Pi Pico with RP2040", "1.26.1", "armv6m", "", True, stated, 2, [model]
    )
    found = board_measurement.Measurement(
        1, chip, 0, 0, None, None, loop_us, second, (10_000, 7_000, 8192), board=record
    )
    return [
        board_measurement._clock(found), *board_measurement._flash(found),
        *board_measurement._models(found),
    ]  # fmt: skip


def test_clock_and_flash_beside_their_estimates():
    rounds = board_measurement._LOOP_ROUNDS * board_measurement._LOOP_CYCLES["armv6m"]
    clock, flash, model = _measurement(rounds / 125, 125_000_000, 4694.6)
    assert clock.measured == pytest.approx(125) and clock.factor == pytest.approx(1)
    assert flash.measured == pytest.approx(3000 * 125 / 8192) and flash.estimated == 48
    assert model.source == "table" and model.factor == pytest.approx(1, abs=0.01)
    clock, flash, model = _measurement(rounds / 200, 125_000_000, 4694.6 / 1.6)
    assert clock.factor == pytest.approx(1.6) and model.factor == pytest.approx(1, abs=0.01)
    assert flash.measured == pytest.approx(3000 * 200 / 8192)
    _, _, model = _measurement(rounds / 125, 125_000_000, 4000.0, chip="RP9999")
    assert (model.source, model.factor) == ("rules", 1)


# Only files of real boards make a board measured.
def test_boards_are_measured_or_emulated(tmp_path, tflm):
    assert {board["times"] for board in tflm("boards", "--json").json()["known"]} == {"emulated"}
    data = {"format": 1, "board": {"machine": "Raspberry Pi Pico with RP2040"}}
    for second, wanted in ((1.001, {"RPI_PICO"}), (0.3, set())):
        text = json.dumps({**data, "seconds_per_second": second})
        (tmp_path / "one.json").write_text(text)
        assert measured_boards.measured_boards(tmp_path) == wanted
