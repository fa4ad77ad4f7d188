# tflm_tools: board: runs on a board: times a loop of known cycles, and reads of its flash
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import sys
from time import ticks_diff, ticks_us

import micropython

_FLASH = 0x10000000  # of an RP2 chip, read through its cache of 16 KB
_CACHE = 16384
_WORDS = 1024  # of one measurement, less than the cache
_MEASUREMENTS = 8


# Each round adds, compares and branches; `count` is its only number, so viper keeps it in a
# register.
@micropython.viper
def _count_down(count: int):
    while count:
        count -= 1


@micropython.viper
def _read(at: int, words: int) -> int:
    source = ptr32(at)
    total = 0
    i = 0
    while i < words:
        total += source[i]
        i += 1
    return total


def _microseconds(function, *arguments):
    begin = ticks_us()
    function(*arguments)
    return ticks_diff(ticks_us(), begin)


# Microseconds of `rounds` rounds of an empty loop, the least of three runs.
def loop_us(rounds):
    _count_down(1)
    return min([_microseconds(_count_down, rounds) for _ in range(3)])


# (microseconds of reads that miss the cache, of reads that hit, number of reads of each) on an RP2
# chip, None on others. It reads the firmware itself. The first half of the reads is subtracted,
# because MicroPython's own code misses the cache there, too.
def flash_us():
    if sys.platform != "rp2":
        return None
    missed = hit = 0
    gc.collect()
    for i in range(2 * _MEASUREMENTS):
        at = _FLASH + 0x20000 + 4 * _WORDS * (i >> 1)
        words, sign = (_WORDS, 1) if i & 1 else (_WORDS >> 1, -1)
        _read(_FLASH + 0x80000, _CACHE >> 2)  # replaces all other lines
        missed += sign * _microseconds(_read, at, words)
        hit += sign * _microseconds(_read, at, words)
    return missed, hit, _MEASUREMENTS * (_WORDS >> 1)
