# tflm: an example: classify images of handwritten digits, 8x8 bytes of 0 (white) to 16 (black)
# MIT license; Copyright (c) 2026 the tflm authors

import time

import report
import tflm


# Classify every image of a file: [digit, its probability, microseconds] for each.
def classify(model_path, images_path):
    interpreter = tflm.Interpreter(tflm.load(model_path))  # the arena is just what it needs
    interpreter.allocate_tensors()
    image = interpreter.input(0)
    probabilities = interpreter.output(0)
    found = []
    with open(images_path, "rb") as images:
        pixels = images.read(64)
        while pixels:
            image.quantize(pixels)
            start = time.ticks_us()
            interpreter.invoke()
            elapsed = time.ticks_diff(time.ticks_us(), start)
            values = probabilities.dequantize()
            digit = values.index(max(values))
            found.append((digit, values[digit], elapsed))
            pixels = images.read(64)
    return found, interpreter.arena_used_bytes()


# What the host asked for.
def main(job):
    found, arena = classify(job["model"], job["images"])
    return {"found": found, "arena": arena}


report.serve(main)
