# Tests of the app `voice` on an emulated Pico with a PDM microphone
# MIT license; Copyright (c) 2026 the tflm authors

import json
import re
import wave

import numpy as np
import pytest
from microphone import reference
from session import Session
from terminal import listen
from tflm_tools.speech.listen import listen as listen_here
from tflm_tools.wake import pdm

_PINS = (2, 3)  # from the app's board.py
_GAIN = 8
_SECONDS = 2.0  # of models/keywords/words.wav, with the word "yes"


# Return (path of the bits, samples that a board makes of them). The board reads one bit before the
# microphone's first bit, which comes at the first falling edge of its clock.
@pytest.fixture(scope="module")
def sound(repository, tmp_path_factory):
    with wave.open(str(repository / "models/keywords/words.wav")) as file:
        samples = np.frombuffer(file.readframes(int(_SECONDS * reference.RATE)), "<i2")
    bits = pdm.modulate(samples / 32768 / _GAIN)
    path = tmp_path_factory.mktemp("sound") / "bits"
    path.write_bytes(pdm.pack(bits))
    return path, reference.decimate([0, *bits[:-1]], reference.design(), _GAIN)


# From power-on: the app prints the word that the host hears in the same samples, and sets the LED.
def test_app_equals_the_host(emulated, repository, sound, tmp_path):
    path = tmp_path / "samples.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, reference.RATE, 0, "NONE", ""))
        file.writeframes(sound[1].tobytes())
    models = repository / "models/speech"
    (heard,) = listen_here(models / "voice.json", models / "words.json", path)
    board = emulated("RPI_PICO", app="voice", fast=True, led=True, pdm=(*_PINS, sound[0]))
    said = listen(board, r"%\n").splitlines()
    assert said[0].startswith("listening for yes, no, on, off")
    assert said[1] == f"{heard.end:8.2f} s  {heard.word:16} {100 * heard.probability:3.0f} %"
    assert re.search(r"led on", board.log)


_TIMES = """
import gc, json, time
from array import array
from tflm.speech import Listener

listener = Listener()
detector, recognizer = listener.detector, listener.recognizer
samples = bytearray(listener.hop_bytes)
sound = array("h", [i * 7919 % 20011 - 10000 for i in range(2000)])
for _ in range(20):
    listener.hear(samples)


def time_of(function, *arguments):
    function(*arguments)
    begin = time.ticks_us()
    for _ in range(4):
        function(*arguments)
    return time.ticks_diff(time.ticks_us(), begin) / 4


features = detector.features
times = [
    time_of(features.add, sound, 2000, 0),
    time_of(features.write, detector._input),
    time_of(detector._interpreter.invoke),
    time_of(listener.hear, samples),
    time_of(recognizer.recognize, listener._sound.samples, 24000, 0, recognizer.length, 1.0),
    time_of(recognizer._interpreter.invoke),
]
gc.collect()
free = gc.mem_free()
del listener, detector, recognizer, features
gc.collect()
print(json.dumps([times, gc.mem_free() - free]))
"""


# Half of the time of a Pico is left while it listens: a hop is 32 ms.
@pytest.mark.parametrize("xip", [0, 48])
def test_time(emulated, xip):
    board = emulated("RPI_PICO", app="voice", fast=True, xip=xip)
    with Session(board) as session:
        times, heap = json.loads(session.exec(_TIMES))
    column, write, invoke, hop, word, network = (us / 1000 for us in times)
    print(f"{xip}: column {column:.2f} ms, input {write:.2f}, detector {invoke:.2f}, a hop "
          f"{hop:.2f}, a word {word:.1f} (network {network:.1f}), heap {heap} bytes")  # fmt: skip
    assert hop < 16 and heap < 110_000
