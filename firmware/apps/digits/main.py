# App digits: classifies images of handwritten digits, prints the digits and blinks them
# MIT license; Copyright (c) 2026 the tflm authors

import time

import machine
import tflm

_SHADES = " .:-=+*#%@"  # from white to black
_SIDE = 8  # pixels


# Print an image of bytes 0..16 as text.
def show(image):
    for row in range(_SIDE):
        pixels = image[row * _SIDE : (row + 1) * _SIDE]
        print("    " + "".join([_SHADES[pixel * 9 // 16] * 2 for pixel in pixels]))


def blink(led, times):
    for _ in range(times):
        led.on()
        time.sleep_ms(80)
        led.off()
        time.sleep_ms(120)


def main():
    begin = time.ticks_us()
    interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
    interpreter.allocate_tensors()
    image = interpreter.input(0)
    scores = interpreter.output(0)
    interpreter.invoke()
    ready = time.ticks_diff(time.ticks_us(), begin)
    print("tflm %s: loaded and run once in %.1f ms" % (tflm.__version__, ready / 1000))
    with open("/rom/images", "rb") as file:
        images = file.read()
    led = machine.Pin("LED", machine.Pin.OUT)
    while True:
        for start in range(0, len(images), _SIDE * _SIDE):
            pixels = images[start : start + _SIDE * _SIDE]
            show(pixels)
            image.quantize(pixels)
            begin = time.ticks_us()
            interpreter.invoke()
            took = time.ticks_diff(time.ticks_us(), begin)
            values = scores.dequantize()
            digit = values.index(max(values))
            print("this is %d (%d %%), in %.2f ms" % (digit, values[digit] * 100, took / 1000))
            blink(led, digit)
            time.sleep_ms(500)


try:
    main()
except KeyboardInterrupt:
    print("stopped; import main runs it again")
