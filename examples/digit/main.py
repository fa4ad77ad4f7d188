# Example: classify a handwritten digit on a Pico with stock firmware
# MIT license; Copyright (c) 2026 the tflm authors

# No wiring. With a Pico on USB:
#
#     tflm deploy models/digits/digits_int8.tflite
#     mpremote run examples/digit/main.py

import tflm
import tflm_flash  # finds the model that `tflm deploy` has stored in the flash of a Pico

model = tflm.load(tflm_flash.model("digits_int8"), trusted=True)
interp = tflm.Interpreter(model)
pixels = [  # 8 rows of 8: a handwritten 2
    0, 0, 4, 15, 12, 0, 0, 0, 0, 3, 16, 15, 14, 0, 0, 0,
    0, 8, 13, 8, 16, 0, 0, 0, 0, 1, 6, 15, 11, 0, 0, 0,
    1, 8, 13, 15, 1, 0, 0, 0, 9, 16, 16, 5, 0, 0, 0, 0,
    3, 13, 16, 16, 11, 5, 0, 0, 0, 0, 3, 11, 16, 9, 0, 0,
]  # fmt: skip
interp.input(0).quantize(pixels)  # before every invoke(): its memory is reused
interp.invoke()  # allocates nothing on the heap
scores = interp.output(0).dequantize()
print("a", model.labels()[scores.index(max(scores))])
