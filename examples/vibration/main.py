# Example: report every two seconds whether the vibration of a motor has changed
# MIT license; Copyright (c) 2026 the tflm authors

# Wiring, MPU6050 (GY-521) at a Pico: VCC to 3V3 (pin 36), GND to GND, SDA to GPIO 4 (pin 6), SCL
# to GPIO 5 (pin 7). Screw it to the motor with z across the shaft. The motor must run
# normally for the first ten seconds. Install the package sensors with mip (examples/README.md):
#
#     tflm flatten models/anomaly/anomaly_int8.tflite --target armv6m -o anomaly_int8.tflm
#     mpremote cp anomaly_int8.tflm models/anomaly/features.py :
#     mpremote cp models/anomaly/monitor.py examples/vibration/main.py :

import features
import machine
import tflm
from monitor import Monitor
from tflm.motion.mpu6050 import MPU6050
from tflm.motion.window import Window


def windows(sensor):
    """Yield windows of the z axis in g, without end."""
    window = Window(sensor, features.LENGTH)
    while True:
        data = window.next()
        yield [data[i] * sensor.scale for i in range(2, len(data), 3)]


monitor = Monitor(tflm.Interpreter(tflm.load("anomaly_int8.tflm")))
led = machine.Pin("LED", machine.Pin.OUT)
bus = machine.I2C(0, sda=machine.Pin(4), scl=machine.Pin(5), freq=400_000)
heard = windows(MPU6050(bus, rate=features.RATE))
while True:
    score = monitor.hear(heard)
    if score is not None:
        led.value(score > monitor.threshold)
        print("%.3f %s" % (score, "odd" if score > monitor.threshold else "well"))
