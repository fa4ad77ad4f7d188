# Tests of tflm.motion and the app gestures on an emulated Pico: sensors at its I2C bus
# MIT license; Copyright (c) 2026 the tflm authors

import json
import re

import numpy as np
import pytest
import tflm_tools as tt
from motion.reference import quantize
from session import Session
from terminal import listen
from tflm_tools.check import oracle

from models.gestures.wearers import Wearer

_WEARER = 20_007  # held out
_DONE = "circle", "tap", "wave", "shake"  # one after the other, with pauses
_PAUSE, _LONG = 150, 200  # samples
_STEPS = 8192  # a g: as the app has the sensor
_LENGTH, _STEP = 96, 12  # of its windows
_LIKELY, _LOOKS = 0.8, 2  # when it tells a gesture

# 200 samples of a sensor by 7 and 50, with nothing allocated; then what a full FIFO counts.
_READ = """
import json, machine, micropython, time
from tflm.motion import lsm6ds, mpu6050

i2c = machine.I2C(0, sda=machine.Pin(4), scl=machine.Pin(5), freq=400_000)
source = %s
samples = bytearray(200 * source.sample_bytes)
parts, at = [], 0
for size in (7, 50, 100, 43):
    parts.append(memoryview(samples)[at * source.sample_bytes : (at + size) * source.sample_bytes])
    at += size


def read():
    micropython.heap_lock()
    for part in parts:
        source.readinto(part)
    micropython.heap_unlock()


read()
first = samples.hex()
lost = [source.overruns]
begin = time.ticks_ms()
time.sleep_ms(%d)
source.readinto(parts[0])
lost += [source.overruns, source.lost, time.ticks_diff(time.ticks_ms(), begin)]
source.close()
print(json.dumps([first, bytes(parts[0]).hex(), lost, source.scale]))
"""


@pytest.mark.parametrize(
    "name, call, rate, axes, pause",
    [
        ("mpu6050", "mpu6050.MPU6050(i2c, rate=500, turns=500)", 500, 6, 1000),
        ("lsm6ds3", "lsm6ds.LSM6DS(i2c, rate=208, turns=500)", 208, 6, 4000),
        ("lsm6dsox", "lsm6ds.LSM6DS(i2c, rate=416)", 416, 3, 2000),
        ("lsm6dsox", "lsm6ds.LSM6DS(i2c, rate=208, turns=500)", 208, 6, 2000),
    ],
)
def test_samples(emulated, tmp_path, name, call, rate, axes, pause):
    wanted = np.random.RandomState(4).randint(-32768, 32768, (4000, 6)).astype("<i2")
    (tmp_path / "samples").write_bytes(wanted.tobytes())
    motion = name, 0, tmp_path / "samples"
    board = emulated("RPI_PICO", app="gestures", fast=True, motion=motion)
    with Session(board) as session:
        session.exec("import machine; machine.freq(125_000_000)")
        samples, after, lost, scale = json.loads(session.exec(_READ % (call, pause)))
    samples = np.frombuffer(bytes.fromhex(samples), "<i2").reshape(-1, axes)
    (first,) = np.flatnonzero((wanted[:, :axes] == samples[0]).all(axis=1))
    np.testing.assert_array_equal(samples, wanted[first : first + 200, :axes])
    assert scale == pytest.approx({"mpu6050": 4 / 32768}.get(name, 0.000122))
    # What is read after the loss is what comes next, and as many were lost as are missing.
    after = np.frombuffer(bytes.fromhex(after), "<i2").reshape(-1, axes)
    (again,) = np.flatnonzero((wanted[:, :axes] == after[0]).all(axis=1))
    np.testing.assert_array_equal(after, wanted[again : again + 7, :axes])
    assert lost[:2] == [0, 1]
    assert lost[2] == pytest.approx(again - first - 200, abs=2 + 0.02 * rate)


# 100 samples, of which the program leaves 60 waiting while it computes; then more than are kept.
_MEASURE = """
import json, micropython, time
from tflm.motion.analog import Analog

source = Analog((26, 27), rate=250)
samples = bytearray(100 * source.sample_bytes)
parts = memoryview(samples)[:160], memoryview(samples)[160:]
begin = time.ticks_ms()
while time.ticks_diff(time.ticks_ms(), begin) < 160:
    pass
micropython.heap_lock()
source.readinto(parts[0])
source.readinto(parts[1])
micropython.heap_unlock()
told = [source.overruns]
time.sleep_ms(1500)
last = bytearray(4)
source.readinto(last)
source.close()
print(json.dumps([samples.hex(), last.hex(), told + [source.overruns, source.lost]]))
"""


# Each sample is what the pins have at its time, 4 ms behind the one before.
def test_analog(emulated, tmp_path):
    times = np.arange(4096)
    values = np.stack([times, 4095 - times, 0 * times], axis=1).astype("<u2")
    (tmp_path / "voltages").write_bytes(values.tobytes())
    board = emulated("RPI_PICO", app="gestures", fast=True, analog=tmp_path / "voltages")
    with Session(board) as session:
        samples, last, lost = json.loads(session.exec(_MEASURE))
    samples, last = (
        (np.frombuffer(bytes.fromhex(part), "<i2").astype(int).reshape(-1, 2) + 32768) >> 4
        for part in (samples, last)
    )
    np.testing.assert_array_equal(samples.sum(axis=1), 4095)
    passed = np.diff(samples[:, 0]) % 4096
    assert passed.sum() == pytest.approx(99 * 4, abs=1) and set(passed) <= {3, 4, 5}
    missing = (last[0, 0] - samples[-1, 0]) % 4096 // 4
    assert lost == [0, 1, pytest.approx(missing, abs=2)]


# int16 [n, 6] of somebody whom the model was not trained with: gestures, and pauses between them.
def _motion():
    wearer = Wearer(_WEARER)
    parts = []
    for gesture in _DONE:
        parts += [wearer.record("none", _PAUSE), wearer.record(gesture, _LONG, 0.5, 3.5)]
    parts.append(wearer.record("none", _PAUSE))
    samples = np.zeros((sum(map(len, parts)), 6), "<i2")
    samples[:, :3] = np.clip(np.round(np.concatenate(parts) * _STEPS), -32768, 32767)
    return samples


# The lines that the app has to print of samples: TFLM looks at the same windows.
def _lines(path, samples):
    ends = range(_LENGTH, len(samples) + 1, _STEP)
    parts = np.stack([samples[end - _LENGTH : end, None, :3] for end in ends])
    inspected = tt.inspect(path)
    labels, (tensor,) = inspected.contents.labels, inspected.inputs
    units = [np.float32(1 / _STEPS)] * 3  # boards have single precision
    parts = quantize(parts, units, np.float32(tensor.scale), tensor.zero_point)
    runs = oracle.run(path.read_bytes(), [[part[None]] for part in parts]).outputs
    scores = [outputs[0][0] for outputs in runs]
    last, looks, lines = "none", 0, []
    for end, values in zip(ends, scores, strict=True):
        best = (int(values.max()) + 128) / 256
        if best < _LIKELY:
            continue
        name = labels[values.argmax()]
        looks = looks + 1 if name == last else 1
        last = name
        if looks == _LOOKS and name != "none":
            lines.append(f"{end / 50:8.2f} s  {name:8} {100 * best:3.0f} %")
    return lines


# From power-on: what the app prints, and the LED.
def test_the_app_tells_gestures(emulated, repository, tmp_path):
    samples = _motion()
    (tmp_path / "samples").write_bytes(samples.tobytes())
    motion = "mpu6050", 0, tmp_path / "samples"
    board = emulated("RPI_PICO", app="gestures", fast=True, led=True, motion=motion)
    said = listen(board, r" s  .*%.*ms\n", len(_DONE))
    wanted = _lines(repository / "models" / "gestures" / "gestures_int8.tflite", samples)
    assert said.splitlines()[0] == "watching for circle, wave, shake, tap"
    assert [line.partition(", in ")[0] for line in said.splitlines()[1:]] == wanted
    assert [line.split()[2] for line in wanted] == list(_DONE)
    assert len(re.findall(r"led on", board.log)) == len(_DONE)
    milliseconds = [float(ms) for ms in re.findall(r"in (\d+\.\d) ms", said)]
    print(f"{max(milliseconds)} ms at most, at 125 MHz")
    assert max(milliseconds) < 10
