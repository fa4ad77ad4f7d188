# Tests of the app `wake` on an emulated Pico with a PDM microphone
# MIT license; Copyright (c) 2026 the tflm authors

import json
import re
import wave
import zlib
from pathlib import Path

import numpy as np
import pytest
from microphone import reference
from session import Session
from terminal import listen
from tflm_tools.board.link import Link
from tflm_tools.errors import DeviceError
from tflm_tools.wake import pdm
from tflm_tools.wake.listen import listen as listen_here
from tflm_tools.wake.listen_on import listen_on

_PINS = (2, 3)  # from the app's board.py
_GAIN = 8
_BEGIN, _END = 1.2, 2.4  # seconds; the first phrase of the recording
_HOPS = 118
_WARM = 20  # first hops, which also load code

_CLOCK = 125_000_000

# Runs before sound: frees the compiler's heap for the microphone's buffers.
_LOAD = """
import gc, json, machine, micropython, tflm, time
from binascii import crc32
import board
from tflm import wake

machine.freq(%d)
words = [wake.load("/rom/%%s.json" %% name, copy=True) for name in ("okay_nabu", "hey_pico")]
word = words[0]
listener = wake.Listener(words, front_end=tflm.load("/rom/micro_frontend.tflm", copy=True))
samples = bytearray(listener.hop_bytes)
for _ in range(%d):
    listener.hear(samples)
listener.reset()
gc.collect()
"""

# Prints for each hop: a checksum of all sound so far, and microseconds of reading and of
# detecting. Then the hops with a detection, the number of lost samples, the time from the first
# hop to the last, and microseconds of the front end and of each model.
_HEAR = """
checks, reading, hearing, heard, check = [], [], [], [], 0
microphone = board.microphone()
microphone._machine.active(1)  # hop() waits before the first readinto()


def hop():
    micropython.heap_lock()
    while microphone._ring.waiting() < 320:
        machine.idle()
    begin = time.ticks_us()
    microphone.readinto(samples)
    read = time.ticks_us()
    found = listener.hear(samples)
    end = time.ticks_us()
    micropython.heap_unlock()
    reading.append(time.ticks_diff(read, begin))
    hearing.append(time.ticks_diff(end, read))
    return found is word


ends = []
for i in range(%d):
    if hop():
        heard.append(i)
    ends.append(time.ticks_ms())
    check = crc32(samples, check)
    checks.append(check)
microphone.close()
passed = time.ticks_diff(ends[-1], ends[0])
parts = []
for model in (listener._front_end, word._interpreter, words[1]._interpreter):
    begin = time.ticks_us()
    for _ in range(9):
        model.invoke()
    parts.append(time.ticks_diff(time.ticks_us(), begin) / 9)
print(json.dumps([checks, reading, hearing, heard, microphone.lost, passed, parts]))
"""


@pytest.fixture(scope="module")
def manifest():
    package = pytest.importorskip("pymicro_wakeword")
    return Path(package.__file__).parent / "models" / "okay_nabu.json"


# Return (path of the bits, samples that a board makes of them). The board reads one bit before the
# microphone's first bit, which comes at the first falling edge of its clock.
@pytest.fixture(scope="module")
def sound(repository, tmp_path_factory):
    with wave.open(str(repository / "tests" / "wake" / "phrases.wav")) as file:
        samples = np.frombuffer(file.readframes(1 << 20), "<i2")
    samples = samples[int(_BEGIN * reference.RATE) : int(_END * reference.RATE)]
    bits = pdm.modulate(samples / 32768 / _GAIN)
    path = tmp_path_factory.mktemp("sound") / "bits"
    path.write_bytes(pdm.pack(bits))
    return path, reference.decimate([0, *bits[:-1]], reference.design(), _GAIN)


# Return the detection in the same samples on the host.
@pytest.fixture(scope="module")
def heard(manifest, sound, tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "samples.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, reference.RATE, 0, "NONE", ""))
        file.writeframes(sound[1].tobytes())
    (found,) = listen_here([manifest], path)
    return found


# From power-on: the app prints the same detection as the host and sets the LED.
def test_app_equals_the_host(emulated, manifest, sound, heard):
    board = emulated(
        "RPI_PICO", app="wake", model=str(manifest), fast=True, led=True, pdm=(*_PINS, sound[0])
    )
    said = listen(board, r"%\n")
    line = f"{heard.seconds:8.2f} s  {heard.wake_word:16} {100 * heard.probability:3.0f} %"
    assert said.splitlines() == ["listening for Okay Nabu", line]
    assert re.search(r"led on", board.log)


# All samples are right, and the board is fast enough. Two models are in RAM, like in the app; the
# second one replaces a voice activity model.
@pytest.mark.parametrize("xip", [0, 48])
def test_samples_and_time(emulated, repository, manifest, sound, heard, xip):
    models = f"{manifest} {repository / 'models' / 'hey_pico' / 'hey_pico.json'}"
    board = emulated(
        "RPI_PICO", app="wake", model=models, fast=True, xip=xip, pdm=(*_PINS, sound[0])
    )
    with Session(board) as session:
        session.exec(_LOAD % (_CLOCK, _WARM))
        said = session.exec(_HEAR % _HOPS)
    checks, reading, hearing, found, lost, passed, stages = json.loads(said)
    blocks = sound[1][: 160 * _HOPS].reshape(_HOPS, 160)
    wanted, check = [], 0
    for block in blocks:
        check = zlib.crc32(block.tobytes(), check)
        wanted.append(check)
    assert (checks, lost) == (wanted, 0)
    assert passed == pytest.approx(10 * (_HOPS - 1), abs=10)
    assert found == [round(heard.seconds * 100) - 1]
    reads, hears = (sum(times[_WARM:]) / len(times[_WARM:]) / 1000 for times in (reading, hearing))
    share = (reads + hears) / 10
    print(f"reading {reads:.2f} ms, hearing {hears:.2f} ms of 10 ms at 125 MHz: {share:.0%}")
    print("front end and models, us:", *(f"{us:.0f}" for us in stages))
    assert reads < 1.4
    assert share < (0.6 if xip else 0.57)


# `tflm wake listen --on` with a file over USB, and with the board's microphone.
def test_listen_on(emulated, manifest, sound, heard, tmp_path):
    path = tmp_path / "samples.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, reference.RATE, 0, "NONE", ""))
        file.writeframes(sound[1].tobytes())
    options = {"app": "wake", "model": str(manifest), "fast": True}
    board = emulated("RPI_PICO", **options)
    (found,) = listen_on(board.port, [manifest], path)
    assert (found.seconds, found.wake_word) == (heard.seconds, heard.wake_word)
    assert found.probability == pytest.approx(heard.probability, abs=1e-5)  # single precision
    with Link(board.port) as link:
        assert link.eval("__import__('os').listdir('/')") == ["rom"]
    board = emulated("RPI_PICO", **options, pdm=(*_PINS, sound[0]))
    found = next(listen_on(board.port, [manifest]))
    assert (found.seconds, found.wake_word) == (heard.seconds, heard.wake_word)


def test_boards_without_wake_words(emulated, manifest):
    with pytest.raises(DeviceError, match="has no tflm.wake; flash firmware with it"):
        list(listen_on(emulated("RPI_PICO", fast=True).port, [manifest]))


# machine.I2S, with its state machine and interrupts, delivers the samples of both channels.
_READ = """
import json
from tflm.microphone import i2s

microphone = i2s.Microphone(sck=16, ws=17, sd=18, channel=%r, gain=2)
samples = bytearray(320)
heard = []
for _ in range(4):
    microphone.readinto(samples)
    heard.append(samples.hex())
microphone.close()
print(json.dumps(["".join(heard), microphone.overruns]))
"""


@pytest.mark.parametrize("channel", ["left", "right"])
def test_i2s(emulated, manifest, tmp_path, channel):
    slots = np.random.RandomState(4).randint(-(1 << 31), 1 << 31, (2000, 2)).astype("<i4")
    (tmp_path / "slots").write_bytes(slots.tobytes())
    board = emulated(
        "RPI_PICO", app="wake", model=str(manifest), fast=True,
        i2s=(16, 17, 18, tmp_path / "slots"),
    )  # fmt: skip
    with Session(board) as session:
        samples, overruns = json.loads(session.exec(_READ % channel))
    samples = np.frombuffer(bytes.fromhex(samples), "<i2")
    wanted = np.clip(slots[:, int(channel == "right")] >> 15, -32768, 32767)
    # The state machine starts within the first frame.
    np.testing.assert_array_equal(samples[1:], wanted[1 : len(samples)])
    assert overruns == 0
