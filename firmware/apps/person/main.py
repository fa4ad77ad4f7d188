# App person: detects whether a person is in the pictures of the board's camera
# MIT license; Copyright (c) 2026 the tflm authors

# Name the model with MODEL= of make. Its input is a grey int8 picture [1, height, width, 1]; it
# has two outputs or more.

import time

import board
import tflm
from tflm.errors import TflmError

_LABELS = ("no person", "person")  # for a model without labels


# The index of the largest score.
def _best(scores):
    best = 0
    for i in range(1, len(scores)):
        if scores[i] > scores[best]:
            best = i
    return best


def watch(interpreter, camera, labels, led):
    """Print the class of each picture, until Ctrl-C."""
    picture, scores = interpreter.input(0), interpreter.output(0)
    while True:
        begin = time.ticks_us()
        camera.capture_into(picture.data)
        taken = time.ticks_us()
        interpreter.invoke()
        end = time.ticks_us()
        best = _best(scores.data)
        led.value(best == 1)
        percent = 100 * scores.dequantize()[best]
        times = time.ticks_diff(taken, begin) / 1000, time.ticks_diff(end, taken) / 1000
        print("%-10s %3.0f %%, picture %.0f ms, model %.0f ms" % ((labels[best], percent) + times))


def main():
    try:
        interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"), cores=2)
        interpreter.invoke()  # the first run loads the kernels, which takes longer
        _, height, width, _ = interpreter.input(0).shape
        camera = board.camera((width, height))
        try:
            watch(interpreter, camera, interpreter.model.labels() or _LABELS, board.led())
        finally:
            camera.close()
            interpreter.free()
    except KeyboardInterrupt:
        print("stopped; import main runs it again")
    except OSError:
        print("person: there is no model; build the firmware with MODEL=person_detect.tflite")
    except TflmError as error:
        print("person:", error)


main()
