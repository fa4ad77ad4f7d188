# tflm_tools: board: runs on a board: times a loop of known cycles, and reads of its flash
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import sys

import micropython

try:
    from time import ticks_diff, ticks_us
except ImportError:  # emulated boards without a clock: all times are 0

    def ticks_us():
        return 0

    def ticks_diff(end, begin):
        return end - begin


# Flash without code of an RP2 chip with 2 MB or more. It is read through a cache.
_DATA, _OTHER_DATA = 0x10100000, 0x10180000
_CACHE = 16384
_COUNTERS = {"RP2040": 0x1400000C, "RP2350": 0x400C800C}  # as in misses.py
_WORDS = 1024  # of one measurement, less than the cache
_MEASUREMENTS = 8


# Each round adds, compares and branches; `count` is its only number, so viper keeps it in a
# register.
@micropython.viper
def _count_down(count: int):
    while count:
        count -= 1


@micropython.viper
def _read(at: int, words: int, times: int) -> int:
    source = ptr32(at)
    total = 0
    while times:
        i = 0
        while i < words:
            total += source[i]
            i += 1
        times -= 1
    return total


# The misses so far, by the hardware's counters of hits and accesses, two words.
@micropython.viper
def _missed(at: int) -> int:
    counters = ptr32(at)
    return counters[1] - counters[0]


def _microseconds(function, *arguments):
    begin = ticks_us()
    function(*arguments)
    return ticks_diff(ticks_us(), begin)


# Microseconds of `rounds` rounds of an empty loop, the least of three runs.
def loop_us(rounds):
    _count_down(1)
    return min([_microseconds(_count_down, rounds) for _ in range(3)])


# (microseconds of reads that miss the cache, of reads that hit, how many more misses the former
# have) on an RP2 chip, None on others. Differences of two times leave out MicroPython's own code,
# which misses the cache, too: reads of twice as many words, and the same reads once more.
def flash_us():
    machine = getattr(sys.implementation, "_machine", "")
    at = [address for chip, address in _COUNTERS.items() if chip in machine]
    if not at:
        return None
    missed = hit = misses = 0
    gc.collect()
    for i in range(_MEASUREMENTS):
        source = _DATA + 4 * _WORDS * i
        half, whole, twice = [
            _timed_reads(at[0], source, words, times)
            for words, times in ((_WORDS >> 1, 1), (_WORDS, 1), (_WORDS, 2))
        ]
        missed += whole[0] - half[0]
        hit += (twice[0] - whole[0]) >> 1
        misses += whole[1] - half[1] - ((twice[1] - whole[1]) >> 1)
    return missed, hit, misses


# (microseconds, misses) of reads that begin with another content of the cache.
def _timed_reads(counters, at, words, times):
    _read(_OTHER_DATA, _CACHE >> 2, 1)
    before = _missed(counters)
    us = _microseconds(_read, at, words, times)
    return us, _missed(counters) - before
