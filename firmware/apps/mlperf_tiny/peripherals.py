# App mlperf_tiny: opens the source of sound and the output pins of sww01
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import machine
import settings

_HEAD_BYTES = 44  # of a WAV file
_RATE = b"\x80\x3e\x00\x00"  # 16 kHz


class _NoPin:
    def value(self, level):
        pass


def output_pin(number, level):
    """Return an output pin with this level; in the unix port an object without effect."""
    if not hasattr(machine, "Pin"):
        return _NoPin()
    return machine.Pin(number, machine.Pin.OUT, value=level)


class _WavFile:
    """The first channel of a WAV file of 16 kHz and 16 bits; start() restarts it."""

    lost = 0

    def __init__(self, path):
        self._file = open(path, "rb")  # noqa: SIM115
        head = self._file.read(_HEAD_BYTES)
        if head[:4] != b"RIFF" or head[24:28] != _RATE or head[34:36] != b"\x10\x00":
            raise OSError("%s is not a WAV file of 16 kHz and 16 bits; convert it with sox" % path)
        self._channels = head[22]

    def start(self):
        self._file.seek(_HEAD_BYTES)

    def stop(self):
        pass

    def read(self, samples):
        count = len(samples)
        data = self._file.read(2 * count * self._channels)
        if len(data) < 2 * count * self._channels:
            return count
        for i in range(count):
            at = 2 * i * self._channels
            samples[i] = (data[at] | data[at + 1] << 8 ^ 0x8000) - 0x8000
        return 0


def open_sound():
    """Return the source of sound of sww01, or None.

    It has start(), stop(), read(array of int16), which fills the array and returns 0 or returns
    the number of missing samples, and lost, the number of lost samples.
    """
    if len(sys.argv) > 2:
        return _WavFile(sys.argv[2])
    if sys.platform != "rp2":
        return None
    from receiver import Receiver

    return Receiver(settings.SCK_PIN, settings.WS_PIN, settings.SD_PIN)
