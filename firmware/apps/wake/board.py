# App wake: the board's microphone and LED; a file board.py of yours on the board is taken instead
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import machine


def microphone():
    """What is listened to; its pins are these."""
    if sys.platform == "rp2":
        from tflm.microphone import pdm

        return pdm.Microphone(clock=2, data=3)
    from tflm.microphone import i2s

    return i2s.Microphone(sck=26, ws=25, sd=33)


def led():
    """The LED as a Pin."""
    return machine.Pin("LED" if sys.platform == "rp2" else 2, machine.Pin.OUT)
