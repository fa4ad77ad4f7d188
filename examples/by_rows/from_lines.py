# Example: numbers are read line by line from a text file, one line for each row of the input
# MIT license; Copyright (c) 2026 the tflm authors

import tflm


def classify(model, path):
    """The real outputs for a CSV file, as of a spectrogram; a model made with --input-by-rows."""
    interp = tflm.Interpreter(tflm.load(model))
    with open(path) as file:
        interp.invoke([float(word) for word in line.split(",")] for line in file)
    return interp.output(0).dequantize()
