# Example: move a servo along the sine that a model has learned
# MIT license; Copyright (c) 2026 the tflm authors

# Wiring, servo (SG90) at a Pico: brown to GND, red to VBUS (pin 40), orange to GPIO 15 (pin 20).
# Install the package core with mip (examples/README.md), then:
#
#     tflm flatten models/hello_world/hello_world_int8.tflite --target armv6m -o sine.tflm
#     mpremote cp sine.tflm examples/servo/main.py :

import math
import time

import machine
import tflm

_STEPS = 100  # per full swing
_MIDDLE, _SWING = 1_500_000, 500_000  # pulse in ns: 90 degrees, 45 to each side

interpreter = tflm.Interpreter(tflm.load("sine.tflm"))
servo = machine.PWM(machine.Pin(15), freq=50)
while True:
    for step in range(_STEPS):
        interpreter.input(0).quantize([2 * math.pi * step / _STEPS])
        interpreter.invoke()
        sine = interpreter.output(0).dequantize()[0]
        servo.duty_ns(_MIDDLE + int(_SWING * max(-1, min(1, sine))))
        time.sleep_ms(20)
