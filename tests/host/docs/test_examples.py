# Tests of the programs in examples/, in the unix port with stand-ins for hardware
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import shutil
import subprocess
import sys
import wave

import numpy as np
import pytest
import tflm_tools as tt
from motion import boards
from support.script import run_script

_MAX_LINES = 40
_FLATTEN = r"#     tflm flatten (\S+) --target armv6m (?:\\\n# +)?-o (\S+)"

# A stand-in for `machine`: prints the values for pins, servos and displays. It ends the program
# when a sensor has no more samples, or after 100 calls of sleep.
_MACHINE = """
import sys, time

class End(BaseException):
    pass

class Pin:
    OUT = "out"
    def __init__(self, number, mode=None):
        self.number = number
    def value(self, value):
        print("led", int(value))

class PWM:
    def __init__(self, pin, freq):
        print("pwm", pin.number, freq)
    def duty_ns(self, value):
        print("ns", value)

class Display:
    def __init__(self, width, height, bus):
        self.dots = 0
    def fill_rect(self, x, y, width, height, colour):
        assert 0 <= x <= 128 - width and 0 <= y <= 64 - height
        self.dots += colour
    def text(self, text, x, y):
        assert x + 8 * len(text) <= 128
        print("text", text)
    def show(self):
        print("dots", self.dots)

class Sound:
    def __init__(self, **pins):
        print("sound", sorted(pins.items()))
        self.file = open("sound.raw", "rb")
    def readinto(self, buffer):
        if self.file.readinto(buffer) < len(buffer):
            raise End

class Camera:
    def __init__(self, bus, size, signed):
        print("camera", size, signed)
        self.file = open("frames.raw", "rb")
    def capture_into(self, view):
        if self.file.readinto(view) < len(view):
            raise End

class Module:
    def __init__(self, **names):
        for name in names:
            setattr(self, name, names[name])

class Samples(Bus):
    def readfrom_mem_into(self, address, register, buffer):
        if self.there > len(self.data):
            raise End
        super().readfrom_mem_into(address, register, buffer)

def i2c(number, sda, scl, freq):
    try:
        with open("samples.raw", "rb") as file:
            bus = Samples("mpu", file.read())
    except OSError:
        return None
    from tflm.motion import fifo, mpu6050
    fifo.time = mpu6050.time = Time(bus)
    return bus

sleeps = 0
def sleep_ms(count):
    global sleeps
    sleeps += 1
    if sleeps == 100:
        raise End

sys.modules["machine"] = Module(Pin=Pin, PWM=PWM, I2C=i2c)
sys.modules["ssd1306"] = Module(SSD1306_I2C=Display)
sys.modules["time"] = Module(sleep_ms=sleep_ms, ticks_ms=time.ticks_ms, ticks_diff=time.ticks_diff)
if "sound.raw" in __import__("os").listdir():
    from tflm.microphone import i2s
    i2s.Microphone = Sound
if "frames.raw" in __import__("os").listdir():
    from tflm.camera import hm01b0
    hm01b0.HM01B0 = Camera
with open("main.py") as file:
    program = file.read()
try:
    exec(program, {"__name__": "__main__"})
except End:
    pass
"""


@pytest.fixture
def run(repository, tflm, tmp_path, monkeypatch):
    """Return run(name): follow the commands in an example's header, run it, return its output."""

    def run(name):
        path = repository / "examples" / name / "main.py"
        text = path.read_text()
        assert len(text.splitlines()) <= _MAX_LINES
        for model, target in re.findall(_FLATTEN, text):
            # Flatten for this machine instead of a Pico.
            assert tflm("flatten", repository / model, "-o", tmp_path / target).code == 0
        for line in re.findall(r"#     mpremote cp (.*) :$", text, re.M):
            for file in line.split():
                if not file.endswith(".tflm"):
                    shutil.copy(repository / file, tmp_path)
                assert (tmp_path / file.split("/")[-1]).exists(), file
        monkeypatch.chdir(tmp_path)
        start = f"import sys\nsys.path.append({str(tmp_path)!r})\n"
        return run_script(start + boards.SOURCE + _MACHINE)

    return run


# Write samples, [n, 3] in g, for an MPU6050 with a range of 4 g.
def _samples(folder, motion):
    steps = np.clip(np.round(motion * 8192), -32768, 32767)
    (folder / "samples.raw").write_bytes(steps.astype(">i2").tobytes())


def test_imu(run, tmp_path):
    from models.gestures import wearers

    wearer = wearers.Wearer(31_000)
    records = [wearer.record("none", 150)]
    for gesture in ("shake", "wave"):
        records += [wearer.record(gesture, 200, 0.5, 3.5), wearer.record("none", 150)]
    _samples(tmp_path, np.concatenate(records))
    gestures = re.findall(r"^(\w+) +\d+ %", run("imu"), re.M)
    assert [name for name in gestures if name != "none"] == ["shake", "wave"]


# The bearing of a machine breaks after eleven seconds. The program learns from the first ten.
def test_vibration(run, repository, tmp_path):
    (z,) = np.loadtxt(repository / "models" / "anomaly" / "bearing.csv", ndmin=2).T / 1000
    _samples(tmp_path, np.stack([0 * z, 0 * z, z], 1))
    said = run("vibration")
    assert re.findall(r"odd|well", said) == ["well", "odd", "odd", "odd"]
    assert re.findall(r"led (\d)", said) == ["0", "1", "1", "1"]


def test_microphone(run, repository, tmp_path):
    with wave.open(str(repository / "models" / "keywords" / "words.wav")) as file:
        (tmp_path / "sound.raw").write_bytes(file.readframes(file.getnframes()))
    said = run("microphone").splitlines()
    assert said == ["sound [('sck', 16), ('sd', 18), ('ws', 17)]", "yes", "no", "stop"]


# Digits of the test set as pictures on paper. A pixel of n becomes a cell with n of 16 parts of
# ink.
def test_camera(run, repository, tmp_path):
    with np.load(repository / "models" / "digits" / "digits_test.npz") as file:
        x, y = file["x"][:20, :, :, 0], file["y"][:20]
    order = np.random.default_rng(1).permutation(144).reshape(12, 12) / 9  # 0 to 16
    dark = np.kron(x, np.ones((1, 12, 12))) > np.tile(order, (8, 8))
    (tmp_path / "frames.raw").write_bytes(np.where(dark, 40, 200).astype(np.uint8).tobytes())
    said = run("camera").splitlines()
    assert said[0] == "camera (96, 96) False" and len(said) == 21
    assert sum(line[0] == str(digit) for line, digit in zip(said[1:], y, strict=True)) >= 19


def test_servo(run):
    said = run("servo").splitlines()
    assert said[0] == "pwm 15 50"
    angles = np.array([int(line.split()[1]) for line in said[1:]])
    wanted = 1_500_000 + 500_000 * np.sin(2 * np.pi * np.arange(100) / 100)
    assert len(angles) == 100 and np.abs(angles - wanted).max() < 30_000
    assert angles.min() > 900_000 and angles.max() < 2_100_000


def test_display(run):
    said = run("display").splitlines()
    assert said[0] == "text 3" and said[2] == "dots 18"


# examples/README.md lists each folder.
def test_all_are_listed(repository):
    text = (repository / "examples" / "README.md").read_text()
    for folder in (repository / "examples").iterdir():
        assert folder.is_file() or f"]({folder.name}/" in text, folder


# The result for the recording of docs/how-to/ready-made-models.md equals the page.
def test_gallery_anomaly(repository):
    text = (repository / "docs" / "how-to" / "ready-made-models.md").read_text()
    command, shown = re.search(r"\$ tflm (micropython .*)\n((?:.*\n)+?)```", text).groups()
    path = os.pathsep.join(str(repository / folder) for folder in ("tools", "modules"))
    done = subprocess.run(
        [sys.executable, "-m", "tflm_tools", *command.split()],
        cwd=repository, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, shown)


_ROW = r"^\| \[(\w+)\]\(#.*\| ([\d,]+) \| ([\d,]+) \| [\d.]+ \|$"


# Flash and arena in the gallery's table equal the output of flatten.
def test_gallery_sizes(repository):
    text = (repository / "docs" / "how-to" / "ready-made-models.md").read_text()
    rows = re.findall(_ROW, text, re.M)
    assert len(rows) == 5
    for name, flash, arena in rows:
        model = repository / "models" / name / f"{name}_int8.tflite"
        flat = tt.flatten(model, target="armv6m")
        assert (f"{flat.flat_bytes:,}", f"{flat.arena_bytes:,}") == (flash, arena), name
