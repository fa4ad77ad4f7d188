# Tests of tflm.motion and of the app `gestures` on an emulated Pico with sensors at its I2C bus
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

_WEARER = 20_007  # not in the training data
_GESTURES = "circle", "tap", "wave", "shake"  # in this order, with pauses
_PAUSE, _GESTURE = 150, 200  # lengths in samples
_STEPS = 8192  # steps per g of the sensor in the app
_LENGTH, _STEP = 96, 12  # of the app's windows
_LIKELY, _LOOKS = 0.8, 2  # the app reports a gesture after two windows with this score

# Reads 200 samples of a sensor in four blocks without heap allocation, then checks the overrun
# counters of a full FIFO.
_READ = """
import json, machine, micropython, time
from tflm.motion import lsm6ds, mpu6050

i2c = machine.I2C(0, sda=machine.Pin(4), scl=machine.Pin(5), freq=400_000)
source = %s
samples = bytearray(200 * source.sample_bytes)
blocks, at = [], 0
for size in (7, 50, 100, 43):
    begin, end = at * source.sample_bytes, (at + size) * source.sample_bytes
    blocks.append(memoryview(samples)[begin:end])
    at += size


def read():
    micropython.heap_lock()
    for block in blocks:
        source.readinto(block)
    micropython.heap_unlock()


read()
first = samples.hex()
lost = [source.overruns]
begin = time.ticks_ms()
time.sleep_ms(%d)
source.readinto(blocks[0])
lost += [source.overruns, source.lost, time.ticks_diff(time.ticks_ms(), begin)]
source.close()
print(json.dumps([first, bytes(blocks[0]).hex(), lost, source.scale]))
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
    # Samples after the loss are consecutive, and `lost` counts the missing samples.
    after = np.frombuffer(bytes.fromhex(after), "<i2").reshape(-1, axes)
    (again,) = np.flatnonzero((wanted[:, :axes] == after[0]).all(axis=1))
    np.testing.assert_array_equal(after, wanted[again : again + 7, :axes])
    assert lost[:2] == [0, 1]
    assert lost[2] == pytest.approx(again - first - 200, abs=2 + 0.02 * rate)


# Reads 100 samples; the first 40 wait while the program computes. Then more samples wait than the
# buffer holds.
_MEASURE = """
import json, micropython, time
from tflm.motion.analog import Analog

source = Analog((26, 27), rate=250)
samples = bytearray(100 * source.sample_bytes)
first, second = memoryview(samples)[:160], memoryview(samples)[160:]
begin = time.ticks_ms()
while time.ticks_diff(time.ticks_ms(), begin) < 160:
    pass
micropython.heap_lock()
source.readinto(first)
source.readinto(second)
micropython.heap_unlock()
overruns = [source.overruns]
time.sleep_ms(1500)
last = bytearray(4)
source.readinto(last)
source.close()
print(json.dumps([samples.hex(), last.hex(), overruns + [source.overruns, source.lost]]))
"""


# Samples are 4 ms apart, and each one has the voltages of its time.
def test_analog(emulated, tmp_path):
    times = np.arange(4096)
    values = np.stack([times, 4095 - times, 0 * times], axis=1).astype("<u2")
    (tmp_path / "voltages").write_bytes(values.tobytes())
    board = emulated("RPI_PICO", app="gestures", fast=True, analog=tmp_path / "voltages")
    with Session(board) as session:
        samples, last, lost = json.loads(session.exec(_MEASURE))
    samples, last = (
        (np.frombuffer(bytes.fromhex(text), "<i2").astype(int).reshape(-1, 2) + 32768) >> 4
        for text in (samples, last)
    )
    np.testing.assert_array_equal(samples.sum(axis=1), 4095)
    passed = np.diff(samples[:, 0]) % 4096
    assert passed.sum() == pytest.approx(99 * 4, abs=1) and set(passed) <= {3, 4, 5}
    missing = (last[0, 0] - samples[-1, 0]) % 4096 // 4
    assert lost == [0, 1, pytest.approx(missing, abs=2)]


# Return samples int16 [n, 6] of a person outside the training data: gestures with pauses between
# them.
def _motion():
    wearer = Wearer(_WEARER)
    records = []
    for gesture in _GESTURES:
        records += [wearer.record("none", _PAUSE), wearer.record(gesture, _GESTURE, 0.5, 3.5)]
    records.append(wearer.record("none", _PAUSE))
    samples = np.zeros((sum(map(len, records)), 6), "<i2")
    samples[:, :3] = np.clip(np.round(np.concatenate(records) * _STEPS), -32768, 32767)
    return samples


# Return the expected output of the app: TFLM classifies the same windows.
def _lines(path, samples):
    ends = range(_LENGTH, len(samples) + 1, _STEP)
    windows = np.stack([samples[end - _LENGTH : end, None, :3] for end in ends])
    inspected = tt.inspect(path)
    labels, (tensor,) = inspected.contents.labels, inspected.inputs
    units = [np.float32(1 / _STEPS)] * 3  # boards have single precision
    windows = quantize(windows, units, np.float32(tensor.scale), tensor.zero_point)
    runs = oracle.run(path.read_bytes(), [[window[None]] for window in windows]).outputs
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


# From power-on: the app prints gestures and sets the LED.
def test_app(emulated, repository, tmp_path):
    samples = _motion()
    (tmp_path / "samples").write_bytes(samples.tobytes())
    motion = "mpu6050", 0, tmp_path / "samples"
    board = emulated("RPI_PICO", app="gestures", fast=True, led=True, motion=motion)
    said = listen(board, r" s  .*%.*ms\n", len(_GESTURES))
    wanted = _lines(repository / "models" / "gestures" / "gestures_int8.tflite", samples)
    assert said.splitlines()[0] == "watching for circle, wave, shake, tap"
    assert [line.partition(", in ")[0] for line in said.splitlines()[1:]] == wanted
    assert [line.split()[2] for line in wanted] == list(_GESTURES)
    assert len(re.findall(r"led on", board.log)) == len(_GESTURES)
    milliseconds = [float(ms) for ms in re.findall(r"in (\d+\.\d) ms", said)]
    print(f"{max(milliseconds)} ms at most, at 125 MHz")
    assert max(milliseconds) < 10
