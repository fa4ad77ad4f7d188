# App gestures: detects gestures with the board's accelerometer, prints them and lights the LED
# MIT license; Copyright (c) 2026 the tflm authors

import time

import board
import tflm
from tflm.errors import TflmError
from tflm.motion.window import Window

_STEP = 12  # samples between two runs of the model: 0.25 s
_MIN_PROBABILITY = 0.8
_REPEATS = 2  # consecutive runs that must give the same gesture
_NONE = "none"


# Reports a gesture once, when it was the result of several consecutive runs.
class _Reporter:
    def __init__(self, labels, led):
        self._labels = labels
        self._led = led
        self._last, self._repeats = _NONE, 0

    def add(self, seconds, values, microseconds):
        best = max(values)
        if best < _MIN_PROBABILITY:
            return
        name = self._labels[values.index(best)]
        self._repeats = self._repeats + 1 if name == self._last else 1
        self._last = name
        if self._repeats == _REPEATS:
            self._led.value(name != _NONE)
            if name != _NONE:
                text = "%8.2f s  %-8s %3.0f %%, in %.1f ms"
                print(text % (seconds, name, 100 * best, microseconds / 1000))


def watch(interpreter, labels, source, led):
    """Report the gestures of a source, until Ctrl-C."""
    tensor, scores = interpreter.input(0), interpreter.output(0)
    window = Window(source, tensor.shape[1], _STEP)
    reporter = _Reporter(labels, led)
    samples = tensor.shape[1] - _STEP
    lost = 0
    while True:
        window.next()
        samples += _STEP
        if source.lost != lost:
            more, lost = source.lost - lost, source.lost
            print("gestures: %d samples were lost; the board is too busy" % more)
        window.fill(tensor)
        begin = time.ticks_us()
        interpreter.invoke()
        took = time.ticks_diff(time.ticks_us(), begin)
        reporter.add(samples / source.rate, scores.dequantize(), took)


def main():
    try:
        interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
        interpreter.invoke()  # the first run loads the kernels, which takes longer
        source = board.sensor()
        labels = interpreter.model.labels()
        print("watching for", ", ".join([name for name in labels if name != _NONE]))
        try:
            watch(interpreter, labels, source, board.led())
        finally:
            source.close()
    except KeyboardInterrupt:
        print("stopped; import main runs it again")
    except (TflmError, OSError) as error:
        print("gestures:", error)


main()
