# Tests of tflm.speech on emulated cores: machine code is exact; what is real time, and its cycles
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
import qemu_xtensa
from packed_cases import BUILD, emulated, firmware_of, needs_firmware, require_firmware
from rules.sources import REPOSITORY
from tflm_tools.flat.flatten import flatten

require_firmware("m0plus")
require_firmware("m33")

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


# Columns and inputs by machine code, then by a second import of the modules without it.
_EQUAL = """
import sys
from array import array
from tflm.kernels import machine_code
from tflm.speech import log_mel, mel

used = []
for module in mel, sys.modules["tflm.features.fft"]:
    for name in ("load_frame", "quantize", "_load_pairs", "power"):
        used.append(getattr(module, name, None))


def forget(scope, file):
    pass


machine_code.use_machine_code = forget
fast = log_mel
for name in "tflm.features.fft", "tflm.speech.mel", "tflm.speech.log_mel":
    del sys.modules[name]
del sys.modules["tflm.features"].fft, sys.modules["tflm.speech"].mel
del sys.modules["tflm.speech"].log_mel
from tflm.speech import log_mel as portable, mel as portable_mel
assert portable_mel.load_frame not in used and portable.transform is not fast.transform
assert portable_mel.quantize not in used

seed = 1


# Return a number of 16 bits with a sign.
def random():
    global seed
    seed = (seed * 1103515 + 12345) & 0xFFFFFF
    return (seed >> 8) - 32768


class Tensor:
    dtype, scale, zero_point = "int8", 0.03, 5

    def __init__(self, shape):
        self.shape, self.raw = shape, bytearray(shape[0] * shape[1])


def features(module, settings, sound):
    features = module.LogMel(module.Settings(**settings))
    features.compute(sound, begin=len(sound) - 7, length=len(sound) - 3)
    mels, frames = features.settings.n_mels, features.settings.frames
    tensors = Tensor((mels, frames)), Tensor((frames, mels))
    for tensor in tensors:
        features.write(tensor)
    return [bytes(features.columns)] + [bytes(tensor.raw) for tensor in tensors]


sounds = [[random() for _ in range(900)], [random() >> 9 for _ in range(900)], [0] * 900,
          [(-32768, 32767)[i // 9 & 1] for i in range(900)], [i & 1 for i in range(900)]]
for settings in ({"n_fft": 512, "win_length": 400, "n_mels": 24, "center": True, "frames": 4},
                 {"n_fft": 128, "hop_length": 50, "mel_scale": "htk", "norm": None, "frames": 7,
                  "eps": 1e-10}):
    for sound in sounds:
        sound = array("h", sound)
        assert features(fast, settings, sound) == features(portable, settings, sound), settings
print("equal")
"""


@pytest.mark.parametrize("core", [
    "m0plus", "m33", pytest.param("rv32", marks=needs_firmware("rv32")),
])  # fmt: skip
def test_machine_code_is_exact(core):
    files = emulated.file_system(BUILD, core)
    said = emulated.run(core, firmware_of(core), files, _EQUAL, alignment=core == "m0plus")
    assert said["error"] == "" and said["text"].strip() == "equal"


@pytest.mark.skipif(not qemu_xtensa.is_there(), reason="needs firmware for qemu's Xtensa")
def test_machine_code_is_exact_on_xtensa():
    files = qemu_xtensa.modules(BUILD)
    assert qemu_xtensa.run(qemu_xtensa.firmware(), files, _EQUAL).strip() == "equal"


# Return the cycles of a script on a core, and what it prints.
def _counted(core, script, contents=()):
    firmware = firmware_of("m33" if core == "pico2" else core)
    said = emulated.run(core, firmware, emulated.file_system(BUILD, core), script, contents)
    assert said["error"] == ""
    ((_, counted, *_),) = said["marks"]
    return counted, said["text"].strip()


_COLUMNS = """
from array import array

from cycles_device import count, mark
from tflm.speech.log_mel import LogMel, Settings

features = LogMel(Settings(n_fft=512, n_mels={mels}, frames=16))
sound = array("h", [i * 7919 % 20011 - 10000 for i in range(512)])
features.add(sound)
count(1)
for _ in range(4):
    features.add(sound)
mark(None, None, None, 1, 0)
count(0)
print("done")
"""


@pytest.mark.parametrize(("core", "mels", "most"), [
    ("pico2", 32, 126e3), ("pico2", 64, 150e3), ("m0plus", 32, 240e3),
    pytest.param("rv32", 32, 200e3, marks=needs_firmware("rv32")),
])  # fmt: skip
def test_column(core, mels, most):
    counted, text = _counted(core, _COLUMNS.format(mels=mels))
    assert text == "done"
    print(f"{core}: {counted / 4:.0f} cycles for a column of {mels} mels")
    assert counted / 4 < most


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
