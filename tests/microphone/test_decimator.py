# Tests of tflm.microphone: samples equal numpy's, and the filters pass the right frequencies
# MIT license; Copyright (c) 2026 the tflm authors

import re

import numpy as np
import pytest
from microphone import reference
from rules.sources import PACKAGE
from tflm_tools.wake import pdm
from unit.on_device import device

_GAINS = (1, 8, 32)

# Run the decimator over files of bits, in blocks of uneven size; print the samples as hex.
_RUN = """
    import uctypes
    from tflm.microphone.decimator import BLOCK, HISTORY, SILENCE, Decimator

    def decimate(bits, gain):
        words = bytes([SILENCE]) * HISTORY + bits
        samples = bytearray(len(bits) // 4)
        begin, target = uctypes.addressof(words), uctypes.addressof(samples)
        done, sizes = 0, (1, 7, BLOCK, 33)
        decimator = Decimator(gain)
        micropython.heap_lock()
        while done < len(bits) // 8:
            count = min(sizes[done % 4], len(bits) // 8 - done)
            decimator.run(begin + 8 * done, count, target + 2 * done)
            done += count
        micropython.heap_unlock()
        first = bytes(samples)
        decimator.reset()
        decimator.run(begin, 5, target)
        assert bytes(samples[:10]) == first[:10]
        return first

    for path in PATHS:
        with open(path, "rb") as file:
            bits = file.read()
        for gain in GAINS:
            print(decimate(bits, gain).hex())
    for gain in (0, 3, 64, -1, 1.5, None):
        print(raises(InputError, Decimator, gain))
"""


# A tone below the limit, one that clips, silence with an offset, noise of all frequencies, and the
# two streams of a pin without a microphone.
def _streams():
    time = np.arange(800) / reference.RATE
    tone = np.sin(2 * np.pi * 1000 * time)
    generator = np.random.RandomState(3)
    return {
        "tone": pdm.modulate(0.25 * tone),
        "loud": pdm.modulate(0.8 * tone),
        "silence": pdm.modulate(np.full(1600, 0.02)),
        "noise": generator.randint(0, 2, 64 * 320).astype(np.uint8),
        "zeros": np.zeros(64 * 320, np.uint8),
        "ones": np.ones(64 * 320, np.uint8),
    }


def test_samples(tmp_path):
    streams = _streams()
    for name, bits in streams.items():
        (tmp_path / name).write_bytes(pdm.pack(bits))
    lines = device(_RUN, PATHS=[str(tmp_path / name) for name in streams], GAINS=_GAINS)
    taps = reference.design()
    found = {}
    for name, bits in streams.items():
        for gain in _GAINS:
            samples = np.frombuffer(bytes.fromhex(lines.pop(0)), "<i2")
            found[name, gain] = samples
            np.testing.assert_array_equal(samples, reference.decimate(bits, taps, gain), name)
    assert len(lines) == 6 and all("pass 1, 2, 4, 8, 16 or 32" in line for line in lines)

    settled = found["tone", 1][160:].astype(float)
    phase = np.exp(-2j * np.pi * 1000 / reference.RATE * np.arange(len(settled)))
    assert 2 * abs(settled @ phase) / len(settled) == pytest.approx(0.25 * 32768, rel=0.02)
    assert {-32768, 32767} <= set(found["loud", 32].tolist())
    assert np.abs(found["loud", 1]).max() < 32767
    # A constant offset decays to 1 / e in 1024 samples.
    left = 0.02 * 32768 * np.exp(-(1600 - 80) / 1024)
    assert found["silence", 1][-160:].mean() == pytest.approx(left, rel=0.1)
    assert np.abs(found["ones", 8]).max() == 32767


# The taps are as designed, and pass the right frequencies.
def test_frequency_response():
    source = (PACKAGE / "microphone" / "decimator.py").read_text()
    half = eval(re.search(r"^_HALF = (\(.*?^\))", source, re.M | re.S)[1])
    taps = np.array(half + half[::-1])
    np.testing.assert_array_equal(taps, reference.design())
    passed = 20 * np.log10(reference.response(taps, np.linspace(1, 7000, 500)))
    assert np.abs(passed).max() < 0.1
    # These frequencies alias below 7 kHz: the first at the step to 16 kHz, others to 32 kHz.
    stopped = reference.response(taps, np.linspace(9000, 23000, 500))
    assert 20 * np.log10(stopped.max()) < -60
    around = 32000 * np.arange(1, 16)[:, None] + np.linspace(-7000, 7000, 99)
    assert 20 * np.log10(reference.response(taps, around.ravel()).max()) < -44
