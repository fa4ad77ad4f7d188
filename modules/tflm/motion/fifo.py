# tflm.motion: Fifo: the base class of I2C sensors that buffer their samples.
# MIT license; Copyright (c) 2026 the tflm authors

# A sensor measures by its own clock, whatever the program does, and its FIFO holds the samples of
# some seconds. After the FIFO was full, it is unknown where a sample starts. Then all waiting
# samples are dropped and counted as lost, and the FIFO starts again.

import time

import micropython

from ..errors import InputError

_MAX_SAMPLES = 16  # of one read
_NEAR = 8  # samples that may come during a read: a FIFO with this little space counts as full
_TIMEOUT_MS = 2000

# The layout of a sample: groups of three words, acceleration and turn rates.
STEP = 15  # bytes of a group with its tag
BIG_ENDIAN = 16
TURNS_FIRST = 32
TAGGED = 64  # a tag byte before each group
_SIX_AXES = 128  # two groups for each sample

TURNS = (250, 500, 1000, 2000)  # degrees a second


# Decode groups to int16 from sample `at` of target on; return how many were as expected.
@micropython.viper
def _decode(target: ptr16, at: int, source: ptr8, groups: int, layout: int) -> int:
    step = layout & 15
    low = (layout >> 4) & 1
    high = 1 - low
    swap = (layout >> 5) & 1
    tagged = (layout >> 6) & 1
    turns = (layout >> 7) & 1
    at = at * 3 << turns
    seen = 0
    i = 0
    while i < groups:
        begin = i * step + tagged
        which = ((i & 1) ^ swap) & turns
        if tagged:
            which = 2 - (source[begin - 1] >> 3)  # tag 2 is an acceleration, 1 a turn rate
            if which < 0 or which > turns:
                return i
        seen |= 1 << which
        if i & 1 == 1 or not turns:
            if seen != 1 << turns | turns:  # not the groups of one sample
                return i
            seen = 0
        to = at + (i - (i & turns)) * 3 + which * 3
        k = 0
        while k < 3:
            from_ = begin + 2 * k
            target[to + k] = source[from_ + low] | source[from_ + high] << 8
            k += 1
        i += 1
    return groups


def check_ranges(most, turns):
    """Raise InputError for ranges, in g and degrees a second, that the sensors do not have."""
    if most not in (2, 4, 8, 16):
        raise InputError("the range is %r g; pass 2, 4, 8 or 16" % (most,))
    if turns is not None and turns not in TURNS:
        raise InputError(
            "the range is %r degrees a second; pass 250, 500, 1000 or 2000, or None" % (turns,)
        )


def identify(i2c, address, register, known, name):
    """Return a sensor's identity; raise InputError if no sensor or another one answers."""
    try:
        identity = i2c.readfrom_mem(address, register, 1)[0]
    except OSError:
        raise InputError(
            "no sensor answers at the address 0x%02x of the I2C bus; check its wires and its "
            "address" % address
        )
    if identity not in known:
        raise InputError(
            "the sensor at the address 0x%02x is 0x%02x, no %s; use the class of that sensor"
            % (address, identity, name)
        )
    return identity


class Fifo:
    """The base class of the sensors; do not use it by itself.

    axes: 3, or 6 with turn rates after accelerations. rate: samples a second. scale: g of a step.
    turn_scale: degrees a second of a step. overruns: how often samples were lost because nobody
    read them in time. lost: the number of lost samples by the board's clock, because the sensor
    does not report it.
    """

    def __init__(self, i2c, address, rate, turns, layout):
        self._i2c = i2c
        self._address = address
        self.rate = rate
        self.axes = 6 if turns else 3
        self._groups = 2 if turns else 1
        self._layout = layout | (_SIX_AXES if turns else 0)
        self.sample_bytes = 2 * self.axes
        data = memoryview(bytearray(_MAX_SAMPLES * self._groups * (layout & STEP)))
        size = self._groups * (layout & STEP)
        self._views = [data[: count * size] for count in range(_MAX_SAMPLES + 1)]
        self._one = bytearray(1)
        self._pause = max(500 // rate, 1)
        self.overruns = 0
        self.lost = 0
        self._left = 0  # samples in the FIFO at the time of the last read
        self._last = time.ticks_ms()

    def _put(self, register, value):
        self._one[0] = value
        self._i2c.writeto_mem(self._address, register, self._one)

    def readinto(self, buffer):
        """Fill a buffer with int16 samples; wait for them; return its length in bytes.

        Allocates nothing. Raises InputError unless the buffer holds whole samples, and if no
        sample comes for two seconds; OSError if the sensor does not answer.
        """
        wanted = len(buffer) // self.sample_bytes
        if wanted * self.sample_bytes != len(buffer):
            raise InputError(
                "the buffer has %d bytes, a sample has %d; pass a multiple"
                % (len(buffer), self.sample_bytes)
            )
        done, since = 0, time.ticks_ms()
        while done < wanted:
            waiting = self._waiting()
            if waiting < 0 or waiting + _NEAR > self._capacity:
                self._lose()
                waiting = 0
            count = min(waiting, wanted - done, _MAX_SAMPLES)
            if not count:
                if time.ticks_diff(time.ticks_ms(), since) > _TIMEOUT_MS:
                    raise InputError("the sensor sends no samples; check its wires and its class")
                time.sleep_ms(self._pause)
                continue
            self._i2c.readfrom_mem_into(self._address, self._data, self._views[count])
            groups = count * self._groups
            if _decode(buffer, done, self._views[count], groups, self._layout) != groups:
                self._lose()
                continue
            self._left = waiting - count
            self._last = since = time.ticks_ms()
            done += count
        return len(buffer)

    # Count all samples since the last read, and those that waited then, as lost.
    def _lose(self):
        passed = time.ticks_diff(time.ticks_ms(), self._last)
        self.overruns += 1
        self.lost += self._left + passed * self.rate // 1000
        self._begin()

    # Start with an empty FIFO.
    def _begin(self):
        self._empty()
        self._left = 0
        self._last = time.ticks_ms()
