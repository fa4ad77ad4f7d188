# tflm.motion: analog.Analog: voltages at a board's pins, measured by a timer
# MIT license; Copyright (c) 2026 the tflm authors

import array
import sys
import time

import micropython

from ..errors import InputError

_MOST_RATE = 1000
_KEPT = 256  # samples, a power of two
_COUNT = 0x3FFFFFFF  # of samples: a number that is no object of the heap
_VOLTS = 3.3  # of what a pin can measure


# A sample of the ring to sample `at` of target.
@micropython.viper
def _copy(target: ptr16, at: int, ring: ptr16, begin: int, axes: int):
    i = 0
    while i < axes:
        target[at * axes + i] = ring[begin * axes + i]
        i += 1


class Analog:
    """Samples of one to six voltages, int16: -32768 is 0 V and 32767 3.3 V.

    pins: numbers of pins with an ADC. rate: samples a second, 1 to 1000. per_volt: what a volt
    stands for, 1 / 0.33 g of an ADXL335. overruns: how often nobody had read 256 samples in time;
    lost: how many were written over. Raises InputError.
    """

    turn_scale = None

    def __init__(self, pins, rate=50, per_volt=1 / 0.33):
        import machine

        if not isinstance(rate, int) or not 1 <= rate <= _MOST_RATE:
            raise InputError("the rate is %r; take 1 to 1000 samples a second" % (rate,))
        self.axes = len(pins)
        if not 1 <= self.axes <= 6:
            raise InputError("there are %d pins; take one to six" % self.axes)
        self.rate = rate
        self.sample_bytes = 2 * self.axes
        self.scale = _VOLTS / 65536 * per_volt
        self.overruns = self.lost = 0
        self._inputs = [machine.ADC(machine.Pin(pin)) for pin in pins]
        self._ring = array.array("h", bytes(_KEPT * self.sample_bytes))
        self._written = self._read = 0
        self._pause = max(500 // rate, 1)
        # A hard interrupt measures in time whatever the program does; not every port has them.
        hard = {"hard": True} if sys.platform == "rp2" else {}
        self._timer = machine.Timer(-1 if sys.platform == "rp2" else 0)
        self._timer.init(freq=rate, mode=machine.Timer.PERIODIC, callback=self._measure, **hard)

    # Called by the timer: allocates nothing.
    def _measure(self, _):
        begin = self._written % _KEPT * self.axes
        for i in range(self.axes):
            self._ring[begin + i] = self._inputs[i].read_u16() - 32768
        self._written = (self._written + 1) & _COUNT

    def readinto(self, buffer):
        """Fill `buffer`, bytes of whole samples, with int16; waits. Returns its length.

        Allocates nothing.
        """
        wanted = len(buffer) // self.sample_bytes
        if wanted * self.sample_bytes != len(buffer):
            raise InputError(
                "the buffer has %d bytes; a sample has %d, take a multiple"
                % (len(buffer), self.sample_bytes)
            )
        done = 0
        while done < wanted:
            waiting = (self._written - self._read) & _COUNT
            if not waiting:
                time.sleep_ms(self._pause)
            elif waiting >= _KEPT:  # the oldest one may be written right now
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
