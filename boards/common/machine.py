# Emulated boards: adds pins without hardware to MicroPython's machine, for programs that blink
# MIT license; Copyright (c) 2026 the tflm authors

from umachine import *  # noqa: F403


class Pin:
    IN = 0
    OUT = 1

    def __init__(self, name, mode=IN, value=0):
        self._value = value

    def value(self, value=None):
        if value is None:
            return self._value
        self._value = value

    def on(self):
        self._value = 1

    def off(self):
        self._value = 0


class PWM:
    def __init__(self, pin, freq=0, duty_u16=0):
        self._duty = duty_u16

    def duty_u16(self, duty=None):
        if duty is None:
            return self._duty
        self._duty = duty
