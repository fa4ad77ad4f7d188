# App hello_world: sets the LED's brightness by a model that was trained on the sine
# MIT license; Copyright (c) 2026 the tflm authors

import math
import time

import machine
import tflm

_STEPS = 50  # of a whole wave


def main():
    interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
    interpreter.allocate_tensors()
    angle = interpreter.input(0)
    sine = interpreter.output(0)
    led = machine.PWM(machine.Pin("LED"), freq=1000)
    step = 0
    while True:
        x = 2 * math.pi * step / _STEPS
        angle.quantize([x])
        interpreter.invoke()
        y = sine.dequantize()[0]
        led.duty_u16(min(max(int((y + 1) * 32767), 0), 65535))
        print("x %.3f  sine %6.3f  %s*" % (x, y, " " * int((y + 1) * 20)))
        step = (step + 1) % _STEPS
        time.sleep_ms(40)


try:
    main()
except KeyboardInterrupt:
    print("stopped; import main runs it again")
