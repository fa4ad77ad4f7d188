# Example: detect gestures with an accelerometer: circle, wave, shake and tap
# MIT license; Copyright (c) 2026 the tflm authors

# Wiring, MPU6050 (GY-521) at a Pico: VCC to 3V3 (pin 36), GND to GND, SDA to GPIO 4 (pin 6), SCL
# to GPIO 5 (pin 7).
# Install the packages cnn and sensors with mip (examples/README.md), then:
#
#     tflm flatten models/gestures/gestures_int8.tflite --target armv6m -o gestures_int8.tflm
#     mpremote cp gestures_int8.tflm examples/imu/main.py :

import machine
import tflm
from tflm.motion.mpu6050 import MPU6050
from tflm.motion.window import Window

_LIKELY = 0.8

interpreter = tflm.Interpreter(tflm.load("gestures_int8.tflm"))
labels = interpreter.model.labels()
bus = machine.I2C(0, sda=machine.Pin(4), scl=machine.Pin(5), freq=400_000)
window = Window(MPU6050(bus), 96, 12)  # 1.9 s; a result after every 12 new samples
last = "none"
while True:
    window.next()
    window.fill(interpreter.input(0))
    interpreter.invoke()
    scores = interpreter.output(0).dequantize()
    best = max(scores)
    name = labels[scores.index(best)]
    if best > _LIKELY and name != last:
        last = name
        print("%-6s %3d %%" % (name, 100 * best))
