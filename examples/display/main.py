# Example: show a digit and its class on a display
# MIT license; Copyright (c) 2026 the tflm authors

# Wiring, SSD1306 (128x64, I2C) at a Pico: VCC to 3V3 (pin 36), GND to GND, SDA to GPIO 4 (pin 6),
# SCL to GPIO 5 (pin 7).
# Install the packages cnn and ssd1306 (micropython-lib) with mip (examples/README.md), then:
#
#     tflm flatten models/digits/digits_int8.tflite --target armv6m -o digits_int8.tflm
#     mpremote cp digits_int8.tflm examples/display/main.py :

import machine
import ssd1306
import tflm

DRAWN = (
    "..####..",
    ".#....#.",
    "......#.",
    "...###..",
    "......#.",
    "......#.",
    ".#....#.",
    "..####..",
)

interpreter = tflm.Interpreter(tflm.load("digits_int8.tflm"))
interpreter.input(0).quantize([16 if dot == "#" else 0 for row in DRAWN for dot in row])
interpreter.invoke()
scores = interpreter.output(0).dequantize()
best = scores.index(max(scores))

bus = machine.I2C(0, sda=machine.Pin(4), scl=machine.Pin(5), freq=400_000)
display = ssd1306.SSD1306_I2C(128, 64, bus)
for y, row in enumerate(DRAWN):
    for x, dot in enumerate(row):
        display.fill_rect(8 * x, 8 * y, 8, 8, dot == "#")
display.text("%s" % interpreter.model.labels()[best], 72, 20)
display.text("%d %%" % (100 * scores[best]), 72, 36)
display.show()
