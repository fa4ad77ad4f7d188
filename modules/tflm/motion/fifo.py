# tflm.motion: Fifo: a sensor at an I2C bus that keeps its samples until they are read
# MIT license; Copyright (c) 2026 the tflm authors

# A sensor takes its samples by its own clock, whatever the program does meanwhile, and its FIFO
# holds some seconds of them. When it was full, where a sample begins is not known any more: then
# all that waits is dropped, which is counted, and the FIFO begins anew.

import time

import micropython

from ..errors import InputError

_MOST = 16  # samples that are read at once
_NEAR = 8  # samples that come while so many are read: a FIFO as full as that counts as full
_PATIENCE_MS = 2000

# How the FIFO gives a sample: groups of three words, acceleration and turns.
STEP = 15  # bytes from one group to the next
BIG_ENDIAN = 16
TURNS_FIRST = 32
TAGGED = 64  # a byte before each group says what it is
_SIX_AXES = 128  # there are two groups a sample

TURNS = (250, 500, 1000, 2000)  # degrees a second


# Groups to int16 from sample `at` of target on; returns how many were what they should be.
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
        place = ((i & 1) ^ swap) & turns
        if tagged:
            place = 2 - (source[begin - 1] >> 3)  # 2 is an acceleration, 1 a turn
            if place < 0 or place > turns:
                return i
        seen |= 1 << place
        if i & 1 == 1 or not turns:
            if seen != 1 << turns | turns:  # another sample begins in the middle
                return i
            seen = 0
        to = at + (i - (i & turns)) * 3 + place * 3
        k = 0
        while k < 3:
            from_ = begin + 2 * k
            target[to + k] = source[from_ + low] | source[from_ + high] << 8
            k += 1
        i += 1
    return groups


def check_ranges(most, turns):
    """Raise InputError for ranges, in g and degrees a second, that no sensor of this room has."""
    if most not in (2, 4, 8, 16):
        raise InputError("the range is %r g; take 2, 4, 8 or 16" % (most,))
    if turns is not None and turns not in TURNS:
        raise InputError(
            "the range is %r degrees a second; take 250, 500, 1000 or 2000, or None" % (turns,)
        )


def identify(i2c, address, register, known, name):
    """What a sensor says that it is, one of `known`; InputError when it is another, or none."""
    try:
        said = i2c.readfrom_mem(address, register, 1)[0]
    except OSError:
        raise InputError(
            "no sensor answers at the address 0x%02x of the I2C bus; check its wires and its "
            "address" % address
        )
    if said not in known:
        raise InputError(
            "the sensor at the address 0x%02x says that it is 0x%02x, no %s; take the class of "
            "that sensor" % (address, said, name)
        )
    return said


class Fifo:
    """What the sensors of this room have in common; it is not used by itself.

    axes: 3, or 6 with turns behind accelerations. rate: samples a second. scale: g a step;
    turn_scale: degrees a second a step. overruns: how often samples were lost as nobody read them
    in time; lost: how many, by the board's clock, as the sensor does not tell.
    """

    def __init__(self, i2c, address, rate, turns, layout):
        self._i2c = i2c
        self._address = address
        self.rate = rate
        self.axes = 6 if turns else 3
        self._groups = 2 if turns else 1
        self._layout = layout | (_SIX_AXES if turns else 0)
        self.sample_bytes = 2 * self.axes
        data = memoryview(bytearray(_MOST * self._groups * (layout & STEP)))
        size = self._groups * (layout & STEP)
        self._views = [data[: count * size] for count in range(_MOST + 1)]
        self._one = bytearray(1)
        self._pause = max(500 // rate, 1)
        self.overruns = 0
        self.lost = 0
        self._left = 0  # samples that waited when the FIFO was looked at last, and when that was
        self._last = time.ticks_ms()

    def _put(self, register, value):
        self._one[0] = value
        self._i2c.writeto_mem(self._address, register, self._one)

    def readinto(self, buffer):
        """Fill `buffer`, bytes of whole samples, with int16; waits. Returns its length.

        Allocates nothing. Raises InputError when no whole sample comes for two seconds, and
        OSError when the sensor does not answer.
        """
        wanted = len(buffer) // self.sample_bytes
        if wanted * self.sample_bytes != len(buffer):
            raise InputError(
                "the buffer has %d bytes; a sample has %d, take a multiple"
                % (len(buffer), self.sample_bytes)
            )
        done, since = 0, time.ticks_ms()
        while done < wanted:
            waiting = self._waiting()
            if waiting < 0 or waiting + _NEAR > self._room:
                self._lose()
                waiting = 0
            count = min(waiting, wanted - done, _MOST)
            if not count:
                if time.ticks_diff(time.ticks_ms(), since) > _PATIENCE_MS:
                    raise InputError("the sensor gives no samples; check its wires and its class")
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

    # All that came since the last look, and what had waited then, is gone.
    def _lose(self):
        passed = time.ticks_diff(time.ticks_ms(), self._last)
        self.overruns += 1
        self.lost += self._left + passed * self.rate // 1000
        self._begin()

    # An empty FIFO.
    def _begin(self):
        self._empty()
        self._left = 0
        self._last = time.ticks_ms()
