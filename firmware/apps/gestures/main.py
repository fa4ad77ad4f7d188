# App gestures: a line and the LED for each gesture that the board's accelerometer is moved in
# MIT license; Copyright (c) 2026 the tflm authors

import time

import board
import tflm
from tflm.errors import TflmError
from tflm.motion.window import Window

_STEP = 12  # samples from one look to the next: a quarter of a second
_LIKELY = 0.8
_LOOKS = 2  # at which a gesture is the likely one before it is told
_NONE = "none"


# Tells a gesture once, when it has been the likely one for some looks.
class _Teller:
    def __init__(self, labels, led):
        self._labels = labels
        self._led = led
        self._last, self._looks = _NONE, 0

    def hear(self, seconds, values, microseconds):
        best = max(values)
        if best < _LIKELY:
            return
        name = self._labels[values.index(best)]
        self._looks = self._looks + 1 if name == self._last else 1
        self._last = name
        if self._looks == _LOOKS:
            self._led.value(name != _NONE)
            if name != _NONE:
                text = "%8.2f s  %-8s %3.0f %%, in %.1f ms"
                print(text % (seconds, name, 100 * best, microseconds / 1000))


def watch(interpreter, labels, source, led):
    """Tell the gestures of a source, until Ctrl-C."""
    tensor, scores = interpreter.input(0), interpreter.output(0)
    window = Window(source, tensor.shape[1], _STEP)
    teller = _Teller(labels, led)
    samples = tensor.shape[1] - _STEP
    lost = 0
    while True:
        window.next()
        samples += _STEP
        if source.lost != lost:
            more, lost = source.lost - lost, source.lost
            print("gestures: %d samples were lost; the board has too much to do" % more)
        window.fill(tensor)
        begin = time.ticks_us()
        interpreter.invoke()
        took = time.ticks_diff(time.ticks_us(), begin)
        teller.hear(samples / source.rate, scores.dequantize(), took)


def main():
    try:
        interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
        interpreter.invoke()  # what the first run loads is not to be waited for later
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
