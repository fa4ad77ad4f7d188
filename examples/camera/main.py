# Example: classify a digit on paper, drawn with a thick pen so that it fills the image
# MIT license; Copyright (c) 2026 the tflm authors

# Wiring, HM01B0 at a Pico: 3V3 to 3V3 (pin 36), GND to GND, SDA to GPIO 4 (pin 6), SCL to GPIO 5
# (pin 7), D0 to GPIO 6 (pin 9), PCLKO to GPIO 14 (pin 19), LVLD to GPIO 15 (pin 20), FVLD to GPIO
# 16 (pin 21). Install the packages cnn and sensors with mip (examples/README.md), then:
#
#     tflm flatten models/digits/digits_int8.tflite --target armv6m -o digits_int8.tflm
#     mpremote cp digits_int8.tflm examples/camera/main.py :

import machine
import tflm
from tflm.camera.hm01b0 import HM01B0

_SIDE, _CELL = 96, 12  # pixels of the image, and of each of the 8x8 cells of the input


def ink(picture, begin, dark):
    """Return the amount of ink in the cell at `begin`, 0 to 16."""
    count = 0
    for at in range(begin, begin + _CELL * _SIDE, _SIDE):
        count += sum([pixel < dark for pixel in picture[at : at + _CELL]])
    return 16 * count / (_CELL * _CELL)


interpreter = tflm.Interpreter(tflm.load("digits_int8.tflm"))
bus = machine.I2C(0, sda=machine.Pin(4), scl=machine.Pin(5), freq=400_000)
camera = HM01B0(bus, size=(_SIDE, _SIDE), signed=False)
picture = memoryview(bytearray(_SIDE * _SIDE))
starts = [y * _SIDE + x for y in range(0, _SIDE, _CELL) for x in range(0, _SIDE, _CELL)]
while True:
    camera.capture_into(picture)
    dark = (min(picture) + max(picture)) // 2
    interpreter.input(0).quantize([ink(picture, start, dark) for start in starts])
    interpreter.invoke()
    scores = interpreter.output(0).dequantize()
    print(interpreter.model.labels()[scores.index(max(scores))], "%d %%" % (100 * max(scores)))
