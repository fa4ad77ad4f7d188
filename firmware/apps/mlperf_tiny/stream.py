# App mlperf_tiny: processes sound between the commands start and stop, for sww01
# MIT license; Copyright (c) 2026 the tflm authors

import time
from array import array

import settings
from features import BANDS, STRIDE, Features
from micropython import const
from peripherals import open_sound, output_pin

_THRESHOLD = const(115)  # a larger first output, of int8, is a detection
_MAX_OUTPUTS = const(40_000)  # that are stored, for 21 minutes
_OUTPUTS_PER_LINE = const(16)
_PULSE_US = const(2)
_SAMPLES_PER_MS = const(16)


class Stream:
    """Runs `task` on each 32 ms of sound; `running` is True between start() and stop()."""

    def __init__(self, port, task):
        self._port = port
        self._task = task
        self._features = Features(task.scale, task.zero_point)
        self._sound = open_sound()
        self._detected = output_pin(settings.DETECTION_PIN, 1)
        self._processing = output_pin(settings.PROCESSING_PIN, 0)
        self._samples = array("h", bytes(2 * STRIDE))
        self._row = bytearray(BANDS)
        self._outputs = array("b", bytes(_MAX_OUTPUTS))
        self._count = 0
        self._is_first = True
        self._lost = 0  # samples, before start()
        self.running = False
        self._process()  # the first run loads the kernels, which takes longer

    def start(self):
        """Start, and return the lines that answer the command."""
        if self.running:
            return [b"I2S Rx currently in progress. Ignoring request"]
        if not self._sound:
            return [b"e-[There is no source of sound; use a Pico, or name a WAV file]"]
        self._count = 0
        self._is_first = True
        self._lost = self._sound.lost
        self._features.reset()
        self._task.clear()
        self._port.timestamp()
        self._pulse(self._processing, 1)
        self._sound.start()
        self.running = True
        return [b"Listening for I2S data ... "]

    def stop(self):
        """Stop, and return the lines that answer the command: all outputs since start()."""
        if not self.running:
            return [b"I2S is already idle.  Ignoring stop request"]
        self.running = False
        self._sound.stop()
        self._port.timestamp()
        return self._report()

    # Yields line by line, as the heap may not hold all lines.
    def _report(self):
        yield b"Streaming stopped."
        lost = self._sound.lost - self._lost
        if lost:
            yield b"e-[%d samples were lost; the board is too busy]" % lost
        yield b"target activations: "
        for start in range(0, self._count, _OUTPUTS_PER_LINE):
            end = min(start + _OUTPUTS_PER_LINE, self._count)
            line = ", ".join([str(value) for value in self._outputs[start:end]])
            begin = "" if start else "["
            yield (begin + line + (", " if end < self._count else "]")).encode()
        if not self._count:
            yield b"[]"

    def step(self):
        """Process the next 32 ms of sound and return 0, or return the microseconds to wait."""
        missing = self._sound.read(self._samples)
        if missing:
            return missing * 1000 // _SAMPLES_PER_MS
        self._processing.value(1)
        output = self._process()
        # The first pulse marks the start of the sound for the runner.
        if output > _THRESHOLD or self._is_first:
            self._pulse(self._detected, 0)
            self._is_first = False
        if self._count < _MAX_OUTPUTS:
            self._outputs[self._count] = output
            self._count += 1
        self._processing.value(0)
        return 0

    def _process(self):
        self._features.run(self._samples, self._row)
        self._task.append(self._row)
        self._task.invoke()
        return self._task.first_output()

    def _pulse(self, pin, level):
        pin.value(level)
        time.sleep_us(_PULSE_US)
        pin.value(1 - level)
