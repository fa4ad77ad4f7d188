# tflm.microphone: Microphone: an I2S microphone, by machine.I2S.
# MIT license; Copyright (c) 2026 the tflm authors

import sys
import time

import micropython

from ..errors import InputError

RATE = 16000

_MAX_MS = 5000
_WORD = 4  # bytes of a slot; its upper bits are the sample
_SHIFT = 16  # from a slot to int16, without gain
_MAX_GAIN = 32
_SLOTS = {"left": 0, "right": 1}


# Convert words of `source` to int16. slots: shift << 8 | words of a sample << 4 | first word.
@micropython.viper
def _to_int16(target: ptr16, source: ptr32, count: int, slots: int):
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64-bit words, where loads zero-extend; 0 with 32-bit words
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
    """An I2S microphone, int16 at 16 kHz: a source for `Listener.listen()`.

    sck, ws, sd: numbers of the pins of clock, word select and data; on RP2040 and RP2350 ws must
        be sck + 1.
    channel: "left" if the microphone's pin L/R is at ground, "right" if it is at 3.3 V.
    gain: 1, 2, 4, 8, 16 or 32. number: of the board's I2S. buffer_ms: sound that the driver keeps
        (64 bytes of RAM for each ms, 128 on the right channel).

    overruns: how often sound was lost because nobody read for this time. lost: the number of lost
    samples by the board's clock, because the driver does not report it. Raises InputError for
    invalid arguments.
    """

    def __init__(self, sck, ws, sd, channel="left", gain=4, number=0,
                 buffer_ms=150):  # fmt: skip
        import machine

        if channel not in _SLOTS:
            raise InputError('the channel is %r; pass "left" or "right"' % (channel,))
        if not isinstance(gain, int) or not 0 < gain <= _MAX_GAIN or gain & (gain - 1):
            raise InputError("the gain is %r; pass 1, 2, 4, 8, 16 or 32" % (gain,))
        if not isinstance(buffer_ms, int) or not 20 <= buffer_ms <= _MAX_MS:
            raise InputError("buffer_ms is %r; pass 20 to 5000" % (buffer_ms,))
        if sys.platform == "rp2" and ws != sck + 1:
            raise InputError(
                "ws is pin %r and sck is pin %r; on this board ws must be the pin after sck"
                % (ws, sck)
            )
        shift = _SHIFT
        while gain > 1:
            gain >>= 1
            shift -= 1
        # The driver delivers the left slot, or both slots.
        self._channels = 1 + _SLOTS[channel]
        self._slots = shift << 8 | self._channels << 4 | _SLOTS[channel]
        self._words = bytearray(0)
        self._buffer_ms = buffer_ms
        self.overruns = 0
        self.lost = 0
        self._waiting_ms = 0  # milliseconds of sound in the driver's buffer, by the clock
        self._i2s = machine.I2S(
            number,
            sck=machine.Pin(sck),
            ws=machine.Pin(ws),
            sd=machine.Pin(sd),
            mode=machine.I2S.RX,
            bits=32,
            format=machine.I2S.STEREO if self._channels > 1 else machine.I2S.MONO,
            rate=RATE,
            ibuf=buffer_ms * RATE // 1000 * _WORD * self._channels,
        )
        self._last = time.ticks_ms()

    def readinto(self, buffer):
        """Fill a buffer with samples; wait for them; return its length in bytes.

        Allocates nothing if the buffers have the length of the first one.
        """
        count = len(buffer) // 2
        size = count * _WORD * self._channels
        if len(self._words) != size:
            self._words = bytearray(size)
        begin = time.ticks_ms()
        self._count_lost(begin)
        self._i2s.readinto(self._words)
        end = time.ticks_ms()
        if time.ticks_diff(end, begin) > 1:  # it waited, so the buffer is empty now
            self._waiting_ms = 0
            self._last = end
        else:
            self._waiting_ms = max(self._waiting_ms - count * 1000 // RATE, 0)
        _to_int16(buffer, self._words, count, self._slots)
        return len(buffer)

    # Count the sound that came since the last call; what the driver's buffer cannot hold is lost.
    def _count_lost(self, now):
        self._waiting_ms += time.ticks_diff(now, self._last)
        self._last = now
        if self._waiting_ms > self._buffer_ms:
            self.overruns += 1
            self.lost += (self._waiting_ms - self._buffer_ms) * RATE // 1000
            self._waiting_ms = self._buffer_ms

    def close(self):
        """Stop the microphone."""
        self._i2s.deinit()
