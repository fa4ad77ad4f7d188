# App story: the button for the next story; your board.py on the board replaces this file
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import machine


def button():
    """Return the button as a Pin, which is 0 while it is pressed: a wire to GND is enough."""
    number = 15 if sys.platform == "rp2" else 0
    return machine.Pin(number, machine.Pin.IN, machine.Pin.PULL_UP)
