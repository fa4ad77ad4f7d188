# page: reads a drawn digit on the board: 64 pixels in, the answer as JSON out
# MIT license; Copyright (c) 2026 the tflm authors

import json
import time

import tflm
from machine import Pin

_led = Pin(25, Pin.OUT)
_interpreter = tflm.Interpreter(tflm.load("/rom/digits.tflm"))
_interpreter.allocate_tensors()
_interpreter.invoke()  # the first invoke also loads kernels


def read(pixels):
    """Print the digit in a picture of 8x8 bytes 0..16, all scores, and the time in microseconds.

    The LED is on while the model runs.
    """
    _led.on()
    _interpreter.input(0).quantize(pixels)
    begin = time.ticks_us()
    _interpreter.invoke()
    took = time.ticks_diff(time.ticks_us(), begin)
    scores = _interpreter.output(0).dequantize()
    _led.off()
    print(json.dumps({"digit": scores.index(max(scores)), "scores": scores, "us": took}))
