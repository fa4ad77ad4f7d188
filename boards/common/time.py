# Emulated boards: qemu's have no clock, so time goes on only while a program sleeps
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import machine

# Where a board's UART says that a byte is there: memory, address, bit. No interrupt tells of
# Ctrl-C, so a program that sleeps looks for it.
_PLACES = {
    "microbit": (machine.mem32, 0x40002108, 1),
    "mps2-an385": (machine.mem32, 0x40004004, 2),
    "virt": (machine.mem8, 0x10000005, 1),
    "kc705-nommu": (machine.mem32, 0x9D050034, 1),
}
_MEMORY, _STATUS, _BIT = _PLACES[sys.implementation._machine.split()[0]]
_CTRL_C = "\x03"

_LOOPS = 500  # of an empty loop for a millisecond; in qemu they take less than that

_now = 0  # in microseconds


def sleep_us(us):
    global _now
    for _ in range(us * _LOOPS // 1000):
        pass
    _now += us
    if _MEMORY[_STATUS] & _BIT and sys.stdin.read(1) == _CTRL_C:
        raise KeyboardInterrupt


def sleep_ms(ms):
    sleep_us(ms * 1000)


def sleep(seconds):
    sleep_us(int(seconds * 1000000))


def ticks_us():
    return _now & 0x3FFFFFFF


def ticks_ms():
    return _now // 1000 & 0x3FFFFFFF


def ticks_diff(end, begin):
    return ((end - begin + 0x20000000) & 0x3FFFFFFF) - 0x20000000
