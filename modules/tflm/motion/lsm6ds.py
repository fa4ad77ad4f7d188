# tflm.motion: LSM6DS: ST's accelerometers and gyroscopes LSM6DS3, DSL, DSO and DSOX, over I2C.
# MIT license; Copyright (c) 2026 the tflm authors

import time

from ..errors import InputError
from .fifo import TAGGED, TURNS, TURNS_FIRST, Fifo, check_ranges, identify

_ADDRESS = 0x6A  # 0x6B if the pin SDO (SA0) is at 3.3 V
_WHO_AM_I = 0x0F

_ACCEL = 0x10  # rate and range
_GYRO = 0x11
_CONTROL = 0x12
_RESET, _WHOLE_SAMPLES, _NEXT_REGISTER = 0x01, 0x40, 0x04
_STATUS = 0x3A

_CONTINUOUS = 6  # modes of the FIFO; 0 empties it
_OVERRUN = 0x40

_RATES = (26, 52, 104, 208, 416, 833)
_FIRST_RATE = 2  # the code of 26 Hz
_RANGES = (2, 16, 4, 8)  # g, in the order of their codes
_MICRO_G = 61 / 2  # of a step, for each g of the range
_MILLI_DEGREES = 8.75 / 250


# The FIFO of LSM6DS3 and LSM6DSL: words without tags, in a fixed order.
class _Words:
    layout = 6 | TURNS_FIRST
    data = 0x3E
    mode = 0x0A
    count_mask = 0x0F

    def __init__(self, words):
        self.words = words

    def waiting(self, status, axes):
        words = (status[1] & self.count_mask) << 8 | status[0]
        out_of_step = (status[3] << 8 | status[2]) % axes
        return -1 if out_of_step else words // axes

    # Return (register, value) pairs to start with; `code`: the code of the rate.
    def settings(self, code, turns):
        return ((0x08, 0x09 if turns else 0x01),)  # no decimation

    def running(self, code):
        return code << 3 | _CONTINUOUS


# The FIFO of LSM6DSO and LSM6DSOX: three words after a tag.
class _Tagged:
    layout = 7 | TAGGED
    data = 0x78
    mode = 0x0A
    words = 512 * 3
    count_mask = 0x03

    def waiting(self, status, axes):
        return ((status[1] & self.count_mask) << 8 | status[0]) * 3 // axes

    def settings(self, code, turns):
        return ((0x09, (code << 4 if turns else 0) | code),)

    def running(self, code):
        return _CONTINUOUS


# The identities of the sensors.
_KNOWN = {0x69: lambda: _Words(4096), 0x6A: lambda: _Words(2048), 0x6C: _Tagged}


class LSM6DS(Fifo):
    """A source of samples of an LSM6DS3, LSM6DS3TR-C, LSM6DSL, LSM6DSO or LSM6DSOX, int16.

    A sample is x, y, z, and with `turns` the turn rates about these axes. i2c: a machine.I2C of
    400 kHz. rate: 26, 52, 104, 208, 416 or 833 samples a second. most: 2, 4, 8 or 16 g. turns:
    None, or 250, 500, 1000 or 2000 degrees a second. Raises InputError for invalid arguments, and
    if no such sensor answers.
    """

    def __init__(self, i2c, rate=52, most=4, turns=None, address=_ADDRESS):
        if rate not in _RATES:
            raise InputError("the rate is %r; pass 26, 52, 104, 208, 416 or 833" % (rate,))
        check_ranges(most, turns)
        identity = identify(i2c, address, _WHO_AM_I, _KNOWN, "LSM6DS3, DSL, DSO or DSOX")
        self._fifo = _KNOWN[identity]()
        super().__init__(i2c, address, rate, turns, self._fifo.layout)
        self._data = self._fifo.data
        self._status = bytearray(4)
        self._capacity = self._fifo.words // self.axes
        self.scale = most * _MICRO_G / 1e6
        self.turn_scale = turns and turns * _MILLI_DEGREES / 1000
        self._code = code = _FIRST_RATE + _RATES.index(rate)
        self._put(_CONTROL, _RESET)
        time.sleep_ms(10)
        self._put(_CONTROL, _WHOLE_SAMPLES | _NEXT_REGISTER)
        self._put(_ACCEL, code << 4 | _RANGES.index(most) << 2)
        if turns:
            self._put(_GYRO, code << 4 | TURNS.index(turns) << 2)
            time.sleep_ms(100)  # until the gyroscope is on, so that both start together
        for register, value in self._fifo.settings(code, turns):
            self._put(register, value)
        self._begin()

    # Return the number of waiting samples; -1 if samples were lost.
    def _waiting(self):
        self._i2c.readfrom_mem_into(self._address, _STATUS, self._status)
        if self._status[1] & _OVERRUN:
            return -1
        return self._fifo.waiting(self._status, self.axes)

    def _empty(self):
        self._put(self._fifo.mode, 0)
        self._put(self._fifo.mode, self._fifo.running(self._code))

    def close(self):
        """Put the sensor to sleep."""
        self._put(_ACCEL, 0)
        self._put(_GYRO, 0)
