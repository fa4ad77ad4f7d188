# App objects: the board's camera and LED; your own board.py on the board replaces this file
# MIT license; Copyright (c) 2026 the tflm authors

import machine


def camera(size):
    """Return the camera. Change the pins here; for an OV7670 return ov7670.OV7670(i2c)."""
    from tflm.camera import hm01b0

    i2c = machine.I2C(0, sda=machine.Pin(4), scl=machine.Pin(5), freq=400_000)
    return hm01b0.HM01B0(i2c, size=size)


def led():
    """Return the LED as a Pin."""
    return machine.Pin("LED", machine.Pin.OUT)
