# Example: classify an image in flash row by row, without a copy of the image in RAM
# MIT license; Copyright (c) 2026 the tflm authors

import tflm


def classify(model, picture):
    """Return the outputs for an image as a list of real numbers.

    model: path of a .tflm that was flattened with --input-by-rows. picture: pixels of 0 to 255
    in a file of ROMFS that is open for reading, or in any buffer.
    """
    interp = tflm.Interpreter(tflm.load(model))
    pixels = memoryview(picture)  # a file of ROMFS is read in place
    at = 0

    # Convert the next row to the int8 input of the model, -128 to 127.
    def next_row(row):
        nonlocal at
        for i in range(len(row)):
            row[i] = pixels[at + i] - 128
        at += len(row)

    interp.invoke(next_row)
    return interp.output(0).dequantize()
