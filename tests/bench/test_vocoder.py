# Tests that tflm.speech.Vocoder is real time on emulated cores; prints its cycles
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from packed_cases import BUILD, emulated, firmware_of, needs_firmware

pytestmark = [needs_firmware("m0plus"), needs_firmware("m33")]

_FRAMES, _FRAMES_OF_A_SECOND = 40, 200
_SCRIPT = """
from array import array

from cycles_device import count, mark
from tflm.speech.vocoder import Vocoder

vocoder = Vocoder(0.0002)
frame = array("h", [-5000] * 48 + [1000] * 12)
for _ in range(8):
    vocoder.add(frame, {pitch})
blocks = 0
count(1)
for _ in range({frames}):
    blocks += vocoder.add(frame, {pitch})
mark(None, None, None, 1, 0)
count(0)
print(blocks)
"""


# A second of sound takes fewer cycles than a second of a Pico 2 (150 M) or of a Pico (125 M).
@pytest.mark.parametrize(("core", "pitch", "most"), [
    ("pico2", 1600, 80e6), ("pico2", 0, 55e6), ("m0plus", 1600, 100e6), ("m0plus", 0, 65e6),
])  # fmt: skip
def test_cycles(core, pitch, most):
    files = emulated.file_system(BUILD, core)
    script = _SCRIPT.format(pitch=pitch, frames=_FRAMES)
    firmware = firmware_of("m33" if core == "pico2" else core)
    said = emulated.run(core, firmware, files, script)
    assert said["error"] == "" and said["text"].strip() == "25"
    ((_, counted, *_),) = said["marks"]
    cycles = counted * _FRAMES_OF_A_SECOND / _FRAMES
    print(f"{core}, pitch {pitch / 16:.0f} Hz: {cycles / 1e6:.1f} M cycles for a second of sound")
    assert cycles < most
