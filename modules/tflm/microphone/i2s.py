# tflm.microphone: i2s.Microphone: an I2S microphone, through machine.I2S
# MIT license; Copyright (c) 2026 the tflm authors

import sys
import time

import micropython

from ..errors import InputError

RATE = 16000

_BUFFER_MS = 150  # of the driver
_WORD = 4  # bytes of a slot; the sample is its upper end
_SHIFT = 16  # from a slot to int16, without gain
_MOST_GAIN = 32
_SLOTS = {"left": 0, "right": 1}


# Each `step`th word of `source` from `begin` on, to int16.
@micropython.viper
def _to_int16(target: ptr16, source: ptr32, count: int, slots: int):
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64 bits, where loads are zero-extended, 0 with 32
    shift = slots >> 8
    step = (slots >> 4) & 15
    at = slots & 15
    i = 0
    while i < count:
        sample = ((source[at] << sign) >> sign) >> shift
        if sample > 32767:
            sample = 32767
        if sample < -32768:
            sample = -32768
        target[i] = sample
        at += step
        i += 1


class Microphone:
    """Sound of an I2S microphone, int16 at 16 kHz: a source for `Listener.listen()`.

    sck, ws, sd: numbers of the pins of its clock, word select and data; on RP2040 and RP2350 ws
    is sck + 1. channel: "left" where its pin L/R is at ground, "right" where it is at 3.3 V.
    gain: 1, 2, 4, ... 32 times as loud. number: of the board's I2S. overruns: how often sound was
    lost as nobody read it for 150 ms; lost: how many samples that were, by the clock, as the
    driver does not tell. Raises InputError.
    """

    def __init__(self, sck, ws, sd, channel="left", gain=4, number=0):
        import machine

        if channel not in _SLOTS:
            raise InputError('the channel is %r; take "left" or "right"' % (channel,))
        if not isinstance(gain, int) or not 0 < gain <= _MOST_GAIN or gain & (gain - 1):
            raise InputError("the gain is %r; take 1, 2, 4, 8, 16 or 32" % (gain,))
        if sys.platform == "rp2" and ws != sck + 1:
            raise InputError(
                "ws is pin %r and sck pin %r; on this board ws must be the pin behind sck"
                % (ws, sck)
            )
        shift = _SHIFT
        while gain > 1:
            gain >>= 1
            shift -= 1
        # The driver gives the left slot alone, or both.
        self._channels = 1 + _SLOTS[channel]
        self._slots = shift << 8 | self._channels << 4 | _SLOTS[channel]
        self._words = bytearray(0)
        self.overruns = 0
        self.lost = 0
        self._behind = 0  # milliseconds of sound that wait, by the clock
        self._i2s = machine.I2S(
            number,
            sck=machine.Pin(sck),
            ws=machine.Pin(ws),
            sd=machine.Pin(sd),
            mode=machine.I2S.RX,
            bits=32,
            format=machine.I2S.STEREO if self._channels > 1 else machine.I2S.MONO,
            rate=RATE,
            ibuf=_BUFFER_MS * RATE // 1000 * _WORD * self._channels,
        )
        self._last = time.ticks_ms()

    def readinto(self, buffer):
        """Fill `buffer` with samples; waits for them. Returns its length.

        Allocates nothing while the buffers have the length of the first one.
        """
        count = len(buffer) // 2
        size = count * _WORD * self._channels
        if len(self._words) != size:
            self._words = bytearray(size)
        begin = time.ticks_ms()
        self._count_lost(begin)
        self._i2s.readinto(self._words)
        end = time.ticks_ms()
        if time.ticks_diff(end, begin) > 1:  # it had to wait: nothing else is there
            self._behind = 0
            self._last = end
        else:
            self._behind = max(self._behind - count * 1000 // RATE, 0)
        _to_int16(buffer, self._words, count, self._slots)
        return len(buffer)

    # Sound came since the last call, too: more than the driver's buffer holds is gone.
    def _count_lost(self, now):
        self._behind += time.ticks_diff(now, self._last)
        self._last = now
        if self._behind > _BUFFER_MS:
            self.overruns += 1
            self.lost += (self._behind - _BUFFER_MS) * RATE // 1000
            self._behind = _BUFFER_MS

    def close(self):
        """Stop the microphone."""
        self._i2s.deinit()
