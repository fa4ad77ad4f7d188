# Tests of the app `mlperf_tiny` on an emulated Pico: each task of the benchmark equals TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import os
import time

import numpy as np
import pytest
from on_pico import with_romfs
from session import Session
from support import mlperf_sound
from support.mlperf_client import Client, model_input, random_input, wanted_results
from support.mlperf_interface import READY, InterfaceBoard
from support.oracle import shared_oracle
from tflm_tools.board import profiles, romfs_image
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.model_file import open_model

BOARD = "RPI_PICO"
_REAL = {
    "ad01": "mlperf_ad01_int8",
    "kws01": "mlperf_kws_int8",
    "ic01": "mlperf_resnet8_int8",
    "vww01": "mlperf_vww96_int8",
}


@pytest.fixture
def start(firmware, tmp_path):
    """Return start(model, **options of emulators.start): an emulated Pico with the app.

    model: bytes of a .tflite for ROMFS.
    """
    import emulators

    boards = []

    def begin(model, **options):
        built = firmware(BOARD, "mlperf_tiny")
        flat = flatten(model, target=profiles.named(BOARD).target)
        contents = romfs_image.image({"model.tflm": flat})
        image = with_romfs(built, contents, tmp_path / "firmware.uf2")
        boards.append(
            emulators.start(BOARD, image, flash=tmp_path / "flash.bin", fast=True, **options)
        )
        return boards[-1]

    yield begin
    for board in boards:
        board.stop()


# Return a client on the board's port. The app's greeting may come before the first answer.
def _client(board):
    port = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
    client = Client(port, timeout=240)
    said = client.ask("name")
    while not said[-1].startswith("m-name"):
        said = client.lines()
    return client


@pytest.mark.parametrize("task", _REAL)
def test_tasks(task, start, shared_models):
    model = open_model(shared_models / f"{_REAL[task]}.tflite")
    client = _client(start(model.data))
    assert f"m-model-[{task}]" in client.ask("profile")
    data = random_input(task, 1)
    array = model_input(task, data, model.inputs[0])
    output = shared_oracle().run(model.data, [[array]])[0][0]
    client.load(data)
    elapsed, results = client.infer(1)
    wanted = wanted_results(task, data, output, model.outputs[0])
    assert results == pytest.approx(wanted, abs=0.00051, rel=1e-5)
    assert 0 < elapsed < 10_000_000


# Ctrl-C leads to the prompt. A settings.py among the board's files overrides the app's.
def test_settings(start, repository):
    board = start((repository / "models" / "digits" / "digits_int8.tflite").read_bytes())
    client = _client(board)
    assert client.ask("name") == ["m-name-dut-[tflm]"]
    data = random_input("custom", 1, 64)
    client.load(data)
    one_core = client.infer(1)[1]
    client.write(b"\x03")
    settings = (repository / "firmware" / "apps" / "mlperf_tiny" / "settings.py").read_text()
    text = settings.replace('NAME = "tflm"', 'NAME = "mine"').replace(
        "MODEL = None", "MODEL = 'x'"
    )
    with Session(board) as session:
        session.exec(f"with open('settings.py', 'w') as file: file.write({text!r})")
    client.write(b"\x04")
    client = _client(board)
    assert client.ask("name") == ["m-name-dut-[mine]"]
    assert "m-model-[x]" in client.ask("profile")
    client.load(data)
    assert client.infer(1)[1] == one_core


# Run the benchmark sww01 through an interface board: I2S in, outputs and pulses out. The board
# computes the features' tables in single precision, and the test on the host in double precision.
def test_stream(start, tmp_path):
    samples = mlperf_sound.sound(30, slice(5, 18))
    mlperf_sound.write_wav(tmp_path / "sound.wav", samples)
    data = mlperf_sound.model()
    slots = tmp_path / "slots"
    board = start(data, xip=48, i2s_master=(16, 17, 18, slots), watch=(3, 6))
    client = _client(board)
    interface = InterfaceBoard(board, client, slots, tmp_path)
    assert "[dut]: m-model-[sww01]" in interface.ask("dut profile")
    wanted = mlperf_sound.outputs(
        shared_oracle(), data, np.trunc(mlperf_sound.exact_features(samples))
    )
    interface.ask("dut stop")
    assert "[dut]: Listening for I2S data ... " in interface.ask("dut start")
    interface.ask("record_detections")
    assert interface.ask("play sound.wav")[1] == "succeeded."
    time.sleep(0.25)
    said = [line.removeprefix("[dut]: ") for line in interface.ask("dut stop")]
    found = mlperf_sound.activations(said[:-1])
    assert len(found) == len(wanted)
    assert np.abs(np.subtract(found, wanted)).max() <= 1
    pulses = [int(line.rstrip(",")) for line in interface.ask("print_detections")[1:-1]]
    blocks = [round((at - pulses[0]) / 32) for at in pulses]
    assert blocks == mlperf_sound.detections(found)
    assert len(blocks) > 2
    cycle = interface.ask("print_dutycycle")
    assert cycle.pop() == READY
    at = cycle.index("Duty cycle stop times (s)")
    begins, ends = (
        np.array([int(number) for number in "".join(lines).split(",") if number.strip()]) / 100
        for lines in (cycle[1:at], cycle[at + 1 :])
    )
    assert len(begins) == len(ends) == len(wanted)
    np.testing.assert_allclose(np.diff(begins), 32, atol=0.3)
    print(f"{np.mean(ends - begins):.2f} ms of 32 ms with a small model")
    assert np.max(ends - begins) < 9
