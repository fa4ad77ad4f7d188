# Tests of the app mlperf_tiny in the unix port: the runner's commands, and the inputs of each task
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import os
import pty
import shutil
import struct
import subprocess
import tty

import numpy as np
import pytest
from support import mlperf_sound
from support.mlperf_client import Client, model_input, random_input, results, wanted_results
from support.oracle import shared_oracle
from support.runner import micropython_path
from support.script import run_script
from support.single_op import Tensor, single_op
from tflm_tools.apps.rom_contents import rom_files
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.model_file import open_model

# A small model for each input shape of the benchmark; the scale of ad01 causes halves in rounding.
_INT8 = {"scale": 0.5, "zero_point": 7}
_FINE = {"scale": 1 / 256, "zero_point": -128}


# A model that computes the maximum of all pixels.
def _max_pool_model(shape):
    _, height, width, channels = shape
    return single_op(
        "MAX_POOL_2D",
        [Tensor(shape, "int8", **_FINE)],
        [Tensor((1, 1, 1, channels), "int8", **_FINE)],
        padding="VALID", stride_h=1, stride_w=1, filter_height=height, filter_width=width,
    )  # fmt: skip


_MODELS = {
    "ic01": lambda: _max_pool_model((1, 32, 32, 3)),
    "vww01": lambda: _max_pool_model((1, 96, 96, 3)),
    "kws01": lambda: _max_pool_model((1, 49, 10, 1)),
    "ad01": lambda: single_op(
        "ABS", [Tensor((1, 640), "int8", **_INT8)], [Tensor((1, 640), "int8", **_INT8)]
    ),
}
_REAL = {
    "ic01": "mlperf_resnet8_int8",
    "vww01": "mlperf_vww96_int8",
    "kws01": "mlperf_kws_int8",
    "ad01": "mlperf_ad01_int8",
}


@pytest.fixture
def start(repository, tmp_path):
    """Return a function start(model, changed, sound) that starts the app and returns a Client.

    changed: a folder of files that replace the app's own. sound: a WAV file.
    """
    with contextlib.ExitStack() as stack:

        def begin(model=None, changed=None, sound=None):
            app = repository / "firmware" / "apps" / "mlperf_tiny"
            for name, data in rom_files(app, model).items():
                (tmp_path / name).write_bytes(data)
            if changed:
                shutil.copy(app / "main.py", changed)
            main = (changed or app) / "main.py"
            master, slave = pty.openpty()
            tty.setraw(slave)
            process = subprocess.Popen(
                [micropython_path(), "-X", "heapsize=1M", str(main), str(tmp_path)]
                + ([str(sound)] if sound else []),
                env={**os.environ, "MICROPYPATH": f"{app}:{repository / 'modules'}:.frozen"},
                stdin=slave, stdout=slave, stderr=slave,
            )  # fmt: skip
            os.close(slave)
            stack.callback(os.close, master)
            stack.callback(process.wait)
            stack.callback(process.kill)
            client = Client(master)
            client.said = client.lines()
            return client

        yield begin


# Write a model to a file; return its path.
def _model_file(folder, data):
    path = folder / "model.tflite"
    path.write_bytes(data)
    return path


# Compare the app's results on `count` random inputs with TFLM.
def _check_inputs(client, task, path, count):
    model = open_model(path)
    model_in, model_out = model.inputs[0], model.outputs[0]
    for seed in range(count):
        data = random_input(task, seed)
        array = model_input(task, data, model_in)
        output = shared_oracle().run(model.data, [[array]])[0][0]
        client.load(data)
        # A model may overwrite its input, so the app must set it before each of the two invokes.
        elapsed, numbers = client.infer(2, 1)
        assert elapsed > 0
        expected = wanted_results(task, data, output, model_out)
        assert numbers == pytest.approx(expected, abs=0.00051, rel=1e-5)
        assert results(client.ask("results")[0]) == numbers


@pytest.mark.parametrize("task", _MODELS)
def test_small_models(task, start, tmp_path):
    client = start(_model_file(tmp_path, _MODELS[task]()))
    assert f"m-model-[{task}]" in client.ask("profile")
    _check_inputs(client, task, tmp_path / "model.tflite", 1 if task == "vww01" else 3)


@pytest.mark.parametrize("task", _REAL)
def test_real_models(task, start, shared_models):
    path = shared_models / f"{_REAL[task]}.tflite"
    client = start(path)
    assert f"m-model-[{task}]" in client.ask("profile")
    _check_inputs(client, task, path, 1)


# Inputs are rounded with halves away from zero and clamped; NaN becomes 0.
def test_rounding_of_inputs(start, tmp_path):
    client = start(_model_file(tmp_path, _MODELS["ad01"]()))
    # All elements have the same value, so the mean squared error is (output - value)².
    for value, output in [
        (0.2, 0.0), (0.25, 0.5), (-0.25, 0.5), (0.75, 1.0), (-0.75, 1.0), (0.7, 0.5),
        (59.9, 60.0), (62.0, 60.0), (-67.6, 60.0), (-70.0, 60.0), (1e3, 60.0), (-1e3, 60.0),
    ]:  # fmt: skip
        client.load(struct.pack("<f", value) * 640)
        assert client.infer(1)[1] == pytest.approx([(output - value) ** 2], rel=1e-5, abs=6e-4)
    for value in (float("inf"), float("-inf")):
        client.load(struct.pack("<f", value) * 640)
        assert client.ask("infer 1 0")[-1] == "m-results-[inf]"
    client.load(struct.pack("<640f", *640 * [float("nan")]))
    assert client.ask("infer 1 0")[-1] == "m-results-[nan]"


def test_first_lines_and_names(start):
    client = start()
    assert client.said[0] == "m-timestamp-mode-performance"
    assert client.said[1].startswith("m-lap-us-")
    assert client.said[2:] == ["m-init-done"]
    assert client.ask("name") == ["m-name-dut-[tflm]"]
    assert client.ask("profile") == [
        "m-profile-[ULPMark for tinyML Firmware V0.0.1]",
        "m-model-[custom]",
    ]
    (first,), (second,) = client.ask("timestamp"), client.ask("timestamp")
    assert int(first.removeprefix("m-lap-us-")) < int(second.removeprefix("m-lap-us-"))
    assert client.ask("help")[0] == "ULPMark for tinyML Firmware V0.0.1"


# Replies as of the reference, also to commands with line ends and to commands that are too long.
@pytest.mark.parametrize(
    "commands",
    [
        [("db load 10", ["m-[Expecting 10 bytes]"]), ("db 0001fA", []),
         ("db 03040506070809ffff", ["m-load-done"]),
         ("db print", ["m-buffer-00-01-fa-03-04-05-06-07", "m-buffer-08-09", ""]),
         ("db 00", ["e-[Too many bytes; send 'db load' first]"])],
        [("db load 8", ["m-[Expecting 8 bytes]"]), ("db 0102030405060708", ["m-load-done"]),
         ("db print 4 2", ["m-buffer-01-02-03-04-05-06-07-08"])],
        [("db 00", ["e-[Too many bytes; send 'db load' first]"])],
        [("db", ["e-[Command 'db' requires a subcommand]"])],
        [("db load", ["e-[Command 'db load' requires the # of bytes]"])],
        [("db load 0", ["e-[Command 'db load' must be >0 bytes]"])],
        [("db load -3", ["e-[Command 'db load' must be >0 bytes]"])],
        [("db load x", ["e-[Command 'db load' must be >0 bytes]"])],
        [("db load 27648", ["m-[Expecting 27648 bytes]"])],
        [("db load 27649", ["Supplied buffer size 27649 exceeds maximum of 27648"])],
        [("db load 4", ["m-[Expecting 4 bytes]"]), ("db 01g0", ["e-[Invalid hex digit 'g0']"]),
         ("db 123", ["e-[Insufficent number of hex digits]"]), ("db 020304", ["m-load-done"]),
         ("db print", ["m-buffer-01-02-03-04", ""])],
        [("infer 0", ["e-[Inference iterations must be >0]"])],
        [("infer 1 -1", ["e-[Inference warmup must be >=0]"])],
        [("\r\n  name ", ["m-name-dut-[tflm]"]), ("", ["e-[Unknown command: ]"])],
        [("Name", ["e-[Unknown command: Name]"]), ("names", ["e-[Unknown command: names]"])],
        [("x" * 200, [f"e-[Unknown command: {'x' * 80}]"]), ("name", ["m-name-dut-[tflm]"])],
    ],
    ids=lambda commands: commands[0][0][:20] or "empty",
)  # fmt: skip
def test_commands(commands, start):
    client = start()
    for command, expected in commands:
        assert client.ask(command) == expected


# A command that is not valid UTF-8 does not end the app.
def test_binary_command(start):
    client = start()
    client.write(bytes(range(128, 256)) + b"%")
    reply = b""
    while not reply.endswith(b"m-ready\r\n"):
        reply += os.read(client.source, 1)
    assert reply == b"e-[Unknown command: " + bytes(range(128, 208)) + b"]\r\nm-ready\r\n"
    assert client.ask("name") == ["m-name-dut-[tflm]"]


# An input that is too short is reported, and the model runs on its old input.
def test_short_input(start, tmp_path):
    client = start(_model_file(tmp_path, _MODELS["kws01"]()))
    client.load(random_input("kws01", 1))
    before = client.infer(1)[1]
    client.load(bytes(489))
    reply = client.ask("infer 1 0")
    assert reply[0] == "Input db has 489 elemented, expected 490"
    assert results(reply[-1]) == before


def test_default_warm_up(start):
    assert start().ask("infer 3")[1:4] == ["m-warmup-start-10", "m-warmup-done", "m-infer-start-3"]


# A module machine for the energy mode, which logs the levels of pins.
_MACHINE = """
import sys
class Pin:
    OPEN_DRAIN, OUT = 2, 1
    def __init__(self, number, mode=None, value=None):
        self.number = number
    def value(self, level):
        with open({log!r}, "a") as file:
            file.write("%d=%d " % (self.number, level))
class UART:
    def __init__(self, number, rate, tx, rx):
        assert (number, rate, tx.number, rx.number) == (1, 9600, 4, 5)
        self.readinto = sys.stdin.buffer.readinto
        self.full = False
    def write(self, data):  # like an RP2040's UART, which may write only some bytes or none
        self.full = not self.full
        return None if self.full else sys.stdout.buffer.write(data[:11])
"""


# In energy mode commands come by UART, and a pin falls at each timestamp.
def test_energy_mode(start, repository, tmp_path):
    settings = repository / "firmware" / "apps" / "mlperf_tiny" / "settings.py"
    folder = tmp_path / "first"
    folder.mkdir()
    text = settings.read_text().replace("ENERGY = False", "ENERGY = True")
    (folder / "settings.py").write_text(text)
    (folder / "machine.py").write_text(_MACHINE.format(log=str(tmp_path / "log")))
    client = start(_model_file(tmp_path, _MODELS["kws01"]()), folder)
    assert client.said == ["m-timestamp-mode-energy", "m-init-done"]
    data = random_input("kws01", 5)
    client.load(data)
    client.infer(1, energy=True)
    assert (tmp_path / "log").read_text().split() == ["2=0", "2=1"] * 3


# An invalid model or sound file is reported on the port.
@pytest.mark.parametrize("wrong", ["model", "sound"])
def test_invalid_file(wrong, repository, tmp_path):
    app = repository / "firmware" / "apps" / "mlperf_tiny"
    model = flatten(mlperf_sound.model()) if wrong == "sound" else b"nothing"
    (tmp_path / "model.tflm").write_bytes(model)
    done = subprocess.run(
        [micropython_path(), str(app / "main.py"), str(tmp_path), str(app / "main.py")],
        env={**os.environ, "MICROPYPATH": f"{app}:{repository / 'modules'}:.frozen"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.startswith("e-[") and "Traceback" not in done.stdout + done.stderr
    assert ("is not a WAV file" in done.stdout) == (wrong == "sound")


# ic02 has the same input as ic01, but a larger file.
def test_name_of_the_larger_model(start, tmp_path):
    weights = np.random.default_rng(2).integers(-9, 10, (70, 3072)).astype(np.int8)
    data = single_op(
        "FULLY_CONNECTED",
        [Tensor((1, 32, 32, 3), "int8", **_FINE), Tensor(weights.shape, "int8", weights, **_INT8)],
        [Tensor((1, 70), "int8", scale=4.0, zero_point=3)],
    )
    client = start(_model_file(tmp_path, data))
    assert "m-model-[ic02]" in client.ask("profile")
    _check_inputs(client, "ic01", tmp_path / "model.tflite", 1)


# Prints the features of each block of a file of samples.
_FEATURES = """
import sys
sys.path.insert(0, {app!r})
from array import array
from features import Features
features = Features({scale!r}, -128)
row = bytearray(40)
with open({path!r}, "rb") as file:
    for run in range(2):
        features.reset()
        file.seek(0)
        for _ in range({blocks}):
            samples = array("h", file.read(1024))
            features.run(samples, row)
            if run:
                print(row.hex())
"""


# Compute the features of int16 samples with the app's code.
def _features(repository, folder, samples):
    path = folder / "samples"
    path.write_bytes(np.asarray(samples, "<i2").tobytes())
    output = run_script(_FEATURES.format(
        app=str(repository / "firmware" / "apps" / "mlperf_tiny"), scale=mlperf_sound.SCALE,
        path=str(path), blocks=len(samples) // mlperf_sound.STRIDE,
    ))  # fmt: skip
    return np.array([np.frombuffer(bytes.fromhex(line), np.int8) for line in output.split()])


# The app's integer features against the reference's definition in float64: they differ only where
# the exact value is close to a rounding boundary.
def test_features(repository, tmp_path):
    time = np.arange(20 * mlperf_sound.STRIDE)
    random = np.random.default_rng(1)
    noise = random.normal(0, 1, len(time)) * 10 ** random.uniform(0, 4, 20).repeat(512)
    for samples in (
        np.clip(noise, -32768, 32767),
        random.integers(-32768, 32768, len(time)),
        20000 * np.sin(1e-4 * time * time),  # a sweep through all bands
        np.where(time // 512 % 2, 32767, -32768) * (time // 2048 % 2),
    ):
        samples = samples.round()
        features = _features(repository, tmp_path, samples)
        exact = mlperf_sound.exact_features(samples)
        expected = np.trunc(exact)
        differs = features != expected
        assert np.abs(features - expected).max() <= 1
        assert np.mean(differs) < 0.02
        assert np.all(np.abs(exact - np.round(exact))[differs] < 0.3)


def test_sound_stream(repository, start, tmp_path):
    samples = mlperf_sound.sound(40, slice(10, 26))
    wav = tmp_path / "sound.wav"
    mlperf_sound.write_wav(wav, samples)
    data = mlperf_sound.model()
    folder = tmp_path / "first"
    folder.mkdir()
    (folder / "machine.py").write_text(_MACHINE.format(log=str(tmp_path / "log")))
    client = start(_model_file(tmp_path, data), folder, wav)
    assert "m-model-[sww01]" in client.ask("profile")
    expected = mlperf_sound.outputs(
        shared_oracle(), data, _features(repository, tmp_path, samples)
    )
    assert client.ask("stop") == ["I2S is already idle.  Ignoring stop request"]
    for _ in range(2):
        (tmp_path / "log").write_text("")
        reply = client.ask("start")
        assert reply[0].startswith("m-lap-us-")
        assert reply[1:] == ["Listening for I2S data ... "]
        # The app answers commands while it processes sound.
        assert client.ask("start") == ["I2S Rx currently in progress. Ignoring request"]
        while (tmp_path / "log").read_text().count("6=0") < len(expected) + 1:
            assert client.ask("name") == ["m-name-dut-[tflm]"]
        reply = client.ask("stop")
        assert reply[0].startswith("m-lap-us-")
        assert reply[1:3] == ["Streaming stopped.", "target activations: "]
        assert mlperf_sound.activations(reply) == expected
        # A detection is a pulse of pin 3 between two edges of pin 6.
        pulses = (tmp_path / "log").read_text().replace("6=0", "\n").splitlines()
        blocks = [i for i, text in enumerate(pulses[1:]) if text.split() == ["6=1", "3=0", "3=1"]]
        assert blocks == mlperf_sound.detections(expected)
    assert len(blocks) > 3


# A receiver that loses 7 samples each time.
_LOSSY = """
exec(open({path!r}).read())
class Lossy(_WavFile):
    def stop(self):
        self.lost += 7
def open_sound():
    return Lossy(sys.argv[2])
"""


# Lost samples are reported before the outputs. Without outputs there are empty brackets, which the
# runner expects.
def test_lost_sound(repository, start, tmp_path):
    wav = tmp_path / "sound.wav"
    mlperf_sound.write_wav(wav, np.zeros(100, np.int16))
    path = repository / "firmware" / "apps" / "mlperf_tiny" / "peripherals.py"
    folder = tmp_path / "first"
    folder.mkdir()
    (folder / "peripherals.py").write_text(_LOSSY.format(path=str(path)))
    client = start(_model_file(tmp_path, mlperf_sound.model()), folder, wav)
    for _ in range(2):
        client.ask("start")
        assert client.ask("stop")[2:] == [
            "e-[7 samples were lost; the board is too busy]",
            "target activations: ",
            "[]",
        ]


def test_start_without_a_source_of_sound(start, tmp_path):
    client = start(_model_file(tmp_path, mlperf_sound.model()))
    assert client.ask("start") == [
        "e-[There is no source of sound; use a Pico, or name a WAV file]"
    ]
    assert client.ask("stop") == ["I2S is already idle.  Ignoring stop request"]
