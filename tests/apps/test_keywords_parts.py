# Tests of modules of the app keywords: WAV files, the recognizer, the microphone
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import subprocess
import textwrap

import numpy as np
import pytest
from apps import sounds
from support.runner import micropython_path


# Run a script with the app's modules in the unix port; return the JSON that it prints.
@pytest.fixture(scope="module")
def device(repository):
    def run(source, *arguments):
        path = f"{repository / 'firmware' / 'apps' / 'keywords'}:.frozen"
        done = subprocess.run(
            [micropython_path(), "-c", textwrap.dedent(source), *map(str, arguments)],
            env={**os.environ, "MICROPYPATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    return run


_READ = """
import json, sys
from wav import WavFile

source = WavFile(sys.argv[1])
buffer = bytearray(640)
found = []
while True:
    count = source.readinto(buffer)
    if not count:
        break
    found.append([count, sum(buffer), sum(buffer[count:])])
print(json.dumps(found))
"""


# WavFile skips other chunks and accepts all kinds of headers.
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"code": 0xFFFE},
        {"before": sounds.chunk(b"LIST", b"odd"), "after": sounds.chunk(b"id3 ", b"\xff" * 99)},
        {"size": 0xFFFFFFFF},
        {"size": 0},
    ],
)
def test_read_wav_file(device, tmp_path, options):
    samples = sounds.noise(0.5)[:7000]
    path = tmp_path / "sound.wav"
    path.write_bytes(sounds.wav(samples, **options))
    raw = samples.astype("<i2").tobytes()
    blocks = [raw[i : i + 640] for i in range(0, len(raw), 640)]
    assert device(_READ, path) == [[len(block), sum(block), 0] for block in blocks]


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "has no RIFF header"),
        (b"RIFF\x04\0\0\0AVI ", "has no RIFF header"),
        (b"RIFF\x04\0\0\0WAVE", "ends before its samples"),
        (b"RIFF\x04\0\0\0WAVEfmt \x10\0\0\0\1\0", "ends within its header"),
        (b"RIFF\x04\0\0\0WAVEfmt \xff\xff\xff\xff\1\0", "ends within its header"),
        (b"RIFF\x04\0\0\0WAVEdata\2\0\0\0\1\0", "has no format chunk"),
    ],
)
def test_damaged_wav_file(device, tmp_path, data, message):
    path = tmp_path / "sound.wav"
    path.write_bytes(data)
    source = """
        import json, sys
        from wav import WavFile
        try:
            WavFile(sys.argv[1])
        except ValueError as error:
            print(json.dumps(str(error)))
    """
    text = device(source, path)
    assert text.startswith(f"{path} {message}; it must be")


# Rows of scores (silence, unknown, yes) of 0..255, and [(row, score)] of the detections.
@pytest.mark.parametrize(
    "rows, found",
    [
        ([(255, 0, 0)] * 5, []),
        ([(0, 255, 0)] * 5, []),
        ([(0, 0, 255)], []),  # a single run is not enough
        ([(0, 0, 255)] * 2, [(1, 170)]),
        ([(0, 0, 200)] * 3, [(1, 133)]),
        ([(0, 0, 240), (255, 0, 0)] * 4, [(2, 160)]),
        ([(0, 0, 130)] * 9, [(2, 130), (7, 130)]),
        ([(0, 0, 129)] * 9, []),
        ([(0, 0, 255)] * 9, [(1, 170), (6, 255)]),  # and again after the pause
    ],
)
def test_recognizer(device, rows, found):
    source = """
        import json, sys
        from recognizer import Recognizer
        recognizer = Recognizer(3, runs=3, threshold=130, pause=4)
        found = []
        for again in range(2):
            found.append([])
            for i, row in enumerate(json.loads(sys.argv[1])):
                if recognizer.recognize(bytes([value ^ 128 for value in row])) == 2:
                    found[-1].append([i, recognizer.score])
            recognizer.reset()
        print(json.dumps(found))
    """
    expected = [list(pair) for pair in found]
    assert device(source, json.dumps(rows)) == [expected, expected]


# The microphone converts 32-bit words of a fake machine.I2S to samples and clips them.
def test_microphone(device):
    source = """
        import json, struct, sys

        words = json.loads(sys.argv[1])
        calls = []

        class Pin:
            OUT = 1
            def __init__(self, number, mode=0):
                calls.append(number)

        class I2S:
            RX = MONO = 1
            def __init__(self, number, **options):
                calls.extend([number, options["rate"], options["bits"]])
            def readinto(self, buffer):
                struct.pack_into("<%di" % len(words), buffer, 0, *words)
                return len(buffer)
            def deinit(self):
                calls.append("closed")

        class Machine:
            pass

        class System:
            platform = "rp2"
            maxsize = sys.maxsize

        Machine.Pin, Machine.I2S = Pin, I2S
        sys.modules["machine"] = Machine
        sys.modules["sys"] = System
        import board
        microphone = board.Microphone()
        board.led()
        buffer = bytearray(2 * len(words))
        count = microphone.readinto(buffer)
        microphone.close()
        print(json.dumps([count, list(struct.unpack("<%dh" % len(words), buffer)), calls]))
    """
    words = [0, 1 << 14, -1, -(1 << 14), 1 << 30, (1 << 31) - 1, -(1 << 31), 12345678, -12345678]
    count, samples, calls = device(source, json.dumps(words))
    assert count == 18
    assert samples == [int(np.clip(word >> 14, -32768, 32767)) for word in words]
    assert calls == [16, 17, 18, 0, 16000, 32, "LED", "closed"]
