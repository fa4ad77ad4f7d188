# tflm.motion: MPU6050: InvenSense's accelerometer and gyroscope, over I2C.
# MIT license; Copyright (c) 2026 the tflm authors

import time

from ..errors import InputError
from .fifo import BIG_ENDIAN, TURNS, Fifo, check_ranges, identify

_ADDRESS = 0x68  # 0x69 if the pin AD0 is at 3.3 V
_WHO_AM_I = 0x75
_KNOWN = (0x68,)

_RATE_DIVIDER = 0x19
_CONFIG = 0x1A
_GYRO_CONFIG = 0x1B
_ACCEL_CONFIG = 0x1C
_INTO_FIFO = 0x23
_USER_CONTROL = 0x6A
_POWER = 0x6B
_COUNT = 0x72
_FIFO = 0x74

_RESET = 0x80
_SLEEP = 0x40
_CLOCK_OF_GYRO = 1
_FIFO_RESET, _FIFO_ENABLE = 0x04, 0x40
_ACCEL, _GYRO = 0x08, 0x70

_HERTZ = 1000  # samples a second before the divider
_RANGES = (2, 4, 8, 16)  # g
_STEPS = 32768
_STEPS_A_DEGREE = (131, 65.5, 32.8, 16.4)  # a second
_BANDS = (184, 94, 44, 21, 10, 5)  # Hz, the bandwidths of its filters 1 to 6
_BYTES = 1024


class MPU6050(Fifo):
    """A source of samples of an MPU6050, int16.

    A sample is x, y, z, and with `turns` the turn rates about these axes. i2c: a machine.I2C of
    400 kHz. rate: samples a second, a divisor of 1000 that is 4 or more. most: 2, 4, 8 or 16 g.
    turns: None, or 250, 500, 1000 or 2000 degrees a second. Raises InputError for invalid
    arguments, and if no such sensor answers.
    """

    def __init__(self, i2c, rate=50, most=4, turns=None, address=_ADDRESS):
        if not isinstance(rate, int) or not 4 <= rate <= _HERTZ or _HERTZ % rate:
            raise InputError("the rate is %r; pass a divisor of 1000, from 4 to 1000" % (rate,))
        check_ranges(most, turns)
        identify(i2c, address, _WHO_AM_I, _KNOWN, "MPU6050")
        super().__init__(i2c, address, rate, turns, 6 | BIG_ENDIAN)
        self._data = _FIFO
        self._count = bytearray(2)
        self._capacity = _BYTES // self.sample_bytes
        self.scale = most / _STEPS
        self.turn_scale = turns and 1 / _STEPS_A_DEGREE[TURNS.index(turns)]
        self._put(_POWER, _RESET)
        time.sleep_ms(100)
        self._put(_POWER, _CLOCK_OF_GYRO)
        time.sleep_ms(10)
        self._put(_CONFIG, 1 + sum([2 * band > rate for band in _BANDS[:-1]]))
        self._put(_RATE_DIVIDER, _HERTZ // rate - 1)
        self._put(_ACCEL_CONFIG, _RANGES.index(most) << 3)
        self._put(_GYRO_CONFIG, TURNS.index(turns) << 3 if turns else 0)
        self._put(_INTO_FIFO, _ACCEL | _GYRO if turns else _ACCEL)
        self._begin()

    # Return the number of waiting samples. A FIFO that lost samples is full.
    def _waiting(self):
        self._i2c.readfrom_mem_into(self._address, _COUNT, self._count)
        return (self._count[0] << 8 | self._count[1]) // self.sample_bytes

    # The FIFO can be reset only while it is off.
    def _empty(self):
        self._put(_USER_CONTROL, 0)
        self._put(_USER_CONTROL, _FIFO_RESET)
        self._put(_USER_CONTROL, _FIFO_ENABLE)

    def close(self):
        """Put the sensor to sleep."""
        self._put(_POWER, _SLEEP)
