# App objects: prints and sketches the boxes of objects in the pictures of the board's camera
# MIT license; Copyright (c) 2026 the tflm authors

# The file `model` names the model; MODEL= of make replaces it. Its input is a grey int8 picture
# [1, height, width, 1], its output a grid of classes (FOMO): [1, rows, columns, 1 + classes].

import time

import board
import framebuf
import tflm
from tflm.detect.fomo import FOMO
from tflm.errors import TflmError

_COLUMNS, _ROWS = 48, 24  # characters of the sketch


class Sketch:
    """The frame of the camera in characters. A box is drawn with the first letter of its class."""

    def __init__(self, width, height):
        self._size = width, height
        self._text = bytearray(_COLUMNS * _ROWS)
        self._canvas = framebuf.FrameBuffer(self._text, _COLUMNS, _ROWS, framebuf.GS8)

    def clear(self):
        self._canvas.fill(ord("."))

    def draw(self, x, y, width, height, letter):
        frame_width, frame_height = self._size
        left, right = x * _COLUMNS // frame_width, (x + width) * _COLUMNS // frame_width
        top, bottom = y * _ROWS // frame_height, (y + height) * _ROWS // frame_height
        self._canvas.rect(left, top, max(right - left, 1), max(bottom - top, 1), ord(letter))

    def show(self):
        for row in range(_ROWS):
            print(str(self._text[_COLUMNS * row : _COLUMNS * (row + 1)], "ascii"))


# The names of the classes. Some models also have a label for the background.
def _names(interpreter):
    labels = interpreter.model.labels()
    classes = interpreter.output(0).shape[3] - 1
    labels = labels[len(labels) - classes :] if len(labels) > classes else labels
    return labels + [str(i) for i in range(len(labels), classes)]


# Print and draw all boxes.
def _report(detector, count, names, sketch):
    sketch.clear()
    for i in range(count):
        x, y, width, height, label, score = detector.boxes[6 * i : 6 * i + 6]
        name = names[label]
        sketch.draw(x, y, width, height, name[0])
        print("%-10s %3.0f %% at %d, %d, %d x %d pixels" % (name, score / 10, x, y, width, height))
    if count:
        sketch.show()


def watch(interpreter, camera, led):
    """Print the objects of each picture, until Ctrl-C."""
    picture = interpreter.input(0)
    detector, names = FOMO(interpreter), _names(interpreter)
    sketch = Sketch(camera.width, camera.height)
    while True:
        times = [time.ticks_us()]
        camera.capture_into(picture.data)
        times.append(time.ticks_us())
        interpreter.invoke()
        times.append(time.ticks_us())
        count = detector.detect()
        times.append(time.ticks_us())
        led.value(count > 0)
        _report(detector, count, names, sketch)
        spent = tuple(time.ticks_diff(times[i + 1], times[i]) / 1000 for i in range(3))
        print("%d objects, picture %.0f ms, model %.1f ms, boxes %.1f ms" % ((count,) + spent))


def main():
    try:
        interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"), cores=2)
        interpreter.invoke()  # the first run loads the kernels, which takes longer
        _, height, width, _ = interpreter.input(0).shape
        camera = board.camera((width, height))
        try:
            watch(interpreter, camera, board.led())
        finally:
            camera.close()
            interpreter.free()
    except KeyboardInterrupt:
        print("stopped; import main runs it again")
    except OSError:
        print("objects: there is no model; build the firmware with MODEL=shapes_int8.tflite")
    except TflmError as error:
        print("objects:", error)


main()
