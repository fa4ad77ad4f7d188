# App gestures: the board's accelerometer and LED; your board.py on the board replaces this file
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import machine


def sensor():
    """Return the accelerometer. Change the pins here; for an LSM6DS return lsm6ds.LSM6DS(i2c)."""
    from tflm.motion import mpu6050

    if sys.platform == "rp2":
        i2c = machine.I2C(0, sda=machine.Pin(4), scl=machine.Pin(5), freq=400_000)
    else:
        i2c = machine.I2C(0, sda=machine.Pin(21), scl=machine.Pin(22), freq=400_000)
    return mpu6050.MPU6050(i2c)


def led():
    """Return the LED as a Pin."""
    return machine.Pin("LED" if sys.platform == "rp2" else 2, machine.Pin.OUT)
