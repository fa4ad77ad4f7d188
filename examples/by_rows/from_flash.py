# Example: a picture that lies in flash is read row by row, and never lies in RAM as a whole
# MIT license; Copyright (c) 2026 the tflm authors

import tflm


def classify(model, picture):
    """The real outputs for a picture: unsigned bytes of a file in ROMFS, or any buffer.

    The model was flattened with --input-by-rows.
    """
    interp = tflm.Interpreter(tflm.load(model))
    pixels = memoryview(picture)  # of a file in ROMFS: in place
    at = 0

    # Pixels 0 to 255 as the model's int8, a row at a time.
    def next_row(row):
        nonlocal at
        for i in range(len(row)):
            row[i] = pixels[at + i] - 128
        at += len(row)

    interp.invoke(next_row)
    return interp.output(0).dequantize()
