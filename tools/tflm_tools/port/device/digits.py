# tflm: example: classifies images of handwritten digits, 8x8 bytes of 0 (white) to 16 (black)
# MIT license; Copyright (c) 2026 the tflm authors

import time

import report
import tflm


# Classify each image of a file; return ([(digit, probability, microseconds)], arena bytes).
def classify(model_path, images_path):
    interpreter = tflm.Interpreter(tflm.load(model_path))  # allocates the arena itself
    interpreter.allocate_tensors()
    image = interpreter.input(0)
    probabilities = interpreter.output(0)
    results = []
    with open(images_path, "rb") as images:
        pixels = images.read(64)
        while pixels:
            image.quantize(pixels)
            start = time.ticks_us()
            interpreter.invoke()
            elapsed = time.ticks_diff(time.ticks_us(), start)
            values = probabilities.dequantize()
            digit = values.index(max(values))
            results.append((digit, values[digit], elapsed))
            pixels = images.read(64)
    return results, interpreter.arena_used_bytes()


# The job: `model` and `images` (paths).
def main(job):
    results, arena = classify(job["model"], job["images"])
    return {"results": results, "arena": arena}


report.serve(main)
