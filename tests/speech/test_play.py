# Tests of tflm.speech.play: packs of clips, and the levels of PWM, with stand-ins for rp2 hardware
# MIT license; Copyright (c) 2026 the tflm authors

import json

import numpy as np
import pytest
from tflm_tools.training.say import pack, to_mu_law
from unit.on_device import device

_PLAY = """
import json
from tflm.speech import Clips


class Speaker:
    samples = []

    def write(self, samples):
        self.samples.extend(samples)


clips = Clips(PATH)
print(json.dumps(clips.names), clips.rate, "yes" in clips, "maybe" in clips)
speaker = Speaker()
clips.play("yes", speaker)
print(json.dumps(speaker.samples))
print(raises(InputError, clips.play, "maybe", speaker))
"""


# Return int16 of codes of mu-law, as in ITU-T G.711.
def _from_mu_law(codes):
    codes = ~codes.astype(int) & 0xFF
    size = (((codes & 15) << 3) + 132 << (codes >> 4 & 7)) - 132
    return np.where(codes & 0x80, -size, size)


def test_clips(tmp_path):
    random = np.random.RandomState(1)
    samples = (random.normal(0, 6000, 700)).clip(-32768, 32767).astype(int)
    samples[:4] = 0, 32767, -32768, 1
    path = tmp_path / "pack"
    path.write_bytes(pack({"no": [0] * 10, "yes": samples}, 16000))
    names, played, error = device(_PLAY, PATH=str(path))
    assert names == '["no", "yes"] 16000 True False'
    played = np.array(json.loads(played))
    np.testing.assert_array_equal(played[:700], _from_mu_law(to_mu_law(samples)))
    assert len(played) == 768 and not played[700:].any()
    assert np.abs(played[:700] - samples.clip(-32635, 32635)).max() <= 1024
    assert "there is no clip 'maybe'; there are no, yes" in error


_DAMAGED = """
from tflm.speech import Clips

for path in PATHS:
    print(raises(ModelError, Clips, path))
"""


def test_damaged_packs(tmp_path):
    good = pack({"no": [0] * 10}, 16000)
    paths = []
    for i, data in enumerate([b"", good[:11], b"X" + good[1:], good[:-3], good[:15],
                              good[:8] + b"\0\0" + good[10:]]):  # fmt: skip
        paths.append(str(tmp_path / str(i)))
        (tmp_path / str(i)).write_bytes(data)
    lines = device(_DAMAGED, PATHS=paths)
    assert len(lines) == 6 and all("make it with: tflm speech say" in line for line in lines)


# A pin's PWM and a DMA channel that copies at once.
_SPEAKER = """
import sys
from array import array


class Memory:
    words = {COMPARE + 4: 1023}

    def __getitem__(self, at):
        return self.words[at]

    def __setitem__(self, at, value):
        self.words[at] = value


class Machine:
    mem32 = Memory()
    Pin = lambda self, number: number
    freq = lambda self: 125_000_000

    class PWM:
        def __init__(self, pin, freq, duty_u16):
            self.pin = pin

        def deinit(self):
            pass


class Rp2:
    class DMA:
        played = []

        def pack_ctrl(self, **options):
            return options

        def config(self, read, write, count, ctrl, trigger):
            assert ctrl == {"inc_write": False, "treq_sel": 0x3B} and trigger
            assert write == COMPARE and count <= 2
            self.played.extend(read[:count])

        def active(self):
            return False

        def close(self):
            pass


sys.modules["machine"], sys.modules["rp2"] = Machine(), Rp2()
from tflm.speech import PwmSpeaker, play

play._machine_name = lambda: CHIP
print(raises(InputError, PwmSpeaker, 4, 16000, 2))
print(raises(InputError, PwmSpeaker, 4, 1900))
speaker = PwmSpeaker(PIN, 16000, 0.5, 2)
speaker.write(array("h", [0, 32767, -32768]))
speaker.write(array("h", [2]))
speaker.close()
levels = Rp2.DMA.played
assert all(level >> 16 == level & 0xFFFF for level in levels)
print([level & 0xFFFF for level in levels], Memory.words[TIMER] == 1 << 16 | 7813)
"""


# Registers and slices as in the headers of pico-sdk: PWM_BASE, slices of 20 bytes with the compare
# value at 12; DMA_BASE + DMA_TIMER0_OFFSET; pins from 32 on have the slices 8 to 11.
@pytest.mark.parametrize(("chip", "pin", "compare", "timer"), [
    ("RP2040", 4, 0x40050000 + 20 * 2 + 12, 0x50000420),
    ("RP2350", 4, 0x400A8000 + 20 * 2 + 12, 0x50000440),
    ("RP2350", 29, 0x400A8000 + 20 * 6 + 12, 0x50000440),
    ("RP2350", 34, 0x400A8000 + 20 * 9 + 12, 0x50000440),
    ("RP2350", 47, 0x400A8000 + 20 * 11 + 12, 0x50000440),
])  # fmt: skip
def test_pwm_speaker(chip, pin, compare, timer):
    machine = f"Raspberry Pi Pico with {chip}"
    volume, rate, line = device(_SPEAKER, CHIP=machine, PIN=pin, COMPARE=compare, TIMER=timer)
    assert volume == "the volume is 2; pass a number from 0 to 1"
    assert rate == "rate is 1900; it must be an int from 4000 to 48000"
    assert line == "[512, 767, 256, 512] True"
