# tflm.motion: Analog: voltages at a board's pins, measured by a timer.
# MIT license; Copyright (c) 2026 the tflm authors

import array
import sys
import time

import micropython

from ..errors import InputError

_MAX_RATE = 1000
_KEPT = 256  # samples of the ring buffer, a power of two
_COUNT = 0x3FFFFFFF  # mask of counters: larger ints would need heap
_VOLTS = 3.3  # the largest voltage at a pin


# Copy sample `begin` of the ring to sample `at` of target.
@micropython.viper
def _copy(target: ptr16, at: int, ring: ptr16, begin: int, axes: int):
    i = 0
    while i < axes:
        target[at * axes + i] = ring[begin * axes + i]
        i += 1


class Analog:
    """A source of samples of one to six voltages, int16: -32768 is 0 V, 32767 is 3.3 V.

    pins: numbers of pins with an ADC. rate: samples a second, 1 to 1000. per_volt: g for each
        volt, 1 / 0.33 for an ADXL335.

    overruns: how often samples were lost because nobody read for 256 samples. lost: the number of
    lost samples. Raises InputError for invalid arguments.
    """

    turn_scale = None

    def __init__(self, pins, rate=50, per_volt=1 / 0.33):
        import machine

        if not isinstance(rate, int) or not 1 <= rate <= _MAX_RATE:
            raise InputError("the rate is %r; pass 1 to 1000 samples a second" % (rate,))
        self.axes = len(pins)
        if not 1 <= self.axes <= 6:
            raise InputError("there are %d pins; pass one to six" % self.axes)
        self.rate = rate
        self.sample_bytes = 2 * self.axes
        self.scale = _VOLTS / 65536 * per_volt
        self.overruns = self.lost = 0
        self._inputs = [machine.ADC(machine.Pin(pin)) for pin in pins]
        self._ring = array.array("h", bytes(_KEPT * self.sample_bytes))
        self._written = self._read = 0
        self._pause = max(500 // rate, 1)
        # A hard interrupt measures on time, whatever the program does; not all ports have them.
        hard = {"hard": True} if sys.platform == "rp2" else {}
        self._timer = machine.Timer(-1 if sys.platform == "rp2" else 0)
        self._timer.init(freq=rate, mode=machine.Timer.PERIODIC, callback=self._measure, **hard)

    # The timer calls this; it allocates nothing.
    def _measure(self, _):
        begin = self._written % _KEPT * self.axes
        for i in range(self.axes):
            self._ring[begin + i] = self._inputs[i].read_u16() - 32768
        self._written = (self._written + 1) & _COUNT

    def readinto(self, buffer):
        """Fill a buffer with int16 samples; wait for them; return its length in bytes.

        Allocates nothing. Raises InputError unless the buffer holds whole samples.
        """
        wanted = len(buffer) // self.sample_bytes
        if wanted * self.sample_bytes != len(buffer):
            raise InputError(
                "the buffer has %d bytes, a sample has %d; pass a multiple"
                % (len(buffer), self.sample_bytes)
            )
        done = 0
        while done < wanted:
            waiting = (self._written - self._read) & _COUNT
            if not waiting:
                time.sleep_ms(self._pause)
            elif waiting >= _KEPT:  # the timer may be overwriting the oldest one
                self.overruns += 1
                self.lost += waiting
                self._read = self._written
            else:
                _copy(buffer, done, self._ring, self._read % _KEPT, self.axes)
                self._read = (self._read + 1) & _COUNT
                done += 1
        return len(buffer)

    def close(self):
        """Stop measuring."""
        self._timer.deinit()
