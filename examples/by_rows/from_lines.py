# Example: read the input from a text file, one line for each row
# MIT license; Copyright (c) 2026 the tflm authors

import tflm


def classify(model, path):
    """Return the outputs for a CSV file, such as a spectrogram, as a list of real numbers.

    model: path of a .tflm that was flattened with --input-by-rows.
    """
    interp = tflm.Interpreter(tflm.load(model))
    with open(path) as file:
        interp.invoke([float(word) for word in line.split(",")] for line in file)
    return interp.output(0).dequantize()
