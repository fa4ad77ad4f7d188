# tflm.speech: play clips of a pack: by PWM with DMA on an RP2040 or RP2350, or by machine.I2S.
# MIT license; Copyright (c) 2026 the tflm authors

# A pack is made by `tflm speech say`: its bytes 0 to 7 are "TFLMSAY1", then the sample rate and
# the number of clips (uint16), then for each clip its first byte and its samples (uint32), the
# bytes of its name (uint8) and the name, and then all samples. A sample is a byte of mu-law
# (G.711).

from array import array

import micropython

from ..errors import InputError, ModelError, check, check_count
from ..micropython_port import struct

_BLOCK = 256  # samples
_MAX_CLIPS = 1000
_LOWEST_RATE = 4000  # samples per second; the DMA timer of a Pico allows no less than 1908
_HIGHEST_RATE = 48000


# Decode mu-law to int16.
@micropython.viper
def _decode(target: ptr16, source: ptr8, count: int):
    i = 0
    while i < count:
        code = source[i] ^ 0xFF
        value = ((code & 15) << 3) + 132 << (code >> 4 & 7)
        value -= 132
        if code & 0x80:
            value = 0 - value
        target[i] = value
        i += 1


# Convert int16 to levels of PWM from 0 to `top`, at `volume` / 256; for both channels of a slice.
@micropython.viper
def _to_levels(target: ptr32, source: ptr16, first: int, count: int, top: int, volume: int):
    i = 0
    while i < count:
        value = ((source[first + i] ^ 0x8000) - 0x8000) * volume >> 8
        level = (value + 32768) * top >> 16
        target[i] = level | level << 16
        i += 1


class Pack:
    """The table of a pack: names, and first byte and length of each clip.

    Raises ModelError for a damaged pack, OSError for a missing file.
    """

    _MAGIC = b""
    _unit = 1  # bytes; the length of a clip is in units

    def __init__(self, path):
        self._file = open(path, "rb")  # noqa: SIM115
        self._clips = {}
        size = self._file.seek(0, 2)
        self._file.seek(0)
        head = self._read(12)
        if head[:8] != self._MAGIC:
            self._refuse("is no pack for this class")
        self.rate, count = struct.unpack("<HH", head[8:])
        if not _LOWEST_RATE <= self.rate <= _HIGHEST_RATE or count > _MAX_CLIPS:
            self._refuse("is damaged")
        for _ in range(count):
            begin, units, length = struct.unpack("<IIB", self._read(9))
            if begin + units * self._unit > size:
                self._refuse("is damaged")
            self._clips[str(self._read(length), "utf-8")] = begin, units

    def _refuse(self, what):
        self._file.close()
        raise ModelError("the file %s; make it with: tflm speech say" % what)

    def _read(self, count):
        data = self._file.read(count)
        if len(data) < count:
            self._refuse("is cut off")
        return data

    @property
    def names(self):
        """The names of the clips."""
        return list(self._clips)

    def __contains__(self, name):
        return name in self._clips

    # Return (first byte, units) of a clip.
    def _find(self, name):
        if name not in self._clips:
            raise InputError("there is no clip '%s'; there are %s" % (name, ", ".join(self.names)))
        return self._clips[name]

    def close(self):
        """Close the file."""
        self._file.close()


class Clips(Pack):
    """The clips of a pack: `"yes" in clips`, `clips.names`, `clips.play("yes", speaker)`.

    path: of the pack. Raises ModelError for a damaged pack, OSError for a missing file.
    """

    _MAGIC = b"TFLMSAY1"

    def __init__(self, path):
        super().__init__(path)
        self._samples = array("h", bytes(2 * _BLOCK))
        self._codes = bytearray(_BLOCK)

    def play(self, name, speaker):
        """Play a clip and wait for its end.

        speaker: an object with `write(samples)`, which takes array("h"): PwmSpeaker, or
        machine.I2S of 16 bits. Raises InputError for an unknown name.
        """
        begin, count = self._find(name)
        self._file.seek(begin)
        samples = self._samples
        while count > 0:
            self._file.readinto(self._codes)
            block = min(count, _BLOCK)
            _decode(samples, self._codes, block)
            for i in range(block, _BLOCK):
                samples[i] = 0
            speaker.write(samples)
            count -= block


class PwmSpeaker:
    """A speaker at a pin with a low-pass filter (1 kOhm, 10 nF) and an amplifier, by PWM and DMA.

    pin: its number. rate: samples per second, 4000 to 48000. volume: 0 to 1. block:
    samples that play while the program computes the next ones; 8 bytes of RAM for each.

    Only on RP2040 and RP2350. Raises InputError for another rate or volume.
    """

    def __init__(self, pin, rate=16000, volume=1.0, block=_BLOCK):
        import machine
        import rp2

        is_possible = isinstance(rate, int) and _LOWEST_RATE <= rate <= _HIGHEST_RATE
        check("rate", rate, is_possible, "an int from %d to %d" % (_LOWEST_RATE, _HIGHEST_RATE))
        if not 0 <= volume <= 1:
            raise InputError("the volume is %r; pass a number from 0 to 1" % (volume,))
        check_count("block", block)
        is_rp2350 = "RP2350" in _machine_name()
        pwm = 0x400A8000 if is_rp2350 else 0x40050000
        self._pwm = machine.PWM(machine.Pin(pin), freq=machine.freq() // 1024, duty_u16=32768)
        slice_number = pin >> 1 & 7 if pin < 32 else 8 + (pin >> 1 & 3)
        compare = pwm + 20 * slice_number + 12
        self._top = (machine.mem32[compare + 4] & 0xFFFF) + 1
        self._volume = int(256 * volume)
        # DMA timer 0 gives a pulse for each sample: clock * x / y, with x = 1.
        machine.mem32[(0x50000440 if is_rp2350 else 0x50000420)] = (
            1 << 16 | (machine.freq() + rate // 2) // rate
        )
        self._dma = rp2.DMA()
        self._control = self._dma.pack_ctrl(inc_write=False, treq_sel=0x3B)
        self._compare = compare
        self._blocks = [array("I", bytes(4 * block)) for _ in range(2)]
        self._next = 0

    def write(self, samples):
        """Play int16 samples; wait until all but the last `block` have been played."""
        first = 0
        while first < len(samples):
            block = self._blocks[self._next]
            count = min(len(samples) - first, len(block))
            _to_levels(block, samples, first, count, self._top, self._volume)
            while self._dma.active():
                pass
            self._dma.config(
                read=block, write=self._compare, count=count, ctrl=self._control, trigger=True
            )
            self._next ^= 1
            first += count

    def close(self):
        """Stop the pin."""
        while self._dma.active():
            pass
        self._dma.close()
        self._pwm.deinit()


def _machine_name():
    import sys

    return getattr(sys.implementation, "_machine", "")
