# Tests of `tflm measure` on emulated Picos: clocks and flash that differ from the stated ones
# MIT license; Copyright (c) 2026 the tflm authors

import json
import zipfile

import pytest
from tflm_tools.board import measured_boards
from tflm_tools.measure import board_measurement, hardware, kernel_check

_CASES = 4  # of the stored models


# Stored models of few kernels: all of them take an hour in an emulator.
@pytest.fixture
def few_cases(tmp_path, monkeypatch):
    path = tmp_path / "cases.zip"
    with zipfile.ZipFile(kernel_check.CASES) as source, zipfile.ZipFile(path, "w") as target:
        names = [name for name in source.namelist() if name.endswith(".tflite")]
        for name in names[:: len(names) // _CASES]:
            for each in (name, name.replace(".tflite", ".npz")):
                target.writestr(each, source.read(each))
    monkeypatch.setattr(kernel_check, "CASES", path)


# Each factor shows one cause: a core at 200 MHz that its firmware calls 125 MHz, a flash that is
# twice as slow.
@pytest.mark.parametrize("clock, miss", [(1, 48), (1.6, 48), (1.6, 96)])
def test_measure_a_pico(emulated, repository, tmp_path, few_cases, clock, miss):
    model = repository / "models" / "hello_world" / "hello_world_int8.tflite"
    board = emulated("RPI_PICO", stock=True, fast=True, clock=clock, xip=miss)
    found = board_measurement.measure(board.port, [model])
    assert found.is_right() and found.is_emulated()
    speed, flash, row = found.compared
    assert speed.what == "clock, MHz" and speed.estimated == 125
    assert speed.factor == pytest.approx(clock, rel=0.02)
    assert flash.factor == pytest.approx(miss / 48, rel=0.1)
    assert row.what == "hello_world_int8" and row.factor > 0
    cycles = found.board.models[0].best_us * 125 * clock
    assert row.cycles == pytest.approx(cycles, rel=0.05)

    path = tmp_path / "measured.json"
    board_measurement.write(found, path)
    assert board.port not in path.read_text()
    assert json.loads(path.read_text())["chip"] == "RP2040"
    assert hardware.read(path).models[0].equal
    assert not measured_boards.measured_boards(tmp_path)  # emulated boards do not count
