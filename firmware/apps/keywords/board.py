# App keywords: an I2S microphone and an LED; change the pins here to your board's
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import machine
import micropython
from micropython import const

_RATE = 16000
_BUFFER_BYTES = 20000  # of the driver, for 0.3 s of sound while the model runs
_SHIFT = const(14)  # from 32 to 16 bits, with a gain of 2 bits
_SIGN = 32 if sys.maxsize >> 32 else 0  # 64-bit machines load words without sign extension

# For each platform: number of the I2S, pins for SCK, WS and SD (on RP2 WS must be SCK + 1), LED.
_PINS = {
    "rp2": (0, 16, 17, 18, "LED"),
    "esp32": (0, 26, 25, 33, 2),
}


def _pins():
    if sys.platform not in _PINS:
        raise ValueError("board.py has no pins for %s; add them" % sys.platform)
    return _PINS[sys.platform]


# Convert the left channel, 32-bit words of an INMP441, ICS-43434 or SPH0645, to int16.
@micropython.viper
def _to_int16(target: ptr16, source: ptr32, count: int, sign: int):
    for i in range(count):
        sample = ((source[i] << sign) >> sign) >> _SHIFT
        if sample > 32767:
            sample = 32767
        if sample < -32768:
            sample = -32768
        target[i] = sample


class Microphone:
    """An I2S microphone with the interface of WavFile; readinto() waits for the sound."""

    def __init__(self):
        number, clock, word, data, _ = _pins()
        self._i2s = machine.I2S(
            number,
            sck=machine.Pin(clock),
            ws=machine.Pin(word),
            sd=machine.Pin(data),
            mode=machine.I2S.RX,
            bits=32,
            format=machine.I2S.MONO,
            rate=_RATE,
            ibuf=_BUFFER_BYTES,
        )
        self._words = bytearray(0)

    def readinto(self, buffer):
        """Fill `buffer` with int16 samples; return its length in bytes."""
        if len(self._words) != 2 * len(buffer):
            self._words = bytearray(2 * len(buffer))
        self._i2s.readinto(self._words)
        _to_int16(buffer, self._words, len(buffer) // 2, _SIGN)
        return len(buffer)

    def close(self):
        """Stop the microphone."""
        self._i2s.deinit()


def led():
    """Return the board's LED as a Pin."""
    return machine.Pin(_pins()[4], machine.Pin.OUT)
