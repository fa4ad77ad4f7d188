# Emulated boards: qemu's boards have no clock, so time advances only while a program sleeps
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import machine

# The bit of the UART that is set if a byte was received: memory, address, bit. Ctrl-C causes no
# interrupt, so a sleeping program checks this bit.
_UART_STATUS = {
    "microbit": (machine.mem32, 0x40002108, 1),
    "mps2-an385": (machine.mem32, 0x40004004, 2),
    "virt": (machine.mem8, 0x10000005, 1),
    "kc705-nommu": (machine.mem32, 0x9D050034, 1),
}
_MEMORY, _STATUS, _BIT = _UART_STATUS[sys.implementation._machine.split()[0]]
_CTRL_C = "\x03"

_LOOPS = 500  # iterations of an empty loop per millisecond; qemu is faster

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
