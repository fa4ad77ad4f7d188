# Tests of the audio front end, models/audio_frontend: one graph, over many invokes
# MIT license; Copyright (c) 2026 the tflm authors

import subprocess
import sys
import zlib

import numpy as np
import pytest
from support.check import Cases
from support.inputs import generator

cases = Cases()
FRAME, HOP, RATE = 480, 320, 16000

# The crc32 of 99 frames of int8 features of sweep(), computed by audio_preprocessor_int8.tflite,
# TFLM's front end for micro_speech, in the wheel.
SWEEP_CRC32 = 1363571316


def model(repository):
    return (repository / "models" / "audio_frontend" / "audio_frontend_int8.tflite").read_bytes()


# A tone that comes and goes in noise, then silence, then all of these.
def recording(frames):
    t = np.arange(frames * FRAME) / RATE
    tone = 9000 * np.sin(2 * np.pi * 700 * t * (1 + t)) * (np.sin(9 * t) > 0)
    samples = tone + generator("recording").normal(0, 200, t.size)
    samples[-4 * FRAME : -2 * FRAME] = 0
    samples[-2 * FRAME :] = 32767 * np.sign(samples[-2 * FRAME :] + 0.5)
    return [[frame] for frame in np.round(samples).reshape(frames, FRAME)]


# A sawtooth of rising pitch and falling loudness with clicks, in integers, so that it is the same
# on every computer.
def sweep():
    t = np.arange(2 * RATE, dtype=np.int64)
    phase = t * (200 * RATE + 900 * t // 2) // RATE
    samples = (phase * 65536 // RATE + 32768) % 65536 - 32768
    samples = samples * (2 * RATE - t) // (3 * RATE)
    samples[::5000] = 32767
    return samples.astype(np.int16)


def frames(samples):
    return [[samples[i : i + FRAME]] for i in range(0, len(samples) - FRAME + 1, HOP)]


def test_audio_front_end(repository):
    cases.add("front end", model(repository), recording(24), repeat="reset", slices=(41,))
    cases.check()


# The features equal those that models for micro_speech were trained with.
def test_same_as_micro_speech(repository):
    from support.oracle import shared_oracle

    found = shared_oracle().run(model(repository), frames(sweep()))
    assert len(found) == 99
    assert zlib.crc32(b"".join(outputs[0].tobytes() for outputs in found)) == SWEEP_CRC32


# The script writes the same file as in the repository.
def test_script_writes_the_file(repository):
    folder = repository / "models" / "audio_frontend"
    code = "import sys, front_end; sys.stdout.buffer.write(front_end.build())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == model(repository)


# A band without a bin of the FFT has no weights.
def test_too_many_channels(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository / "models" / "audio_frontend"))
    import tables

    bank = tables.filter_bank(257, RATE, 40, 125, 7500)
    assert (bank.first, bank.end) == (5, 241)
    assert len(bank.weights) == len(bank.unweights) == sum(bank.widths)
    with pytest.raises(ValueError, match="use fewer channels"):
        tables.filter_bank(257, RATE, 80, 125, 7500)
