# App person: says of each picture of the board's camera whether somebody is in it
# MIT license; Copyright (c) 2026 the tflm authors

# The model is named with MODEL=: one grey int8 picture [1, height, width, 1], two outputs or more.

import time

import board
import tflm
from tflm.errors import TflmError

_LABELS = ("no person", "person")  # where the model has no labels


# The largest of the outputs, and which it is: 0..255 of 256.
def _best(scores):
    best = 0
    for i in range(1, len(scores)):
        if scores[i] > scores[best]:
            best = i
    return best


def watch(interpreter, camera, labels, led):
    """Tell of each picture what it is, until Ctrl-C."""
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
        interpreter.invoke()  # what the first run loads is not to be waited for later
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
        print("person: there is no model; make the firmware with MODEL=person_detect.tflite")
    except TflmError as error:
        print("person:", error)


main()
