# Tests that the Vocoder and the Denoiser of tflm.speech are real time; print their cycles
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from packed_cases import BUILD, emulated, firmware_of, needs_firmware
from rules.sources import REPOSITORY
from tflm_tools.flat.flatten import flatten

pytestmark = [needs_firmware("m0plus"), needs_firmware("m33")]

_FRAMES, _FRAMES_OF_A_SECOND = 40, 200
_VOCODER = """
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


_DENOISER = """
from array import array

import tflm
import uctypes
from cycles_device import count, mark
from tflm.speech import Denoiser

denoiser = Denoiser(tflm.load(uctypes.bytearray_at({model}, {model_bytes})))
samples = array("h", [i * 7919 % 20011 - 10000 for i in range(128)])
for _ in range(2):
    denoiser.process(samples)
count(1)
for _ in range({blocks}):
    denoiser.process(samples)
mark(None, None, None, 1, 0)
count(0)
print("done")
"""
_BLOCKS, _BLOCKS_OF_A_SECOND = 8, 125


# Return the cycles of a script on a core, and what it prints.
def _counted(core, script, contents=()):
    firmware = firmware_of("m33" if core == "pico2" else core)
    said = emulated.run(core, firmware, emulated.file_system(BUILD, core), script, contents)
    assert said["error"] == ""
    ((_, counted, *_),) = said["marks"]
    return counted, said["text"].strip()


# A second of sound takes fewer cycles than a second of a Pico 2 (150 M) or of a Pico (125 M).
@pytest.mark.parametrize(("core", "pitch", "most"), [
    ("pico2", 1600, 80e6), ("pico2", 0, 55e6), ("m0plus", 1600, 100e6), ("m0plus", 0, 65e6),
])  # fmt: skip
def test_vocoder(core, pitch, most):
    counted, text = _counted(core, _VOCODER.format(pitch=pitch, frames=_FRAMES))
    assert text == "25"
    cycles = counted * _FRAMES_OF_A_SECOND / _FRAMES
    print(f"{core}, pitch {pitch / 16:.0f} Hz: {cycles / 1e6:.1f} M cycles for a second of sound")
    assert cycles < most


@pytest.mark.parametrize(("core", "most"), [("pico2", 75e6), ("m0plus", 100e6)])
def test_denoiser(core, most):
    target = "armv7em" if core == "pico2" else "armv6m"
    tflite = (REPOSITORY / "models/speech/denoise.tflite").read_bytes()
    model = flatten(tflite, target=target)
    script = _DENOISER.format(model=emulated.MODEL, model_bytes=len(model), blocks=_BLOCKS)
    counted, text = _counted(core, script, ((emulated.MODEL, model),))
    assert text == "done"
    block = counted / _BLOCKS
    print(f"{core}: {block:.0f} cycles a block, {block * _BLOCKS_OF_A_SECOND / 1e6:.1f} M for a "
          "second of sound")  # fmt: skip
    assert block * _BLOCKS_OF_A_SECOND < most
